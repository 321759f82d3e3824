"""People at tables, over HTTP: what their browsers ask for, without drawing it."""

from __future__ import annotations

import asyncio
import gzip
import random
import re
import time
import urllib.parse
from dataclasses import dataclass, field

HIDDEN = re.compile(r'name="(decision|step)" value="(\d+)"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
MOVE = re.compile(r'name="move"\s+value="([^"]+)"')
TABLE = re.compile(r'data-turn="(\w+)"\s+data-version="(\d+)"\s+data-forced="([^"]*)"')
FORCED_SECONDS = 0.4
"""After which the page makes the only choice itself."""
PATIENCE_SECONDS = 60.0
AGAIN_SECONDS = 0.05
REFRESH_SECONDS = 1.0
"""After which a page without cards loads itself again."""


@dataclass
class Answer:
    """An answer of the site.

    :ivar sent: bytes on the wire, its head included.
    """

    status: int
    headers: list[tuple[str, str]]
    text: str
    sent: int


@dataclass
class Seen:
    """Times and answers that several people saw.

    :ivar seconds: of each press, until the seat was asked again and all answers of others were there.
    :ivar first_card: seconds from *Play* to the first card, of each table.
    :ivar answer_bytes: of each answer to a press on the wire.
    :ivar wrong: answers that were not as they should be.
    """

    seconds: list[float] = field(default_factory=list)
    first_card: list[float] = field(default_factory=list)
    answer_bytes: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    over: int = 0


class Browser:
    """A visitor with cookies and an address of its own, a connection for each request."""

    def __init__(self, port: int, source: str) -> None:
        self.port, self.source = port, source
        self.cookies: dict[str, str] = {}

    async def ask(self, path: str, fields: dict[str, str] | None = None, **headers: str) -> Answer:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.source, 0))
        body = urllib.parse.urlencode(fields) if fields is not None else ""
        lines = [
            f"{'GET' if fields is None else 'POST'} {path} HTTP/1.0",
            "Host: localhost",
            "Accept-Encoding: gzip",
            "Cookie: " + "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        if fields is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        try:
            writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
            async with asyncio.timeout(PATIENCE_SECONDS):
                whole = await reader.read()
        finally:
            writer.close()
        return self._understood(whole)

    def _understood(self, whole: bytes) -> Answer:
        head, _, content = whole.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        if not first:
            raise ConnectionError("the site closed the connection")
        headers = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in rest)]
        for name, value in headers:
            if name == "set-cookie":
                cookie, _, text = value.partition(";")[0].partition("=")
                self.cookies[cookie] = text
        if ("content-encoding", "gzip") in headers:
            content = gzip.decompress(content)
        return Answer(int(first.split()[1]), headers, content.decode(errors="replace"), len(whole))


@dataclass
class Shown:
    """Controls and numbers of a table's page, as far as a person who presses at random looks at them."""

    turn: str
    version: int
    forced: str
    step: int
    decision: int
    moves: list[str]

    @classmethod
    def of(cls, html: str) -> Shown:
        """Read the last step of a page or of an answer to a press."""
        last = html[html.rindex('id="table"') :]
        found = TABLE.search(last)
        assert found is not None, last[:400]
        numbers = {name: int(value) for name, value in HIDDEN.findall(last)}
        return cls(
            found[1], int(found[2]), found[3], numbers["step"], numbers["decision"], MOVE.findall(last)
        )


class Person:
    """Plays one table after the other, at random.

    :ivar pause: mean seconds of thinking.
    """

    def __init__(self, port: int, number: int, games: list[str], *, level: str, pause: float) -> None:
        source = f"127.{10 + number // 40_000}.{number // 200 % 200}.{1 + number % 200}"
        self.browser = Browser(port, source)
        self.games, self.level, self.pause = games, level, pause
        self.chance = random.Random(number)
        self.number, self.token, self.path = number, "", ""

    async def play(self, until: float, seen: Seen) -> None:
        """Play until a moment of the monotonic clock; the time of a press that ends later does not count."""
        await asyncio.sleep(self.chance.uniform(0, self.pause))
        while time.monotonic() < until:
            shown = await self.sit_down(seen)
            while shown.turn != "over" and time.monotonic() < until:
                await asyncio.sleep(
                    FORCED_SECONDS if shown.forced else self.chance.uniform(0.5, 1.5) * self.pause
                )
                began = time.monotonic()
                shown = await self.press(shown, seen)
                if began < until:
                    seen.seconds.append(time.monotonic() - began)
            seen.over += shown.turn == "over"

    async def sit_down(self, seen: Seen, start: str = "/play/") -> Shown:
        """Begin a table at one of the pages that can, and wait for the first question."""
        game = self.games[self.number % len(self.games)]
        self.number += 1
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            page = await self.browser.ask(start)
            began = time.monotonic()
            token = TOKEN.search(page.text)
            answer = page
            if token is not None:
                fields = {"csrfmiddlewaretoken": token[1], "game": game, "level": self.level}
                answer = await self.browser.ask(start, fields)
            if answer.status == 302:
                break
            seen.wrong.append(f"no table: {answer.status}: {answer.text[:200]}")
            assert began < end, seen.wrong[-1]
            await asyncio.sleep(REFRESH_SECONDS)
        self.path = dict(answer.headers)["location"]
        page = await self.browser.ask(self.path)
        while 'id="table"' not in page.text:
            assert time.monotonic() < end, (page.status, page.text[-800:])
            await asyncio.sleep(REFRESH_SECONDS)
            page = await self.browser.ask(self.path)
        seen.first_card.append(time.monotonic() - began)
        token = TOKEN.search(page.text)
        assert token is not None
        self.token = token[1]
        return await self.asked(Shown.of(page.text))

    async def press(self, shown: Shown, seen: Seen) -> Shown:
        """Press one of the legal actions, and wait until the seat is asked again or the match is over."""
        move = self.chance.choice(shown.moves)
        fields = {
            "csrfmiddlewaretoken": self.token,
            "move": move,
            "decision": str(shown.decision),
            "step": str(shown.step),
        }
        answer = await self.browser.ask(self.path, fields, X_Fragment="steps")
        if answer.status != 200 or 'id="table"' not in answer.text:
            seen.wrong.append(f"{answer.status}: {answer.text[:200]}")
            return await self.looked()
        seen.answer_bytes.append(answer.sent)
        after = Shown.of(answer.text)
        if after.turn == "mine" and after.decision == shown.decision:
            seen.wrong.append(f"{move} was refused: {answer.text[:200]}")
        return await self.asked(after)

    async def asked(self, shown: Shown) -> Shown:
        """Ask what came since, until the seat is asked."""
        end = time.monotonic() + PATIENCE_SECONDS
        while shown.turn == "wait" and time.monotonic() < end:
            answer = await self.browser.ask(
                self.path, X_Fragment="steps", X_Step=str(shown.step), X_Version=str(shown.version)
            )
            if answer.status != 200 or 'id="table"' not in answer.text:
                return await self.looked()
            shown = Shown.of(answer.text)
        return shown

    async def looked(self) -> Shown:
        """Load the page anew, as often as it takes."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = await self.browser.ask(self.path)
                if answer.status == 200 and 'id="table"' in answer.text:
                    return await self.asked(Shown.of(answer.text))
            except OSError:
                if time.monotonic() > end:
                    raise
            assert time.monotonic() < end, "the table does not come back"
            await asyncio.sleep(AGAIN_SECONDS)
