"""The bytes, requests and first paint of pages: what a phone has to load and to wait for.

    python benchmarks/page_budgets.py [--port N] [--site ADDRESS]

Starts the services of `make up` in a temporary folder and has the house bots play the demonstration to its
end, or asks the site at an address. Debian's Chromium loads each page five times over a line of 1.6 Mbit/s
that takes 150 ms, with a processor a quarter as fast; the medians are printed. Exits with 1 where a bound is
missed. `tests/platform/web/browser/test_replay.py` holds the layout shift of stepping.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from statistics import median
from time import monotonic, sleep
from typing import NamedTuple

import requests
from pictures import CHROMIUM, featured_match
from platform_overhead import is_rated
from playwright.sync_api import Browser, sync_playwright
from running_platform import running_platform
from stichkampf_platform.supervisor.process_manager import StopAsked

ROUNDS = 5
LONGEST_WAIT = 600.0
LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""Milliseconds, and bytes a second."""
SLOWER = 4
ONLY_PAINTED = {
    "front page": "/",
    "play": "/play/",
    "watch": "/watch/",
    "all ladders": "/ladders/",
    "bot": "/bots/house/thumb/",
    "person": "/people/house/",
    "games": "/games/",
    "rules": "/games/was-sticht/",
}
"""Pages of which only the first paint is bounded."""
PAINTED = "performance.getEntriesByName('first-contentful-paint').length"
LOADED = """() => {
    const loaded = ["navigation", "resource"]
        .flatMap((kind) => performance.getEntriesByType(kind))
        .filter((one) => !["fetch", "other"].includes(one.initiatorType));
    const sum = (all, name) => all.reduce((bytes, one) => bytes + one[name], 0);
    return [
        sum(loaded, "decodedBodySize"),
        sum(loaded, "encodedBodySize"),
        sum(loaded.filter((one) => one.name.endsWith(".js")), "encodedBodySize"),
        loaded.length,
        performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
    ];
}"""


class Load(NamedTuple):
    """The loading of a page, without what it fetches ahead and the icon of the tab.

    :ivar raw, sent, scripts: bytes: of all parts, of them as they were sent, and of scripts as sent.
    :ivar first_paint: seconds.
    """

    raw: float
    sent: float
    scripts: float
    requests: float
    first_paint: float


class Budget(NamedTuple):
    """A page and its bounds; None where there is none."""

    name: str
    address: str
    bounds: tuple[float | None, ...]


def loaded(browser: Browser, address: str) -> Load:
    """Load a page as a phone does that has never been there."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, locale="en")
    page = context.new_page()
    phone = context.new_cdp_session(page)
    phone.send("Network.enable")
    phone.send("Network.emulateNetworkConditions", LINE)
    phone.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    answer = page.goto(address, wait_until="load")
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} cannot be shown: {answer and answer.status}")
    while not page.evaluate(PAINTED):  # not a function that waits in the page: its policy forbids it
        sleep(0.05)
    found = Load(*page.evaluate(LOADED))
    context.close()
    return found


def of_a_tournament(home: str) -> dict[str, str]:
    """Return the addresses of a tournament that is over and of its big screen."""
    done = requests.get(f"{home}/api/v1/tournaments/?state=finished", timeout=60).json()["results"]
    page = f"/tournaments/{done[0]['slug']}/"
    return {"tournament": page, "big screen": f"{page}screen/"}


def medians(loads: Sequence[Load]) -> Load:
    return Load(*(median(each) for each in zip(*loads, strict=True)))


def rows(budget: Budget, load: Load) -> Iterator[tuple[str, bool]]:
    """Yield a row of the table for each bound, and whether it is kept."""
    for name, value, bound in zip(Load._fields, load, budget.bounds, strict=True):
        if bound is not None:
            what = name.replace("_", " ")
            yield f"| {budget.name} | {what} | {value:,.2f} | {bound:,.2f} |", value <= bound


def wait_for_the_demonstration(home: str) -> None:
    """Wait until nothing is played any more: matches would take the processor from the browser."""
    until = monotonic() + LONGEST_WAIT
    while not is_rated(home):
        if monotonic() > until:
            raise SystemExit("the demonstration does not end")
        sleep(1)


def measure(browser: Browser, home: str) -> int:
    """Print the table; return the exit status."""
    budgets = [
        Budget("replay", featured_match(browser, home), (100_000, 30_000, 10_000, 4, 1.0)),
        Budget("ladder", f"{home}/ladders/sticheln/", (80_000, 20_000, None, None, 1.0)),
        *(
            Budget(name, f"{home}{path}", (None, None, None, None, 1.0))
            for name, path in {**ONLY_PAINTED, **of_a_tournament(home)}.items()
        ),
    ]
    print("| page | | median | bound |")
    print("|---|---|---|---|")
    kept = []
    for budget in budgets:
        found = medians([loaded(browser, budget.address) for _ in range(ROUNDS)])
        for row, fits in rows(budget, found):
            print(row if fits else f"{row} missed")
            kept.append(fits)
    return int(not all(kept))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8327, help="port of the site that is started")
    parser.add_argument("--site", default="", help="the address of a site that runs already")
    chosen = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if chosen.site:
            return measure(browser, chosen.site.rstrip("/"))
        try:
            with running_platform(chosen.port) as platform:
                platform.start_demonstration()
                wait_for_the_demonstration(platform.address)
                return measure(browser, platform.address.rstrip("/"))
        except StopAsked:
            return 1


if __name__ == "__main__":
    sys.exit(main())
