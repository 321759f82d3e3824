"""Debian's Chromium for tests: a browser, and tabs that note everything that a page should not do."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium-headless-shell"
PATIENCE_MS = 60_000
ARGUMENTS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]
RULES = {
    "light": {"resultTypes": ["violations"]},
    # nothing else depends on the theme
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}
AXE = Axe().axe_script
RUN = """async (options) => {
  const ends = (each) => Number.isFinite(each.effect.getComputedTiming().endTime);
  await Promise.all(document.getAnimations().filter(ends).map((each) => each.finished.catch(() => {})));
  return (await axe.run(options)).violations;
}"""

BROKEN_WORDS = """() => [...document.querySelectorAll("th, button, .button, h1, h2, label")]
  .flatMap((each) => {
  const found = [], texts = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode());) {
    if (text.parentElement.closest(".unseen, code")) continue;
    for (const word of text.data.matchAll(/\\p{L}+/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const boxes = [...range.getClientRects()].filter((box) => box.width);
      if (new Set(boxes.map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})"""


@contextmanager
def running_browser(patience_ms: int = PATIENCE_MS) -> Iterator:
    """Start a browser and close it in the end.

    While it lives, Playwright's event loop counts as running in this thread.

    :param patience_ms: for whatever is expected of a page.
    """
    with sync_playwright() as playwright:
        expect.set_options(timeout=patience_ms)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Visit:
    """A tab that notes everything that a page should not do."""

    def __init__(
        self, browser, home: str, *, width: int, theme: str, scripts: bool = True, touch: bool = False
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 844 if width < 720 else 900},
            color_scheme=theme,
            java_script_enabled=scripts,
            has_touch=touch,
            is_mobile=touch,
            base_url=home,
        )
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.context.new_page()
        self.home = urlsplit(home).netloc
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self._heard(message))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def go(self, address: str):
        """Open a page; return the answer of the server."""
        return self.page.goto(address)

    def sign_in(self, name: str, password: str) -> None:
        """Fill in the form for a name and password, and wait until the head of the page shows the name."""
        self.go("/login/")
        self.page.get_by_label("Name", exact=True).fill(name)
        self.page.get_by_label("Password", exact=True).fill(password)
        self.page.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
        expect(self.page.locator(".top .person")).to_contain_text(name)

    def barriers(self, themes: Collection[str] = tuple(RULES)):
        """Yield the findings of axe on the page as it is, in these themes; it is large, so injected once."""
        self.page.evaluate(AXE)
        for theme in themes:
            self.page.emulate_media(color_scheme=theme)
            for violation in self.page.evaluate(RUN, RULES[theme]):
                where = violation["nodes"][0]
                yield f"{theme}: {violation['id']}: {where['html'][:160]} {where['failureSummary'][:200]}"

    @property
    def outside(self) -> list[str]:
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme != "data" and urlsplit(url).netloc != self.home
        ]

    @property
    def broken_words(self) -> list[str]:
        """Return the words of heads, rows' names, buttons and labels that are broken between letters."""
        return self.page.evaluate(BROKEN_WORDS)

    @property
    def overflow(self) -> int:
        """Return the pixels by which the page is wider than the window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
