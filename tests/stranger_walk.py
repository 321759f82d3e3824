"""Walk from the page *Download* of a site to a ranked bot, as a stranger who has nothing but its address.

    python3 tests/stranger_walk.py http://127.0.0.1:8000/ [--python python3.13]…

In a new folder with an empty virtual environment of each interpreter, it types what the pages *Download*,
*Write a bot* and *Submit it* say, and nothing else: every line and the bot itself are taken out of the pages.
Prints each step with the seconds since the beginning; ends with 1 where the bot has no rank in ten minutes.
It needs Python alone, so that it walks in a minimal system, too.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from secrets import token_hex
from urllib.parse import urlencode, urljoin
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

MOST_SECONDS = 600.0
BLOCK = re.compile(r"<pre[^>]*>(?:<code[^>]*>)?(.*?)(?:</code>)?</pre>", re.DOTALL)


class Walk:
    """A stranger in an empty folder.

    :param patience: the seconds from the beginning after which a line that has not ended is given up.
    :ivar steps: what was done, with the seconds since the beginning.
    """

    def __init__(self, address: str, python: str, folder: Path, patience: float = MOST_SECONDS) -> None:
        self.address = address
        self.patience = patience
        self.browser = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        self.python = python
        self.folder = folder
        self.began = time.monotonic()
        self.steps: list[tuple[float, str]] = []

    def to_a_ranked_bot(self) -> str:
        """Return what the last line typed says of the bot and its ranks."""
        self._type(f"{self.python} -m venv stranger")
        (install,) = self._lines("/download/", "python3 -m pip install")
        self._type(install)
        guide = "/docs/write-a-bot/"
        (bot,) = [block for block in self._blocks(guide) if block.startswith("from stichkampf import Bot\n")]
        (self.folder / "bot.py").write_text(bot)
        (play,) = self._lines(guide, "stichkampf play")
        self._type(play)
        self._send("/join/", username=f"stranger-{token_hex(4)}", password=token_hex(16))
        token = re.findall(r"sk_[A-Za-z0-9_-]{20,}", self._send("/account/tokens/", name="laptop"))
        self._step("joined the site and made a token")
        login, submit = self._lines("/docs/submit/", "stichkampf login", "stichkampf submit")
        self._type(login, pasted=f"{token[0]}\n")
        return self._type(submit)

    def _page(self, path: str, content: bytes | None = None) -> str:
        address = urljoin(self.address, path)
        with self.browser.open(Request(address, content, {"Referer": address})) as answer:
            text: str = answer.read().decode()
        return text

    def _send(self, path: str, **fields: str) -> str:
        """Fill in the form of a page and send it; return the page that follows."""
        secret = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', self._page(path))
        return self._page(path, urlencode({**fields, "csrfmiddlewaretoken": secret[0]}).encode())

    def _blocks(self, page: str) -> list[str]:
        found = BLOCK.findall(self._page(page))
        return [unescape(re.sub(r"<[^>]+>", "", block)) for block in found]

    def _lines(self, page: str, *beginnings: str) -> list[str]:
        """Return the first line of a page for each of these beginnings."""
        lines = [line for block in self._blocks(page) for line in block.splitlines()]
        return [next(line for line in lines if line.startswith(each)) for each in beginnings]

    def _type(self, line: str, pasted: str = "") -> str:
        """Run a line in the folder, with the programs of its environment once there are some."""
        environment = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("VIRTUAL_", "PYTHON"))
            },
            "PATH": f"{self.folder}/stranger/bin{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
        }
        left = max(1.0, self.patience - (time.monotonic() - self.began))
        try:
            done = subprocess.run(
                ["sh", "-c", line], cwd=self.folder, env=environment, input=pasted, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, check=False, timeout=left,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            said = (late.output or b"").decode(errors="replace")
            raise SystemExit(f"{line}\nhad not ended after {self.patience:.0f} s\n{said}") from late
        if done.returncode:
            raise SystemExit(f"{line}\nended with {done.returncode}\n{done.stdout}")
        self._step(line)
        return done.stdout

    def _step(self, words: str) -> None:
        self.steps.append((time.monotonic() - self.began, words))
        print(f"{self.steps[-1][0]:5.0f} s  {words}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("address", help="of the site")
    parser.add_argument("--python", action="append", help="an interpreter; may be repeated")
    given = parser.parse_args()
    late = 0
    for python in given.python or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            walk = Walk(given.address, python, Path(folder))
            print(walk.to_a_ranked_bot())
            late += walk.steps[-1][0] > MOST_SECONDS
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
