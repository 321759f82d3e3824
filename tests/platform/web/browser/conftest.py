"""Debian's own Chromium on a live server."""

from __future__ import annotations

import pytest
from chromium import Visit, running_browser
from html_checker import Markup


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
