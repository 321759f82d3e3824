"""The page of a table: what the seat sees, and the steps that its answers bring about.

With a script the answer to a press is every step since, each a `<template>`; without one it leads back to the
page.
No answer may be kept, and a form's token stands outside of what is compressed.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from stichkampf.bots.search import Even
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.errors import NotAllowed, RequestRefused
from stichkampf_platform.play import play_on, services, together
from stichkampf_platform.play.feed import SeatFeed
from stichkampf_platform.play.models import GUEST, PlayedTable
from stichkampf_platform.play.seat_keys import SeatKey
from stichkampf_platform.serving.request_slots import PAGES
from stichkampf_platform.web.games.cards import in_order
from stichkampf_platform.web.play.guide import guidance
from stichkampf_platform.web.play.live_replay import live_replay
from stichkampf_platform.web.play.occupants import guest, occupant
from stichkampf_platform.web.play.seat_scene import SeatScene
from stichkampf_platform.web.play.seats_kept import is_guided, kept_seat
from stichkampf_platform.web.replay.action_texts import short
from stichkampf_platform.web.replay.scene_parts import SeatOccupant, Text
from stichkampf_platform.web.views.error_pages import refused, unavailable

WAIT_SECONDS = 1.2
"""The longest wait of an answer for the seat's next question."""
LATER_WAIT_SECONDS = 10.0
"""The same where a page asks for what came since."""
FIRST_WAIT_SECONDS = 0.8
"""The longest wait of a whole page, which keeps a slot."""
PAUSE_SECONDS = 0.03
STEPS_AT_ONCE = 30
HINTS = 5
PASSED: dict[str, Any] = {"over": "", "passed": True}
"""Marks of a step before the present one; it has panels beside the table if it is the end of a deal."""
KEYS = (
    ("← → ↑ ↓", gettext_lazy("go through what can be pressed")),
    ("Enter", gettext_lazy("press it")),
    ("0 … 9", gettext_lazy("name a number, a seat, a suit")),
    ("a … z", gettext_lazy("the button that begins with this letter")),
    ("s", gettext_lazy("tell the table in words")),
    ("l", gettext_lazy("go to the last trick")),
    ("h", gettext_lazy("a hint, which makes the match practice")),
    ("u", gettext_lazy("take back, in practice")),
    ("?", gettext_lazy("this list")),
)
DEEDS = {
    "resign": services.resign,
    "leave": services.leave,
    "return": services.take_again,
}


@require_http_methods(["GET", "HEAD", "POST"])
def table(request: HttpRequest, table: str) -> HttpResponseBase:
    """Show a table to the person who sits there, and take what was pressed."""
    try:
        key = kept_seat(request, table)
        return _pressed(request, key) if request.method == "POST" else _shown(request, key)
    except NotAllowed as error:
        return refused(request, 403, str(error))
    except RequestRefused as error:
        return unavailable(request, str(error))


def told(request: HttpRequest, table: str) -> HttpResponse:
    """Tell a table in words, all that the seat knows and the choice."""
    try:
        now = services.feed(kept_seat(request, table))
    except RequestRefused as error:
        return refused(request, 403, str(error))
    if now.void:
        return refused(request, 410, now.row.told_void)
    words = now.seat_table().describe(translation.get_language() or "en") if now.events else ""
    return render(request, "web/play/told.html", {"words": words, "table": table, "title": now.game.title})


def _shown(request: HttpRequest, key: SeatKey) -> HttpResponseBase:
    now = services.feed(key)
    if request.headers.get("X-Fragment"):
        return _looked(request, key, now)
    end = time.monotonic() + FIRST_WAIT_SECONDS
    while not _is_ready(now) and time.monotonic() < end:
        time.sleep(PAUSE_SECONDS)
        now = services.feed(key)
    return _page(request, now)


def _page(request: HttpRequest, now: SeatFeed, **more: Any) -> HttpResponse:
    page = {"title": now.game.title, "game_name": now.game.name, "table": now.table, **more}
    if now.void:
        return refused(request, 410, now.row.told_void)
    if now.gathering:
        return redirect("web:play-room", now.table)
    scene = _context(now, is_guided(request, now.table), **more)
    if scene is None:
        answer = render(request, "web/play/dealing.html", page)
        answer["Refresh"] = "1"
        return answer
    return render(request, "web/play/table.html", page | scene | {"keys": KEYS})


def _pressed(request: HttpRequest, key: SeatKey) -> HttpResponseBase:
    """Do what was pressed. Refusals are told at the table, which shows how it stands."""
    before = services.feed(key)
    deed = request.POST.get("deed", "")
    try:
        if deed == "hint":
            return _hinted(request, key, before)
        if deed:
            _done(key, deed, _number(request, "start"))
        else:
            services.answer(key, _number(request, "decision"), request.POST.get("move", ""), before)
    except NotAllowed:
        raise
    except RequestRefused as error:
        now = services.feed(key)
        if now.void or now.gathering:
            return refused(request, 410 if now.void else 409, now.row.told_void or str(error))
        if request.headers.get("X-Fragment"):
            return _packed(request, _fragment(now, 0, is_guided(request, key.table), refused=str(error)))
        answer = _page(request, now, refused=str(error))
        answer.status_code = 409
        return answer
    if request.headers.get("X-Fragment") and isinstance(request, ASGIRequest):
        seen = services.feed(key) if deed else before
        return _later(request, key, _number(request, "step"), before.version, WAIT_SECONDS, seen)
    return redirect(request.path)


def _done(key: SeatKey, deed: str, start: int) -> None:
    name, _space, number = deed.partition(" ")
    if deed == "back":
        services.take_back(key, start)
    elif name == "say":
        together.say(key, whole_number(number, 2) or 0)
    elif deed in DEEDS:
        DEEDS[deed](key)
    else:
        raise RequestRefused(_("There is no such button at this table."))


def _hinted(request: HttpRequest, key: SeatKey, now: SeatFeed) -> HttpResponseBase:
    """Show what our search would do, which makes the match practice."""
    if now.question is None:
        raise RequestRefused(_("There is nothing to choose now."))
    services.mark_practice(key)
    hint = _hint(now)
    now = services.feed(key)
    if request.headers.get("X-Fragment"):
        return _packed(request, _fragment(now, 0, is_guided(request, key.table), hint=hint))
    return _page(request, now, hint=hint)


def _hint(now: SeatFeed) -> list[tuple[Text, int]]:
    found = Even().choose(now.seat_table())
    weights: Mapping[str, float] = {found: 1.0} if isinstance(found, str) else dict(found[1].weights)
    best = sorted(weights.items(), key=lambda entry: -entry[1])[:HINTS]
    whole = sum(weights.values()) or 1
    return [(short(type(now.game), action), round(100 * weight / whole)) for action, weight in best]


def _looked(request: HttpRequest, key: SeatKey, now: SeatFeed) -> HttpResponseBase:
    """Answer with the steps after those that the page has; of a table of several persons, with any news."""
    since, version = _number(request, "X-Step"), _number(request, "X-Version")
    return _later(request, key, since, version, LATER_WAIT_SECONDS, now, looks=True)


def _later(
    request: HttpRequest,
    key: SeatKey,
    since: int,
    version: int,
    seconds: float,
    seen: SeatFeed,
    *,
    looks: bool = False,
) -> HttpResponseBase:
    """Answer with the steps since, once the seat is asked again or the time is over. No thread waits.

    :param version: what the page has seen.
    :param seen: the feed to begin with.
    :param looks: nothing was pressed: where several persons play, what others do is an answer, too.
    """
    guided = is_guided(request, key.table)
    if not isinstance(request, ASGIRequest):
        return _packed(request, _fragment(services.feed(key), since, guided))
    packed = _takes_gzip(request)
    language = translation.get_language()
    end = time.monotonic() + seconds
    any_news = looks and seen.is_shared

    def is_told(now: SeatFeed) -> bool:
        return _is_ready(now, version) or (any_news and now.version > version)

    def made(now: SeatFeed) -> bytes | SeatFeed:
        """Return the answer, or what the seat knows where that is none yet."""
        if not is_told(now) and time.monotonic() < end:
            return now
        with translation.override(language):
            return _content(_fragment(now, since, guided), packed)

    def read(before: SeatFeed) -> bytes | SeatFeed:
        return made(services.feed(key, None if looks else before))

    async def steps() -> AsyncIterator[bytes]:
        found = await PAGES.run_part(partial(made, seen)) if is_told(seen) else seen
        while not isinstance(found, bytes):
            await services.wait_for(key, found, end - time.monotonic(), any_news=any_news)
            found = await PAGES.run_part(partial(read, found))
        yield found

    return _labelled(StreamingHttpResponse(steps(), content_type="text/html; charset=utf-8"), packed)


def _is_ready(now: SeatFeed, version: int = -1) -> bool:
    """Tell whether the seat is asked, since that version, or never will be."""
    return bool(now.over or now.void or (now.question is not None and now.version > version))


def _packed(request: HttpRequest, html: str) -> HttpResponseBase:
    packed = _takes_gzip(request)
    return _labelled(HttpResponse(_content(html, packed)), packed)


def _content(html: str, packed: bool) -> bytes:
    return gzip.compress(html.encode(), compresslevel=6, mtime=0) if packed else html.encode()


def _labelled(answer: HttpResponseBase, packed: bool) -> HttpResponseBase:
    if packed:
        answer["Content-Encoding"] = "gzip"
    answer["Vary"] = "Accept-Encoding"
    return answer


def _takes_gzip(request: HttpRequest) -> bool:
    return re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")) is not None


def _fragment(now: SeatFeed, since: int, guided: bool, **more: Any) -> SafeString | str:
    """Return the steps after `since`, each in a template; the last one has the controls.

    :param since: 0 for the present step alone.
    :param guided: with a newcomer's guide.
    """
    present = _context(now, guided, **more)
    if present is None:
        return ""
    replay, players = present["replay"], present["players"]
    first = max(since + 1, replay.steps - STEPS_AT_ONCE, replay.deals[-2:][0].first_step)
    passed = range(first, replay.steps) if since else ()
    scenes = [SeatScene(replay, step, players) for step in passed]
    pages = [present | {"seated": s, "guided": guidance(s) if guided else ()} | PASSED for s in scenes]
    kept: list[tuple[str, dict[str, object], str]] = []
    return "".join(
        f"<template>{render_to_string('web/play/_table.html', page | {'kept': kept})}</template>"
        for page in [*pages, present]
    )


def _context(now: SeatFeed, guided: bool, **more: Any) -> dict[str, Any] | None:
    """Return what the template of a table needs; None before the first deal."""
    replay = live_replay(now.game, now.seat, now.events)
    if replay is None:
        return None
    players = _players(now)
    legal = now.question.legal if now.question and not now.over else ()
    over = ""
    if now.over:
        rank = replay.ranks[now.seat] if replay.ranks else 0
        over = _("The match is over: you are number {rank}.").format(rank=rank)
    if now.void:
        over = now.row.told_void
    seated = SeatScene(replay, replay.steps, players, legal)
    return {
        "seated": seated,
        "guided": guidance(seated) if guided else (),
        "replay": replay,
        "players": players,
        "decision": now.question.decision if now.question else 0,
        "version": now.version,
        "start": now.row.start,
        "practice": now.practice,
        "daily": now.entry is not None,
        "left": now.left,
        "over": over,
        "waits": not _is_ready(now),
        "table": now.table,
        "open_hands": _open_hands(now, players),
        "shared": now.is_shared,
        "reportable": sorted({now.names[seat] for seat in now.persons - {now.seat}} - {GUEST}),
        "said": [(players[seat].name, together.PHRASES[phrase - 1]) for seat, phrase in now.said],
        "phrases": list(enumerate(together.PHRASES, start=1)) if now.is_shared and not now.over else (),
        **more,
    }


def _open_hands(now: SeatFeed, players: Sequence[SeatOccupant]) -> list[tuple[str, list[str]]]:
    """Return the names and cards of the other seats, at a table with open cards."""
    if not now.open_cards or now.over:
        return []
    names = [player.name for player in players]
    return [
        (names[seat] if seat < len(names) else _("table"), sorted(hand, key=in_order))
        for seat, hand in enumerate(play_on.open_hands(PlayedTable.objects.get(public_id=now.table)))
        if seat != now.seat and hand
    ]


def _players(now: SeatFeed) -> list[SeatOccupant]:
    return [_player(now, seat, name) for seat, name in enumerate(now.names)]


def _player(now: SeatFeed, seat: int, name: str) -> SeatOccupant:
    if seat == now.seat:
        return SeatOccupant(_("You"))
    if seat not in now.persons:
        return occupant(seat, name)
    return SeatOccupant(
        guest(seat) if name == GUEST else name, _("away: a bot plays") if seat in now.away else ""
    )


def _number(request: HttpRequest, name: str) -> int:
    said = request.headers.get(name) if name.startswith("X-") else request.POST.get(name)
    return whole_number(said or "", 18) or 0
