"""The pictures of README: a replay and a ladder, each in light and in dark, as Chromium shows them.

    python benchmarks/pictures.py [--port N] [--folder docs/pictures]

Starts the services of `make up` in a temporary folder, has the house bots play the demonstration to its end,
and takes the pictures of the match on the front page and of the ladder that came of it.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep

from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from running_platform import running_platform
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.installation import checkout
from stichkampf_platform.supervisor.output import last_line
from stichkampf_platform.supervisor.process_manager import StopAsked

CHROMIUM = "/usr/bin/chromium-headless-shell"
WIDTH, HEIGHT = 1280, 720
QUALITY = 80
LOOK_SECONDS = 2.0
THEMES = ("light", "dark")
IS_OVER = """
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments.models import Tournament
over = Tournament.objects.get(slug="demonstration").finished_at is not None
print(over and Rating.objects.filter(provisional=False).exists())
"""


def take_pictures(browser: Browser, pages: Mapping[str, str], folder: Path) -> list[Path]:
    """Take a picture of each page in light and in dark, as WebP; returns the files.

    :param pages: addresses by the names of the pictures.
    """
    files = []
    for theme in THEMES:
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme, locale="en"
        )
        for name, address in pages.items():
            page = context.new_page()
            answer = page.goto(address, wait_until="networkidle")
            if answer is None or not answer.ok:
                raise SystemExit(f"{address} cannot be shown: {answer and answer.status}")
            files.append(folder / f"{name}-{theme}.webp")
            Image.open(io.BytesIO(page.screenshot())).save(files[-1], quality=QUALITY, method=6)
        context.close()
    return files


def featured_match(browser: Browser, home: str) -> str:
    """Return the address of the match on the page *Watch*, at the decision to which that leads."""
    page = browser.new_page(locale="en")
    page.goto(f"{home.rstrip('/')}/watch/")
    path = page.get_attribute("section[aria-labelledby=featured] a.button", "href")
    page.close()
    return home.rstrip("/") + str(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=8326, help="port of the site")
    parser.add_argument("--folder", type=Path, default=checkout() / "docs" / "pictures")
    parser.add_argument("--minutes", type=float, default=30.0, help="the time for the matches (default: 30)")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    try:
        with running_platform(args.port) as platform, sync_playwright() as playwright:
            platform.start_demonstration()
            until = monotonic() + 60 * args.minutes
            asked = ("shell", "--no-imports", "-c", IS_OVER)
            while last_line(preparation.manage(platform.installation, asked)).strip() != "True":
                if monotonic() > until:
                    raise SystemExit(f"The matches took longer than {args.minutes:g} minutes.")
                sleep(LOOK_SECONDS)
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            pages = {
                "replay": featured_match(browser, platform.address),
                "ladder": f"{platform.address.rstrip('/')}/ladders/sticheln/",
            }
            for file in take_pictures(browser, pages, args.folder):
                print(f"{file.stat().st_size:7,} bytes  {file}")
    except StopAsked:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
