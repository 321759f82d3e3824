"""Debian's own Chromium on a live server."""

from __future__ import annotations

import pytest
from chromium import Visit, running_browser
from django.test import Client
from html_checker import Markup
from stichkampf_platform.core import clock
from stichkampf_platform.marks.models import Analysis, JudgedSeat, StoredContinuations, StoredMark


@pytest.fixture(scope="module")
def chromium():
    """A browser a module: while it lives, Playwright's event loop counts as running in this thread."""
    with pytest.MonkeyPatch.context() as patch, running_browser() as browser:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield browser


@pytest.fixture
def markup(tmp_path):
    return Markup(tmp_path)


@pytest.fixture
def visit(chromium, live_server):
    """Open a tab: `visit(width=390, theme="dark")`."""
    visits: list[Visit] = []

    def opened(*, width: int = 1280, theme: str = "light", scripts: bool = True) -> Visit:
        visits.append(Visit(chromium, live_server.url, width=width, theme=theme, scripts=scripts))
        return visits[-1]

    yield opened
    for each in visits:
        each.context.close()


@pytest.fixture
def signed_in(live_server):
    """Sign a person in, in a tab."""

    def sign_in(tab, person):
        client = Client()  # the sign-in of another person with the same one would end this session
        client.force_login(person)
        session = client.cookies["sessionid"].value
        tab.context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
        return tab

    return sign_in


@pytest.fixture
def store_mark():
    """Store a mark of a seat's decision: what was chosen, and what would have been better."""

    def store(seat, decision, chosen="play R1", better="play R2"):
        made = {"reason": Analysis.Reason.FEATURED, "requested_at": clock.now(), "state": Analysis.State.MADE}
        made |= {"made_at": clock.now(), "seconds": 2.5, "engine": "0.1.0"}
        analysis, _ = Analysis.objects.get_or_create(table=seat.table, defaults=made)
        judged, _ = JudgedSeat.objects.get_or_create(analysis=analysis, seat=seat, defaults={"decisions": 5})
        return StoredMark.objects.create(
            judged=judged,
            decision=decision,
            deal=0,
            chosen=chosen,
            better=better,
            open_better=better,
            worlds=200,
            points=5.0,
            low=1.0,
            high=9.0,
            open_points=0.0,
            open_low=0.0,
            open_high=0.0,
        )

    return store


@pytest.fixture
def store_continuations():
    """Store continuations of a decision that are played, and others that wait."""

    def store(table, decision):
        asked = {"table": table, "decision": decision, "bot": "glimpse v2", "requested_at": clock.now()}
        played = {"state": "made", "made_at": clock.now(), "seconds": 0.5, "engine": "0.1.0"}
        outcomes = [[score, 1 + score % 7] for score in range(-12, 31)]
        StoredContinuations.objects.create(**asked, **played, action="play R1", outcomes=outcomes)
        StoredContinuations.objects.create(**asked, action="play R2")

    return store
