"""A bot that dials in, plays, and comes back whenever its connection is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import Final

import grpc
import grpc.aio

from stichkampf.connection.decision_thread import DecisionThreads, Outbox
from stichkampf.connection.grpc_client import PlayCall, play_call
from stichkampf.connection.open_tables import MakeBot, OpenTables, hello
from stichkampf.connection.reconnect import FATAL_STATUSES, ReconnectBackoff, StreamEnd
from stichkampf.connection.server import Server
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.plain_text import plain_line
from stichkampf.wire.messages import Message
from stichkampf.wire.v1 import bot_pb2 as pb

WELCOME_SECONDS: Final = 10.0
EXISTS_SECONDS: Final = 30.0
"""The wait for another stream of the same bot to end: it may be our own, not yet known to be dead."""
NEW_TOKEN_SECONDS: Final = 60.0
"""The longest wait for the server to hear of a token that the site has just made."""
TAKE_UP_SECONDS: Final = 2.0
"""A new stream takes up tables with its first updates, at once. After this time no more will come."""
IDLE_SECONDS: Final = 0.2
LEAVE_SECONDS: Final = 10.0
"""The longest wait, without an open table, for the arbiter's word that none has just started."""
STANDING_SECONDS: Final = 20.0
"""The time between two questions whether the bot may still play."""
REASON_CHARACTERS: Final = 1000
NEWS_SECONDS: Final = 60.0
"""The shortest time between two lines about finished tables."""


class NotAdmitted(StichkampfError):
    """The server does not let this bot in, and another try would not help."""


class RemoteBot:
    """A bot and its connection to the arbiter.

    :param make_bot: makes a bot for a table.
    :param games: the names of the games that it plays.
    :param tables_at_once: the most tables that it plays at once; 0 leaves the number to the arbiter.
    :param jobs: the number of tables at which bots decide at the same time, each on a thread of its own.
    :param new_token: the site has just made the token, of which the server may not know yet.
    :param say: called with each line for the author of the bot; never with the token.
    :param why_not: asked now and then why the bot may not play any more, such as because it is suspended; it
        may take its time, and answers with nothing while the bot may play or nothing is known. The arbiter
        tells the same by itself.
    """

    def __init__(
        self,
        server: Server,
        token: str,
        make_bot: MakeBot,
        *,
        games: Iterable[str],
        tables_at_once: int = 0,
        jobs: int = 1,
        new_token: bool = False,
        say: Callable[[str], None],
        why_not: Callable[[], str] = str,
    ) -> None:
        self._why_not = why_not
        self._forfeits_told = 0
        self._plays_no_more = ""
        self._standing_told = asyncio.Event()
        self._tables = [OpenTables(make_bot) for _ in range(jobs)]
        self._server = server
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._games = tuple(games)
        self._tables_at_once = tables_at_once
        self._say = say
        self._resume_token = b""
        self._exists_since: float | None = None
        self._unknown_until = monotonic() + NEW_TOKEN_SECONDS if new_token else 0.0
        self._lost_at: float | None = None
        self._last_code = grpc.StatusCode.OK
        self._decisions: DecisionThreads | None = None
        self._leaving = False
        # Of the stream on which the arbiter may start tables until it is asked not to.
        self._starting_tables: Outbox | None = None
        self._told = 0
        self._told_at = -NEWS_SECONDS

    async def play_until_interrupted(self) -> None:
        """Play until cancelled, as Ctrl-C does in `asyncio.run`, then until no table is open.

        :raises NotAdmitted: the arbiter does not let the bot in, or it may not play any more.
        """
        playing = asyncio.ensure_future(self.play())
        asking = asyncio.ensure_future(self._await_end())
        try:
            await asyncio.wait((playing, asking), return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                self._say(f"{asking.result()}; stopping as soon as no table is open")
                await self._leave(playing)
                raise NotAdmitted(f"{self._server.address}: this bot plays no more here: {asking.result()}")
        except asyncio.CancelledError:
            self._say("stopping as soon as no table is open; Ctrl-C again stops at once")
            await self._leave(playing)
        finally:
            asking.cancel()
        if playing.done():
            playing.result()
        playing.cancel()

    async def _await_end(self) -> str:
        """Return why the bot may not play any more, as soon as that is known."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(STANDING_SECONDS):
                    await self._standing_told.wait()
            self._standing_told.clear()
            if reason := self._plays_no_more or await self._ask_why_not():
                return reason

    def _ask_why_not(self) -> asyncio.Future[str]:
        """Ask on a thread that does not keep the program from ending."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[str] = loop.create_future()

        def tell(reason: str) -> None:
            if not answered.done():
                answered.set_result(reason)

        def ask() -> None:
            reason = self._why_not()
            with suppress(RuntimeError):  # the loop is closed, the program ends
                loop.call_soon_threadsafe(tell, reason)

        Thread(target=ask, name="standing", daemon=True).start()
        return answered

    async def _leave(self, playing: asyncio.Future[None]) -> None:
        """Return when no table is open and none can start any more, or when `playing` has ended.

        A table may have started at the arbiter whose first update is still on its way: the bot asks for no
        further one, and the reply comes after all updates of those that it has.
        """
        self._leaving = True
        self._ask_to_leave()
        last_open = monotonic()
        while not playing.done():
            busy = self._decisions is not None and not self._decisions.idle
            if busy or self._open():
                last_open = monotonic()
            elif self._starting_tables is None or monotonic() - last_open > LEAVE_SECONDS:
                break
            await asyncio.wait((playing,), timeout=IDLE_SECONDS)

    def _ask_to_leave(self) -> None:
        if self._leaving and self._starting_tables is not None:
            self._starting_tables.messages.put_nowait(Message("FromBot", leave=Message("Leave")))

    async def play(self) -> None:
        """Play the tables that the arbiter brings, until cancelled.

        :raises NotAdmitted: the arbiter does not let the bot in.
        """
        self._decisions, backoff = DecisionThreads(self._tables), ReconnectBackoff()
        while True:
            ending = await self._stream(self._decisions)
            self._judge(ending)
            self._tell_ending(ending)
            await asyncio.sleep(backoff.after(ending))

    def _judge(self, ending: StreamEnd) -> None:
        """Give up after an end that would come again.

        :raises NotAdmitted: another try would not help.
        """
        if self._awaits_token(ending):
            return
        if ending.code in FATAL_STATUSES:
            raise NotAdmitted(f"{self._server.address}: {FATAL_STATUSES[ending.code]} ({ending})")
        if ending.code is not grpc.StatusCode.ALREADY_EXISTS:
            self._exists_since = None
        elif self._exists_since is None:
            self._exists_since = monotonic()
        elif monotonic() - self._exists_since > EXISTS_SECONDS:
            raise NotAdmitted(
                f"{self._server.address}: this bot is connected already, from elsewhere ({ending})"
            )

    def _awaits_token(self, ending: StreamEnd) -> bool:
        """Tell whether the server does not know the token because it is new."""
        return ending.code is grpc.StatusCode.UNAUTHENTICATED and monotonic() < self._unknown_until

    async def _stream(self, decisions: DecisionThreads) -> StreamEnd:
        """Play on one stream, from hello to its end."""
        began, welcomed = monotonic(), False
        outbox = Outbox()
        async with self._server.channel() as channel:
            call = play_call(channel, self._metadata)
            writing = asyncio.ensure_future(outbox.write_all(call))
            outbox.messages.put_nowait(
                hello(self._games, resume_token=self._resume_token, tables_at_once=self._tables_at_once)
            )
            try:
                async with asyncio.timeout(WELCOME_SECONDS):
                    frame = await call.read()
                if isinstance(frame, pb.ToBot):
                    welcomed = True
                    self._resume_token = frame.welcome.resume_token
                    self._unknown_until = 0.0
                    self._starting_tables = outbox if frame.welcome.takes_leave else None
                    self._ask_to_leave()
                    self._tell_connected()
                    await self._read(call, outbox, decisions)
            except TimeoutError:
                call.cancel()
                return StreamEnd(grpc.StatusCode.DEADLINE_EXCEEDED, "it does not answer", False, 0.0)
            except grpc.aio.AioRpcError:
                pass  # the call tells the same
            finally:
                outbox.closed = True
                self._starting_tables = None
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
            return StreamEnd(await call.code(), await call.details(), welcomed, monotonic() - began)

    async def _read(
        self,
        call: PlayCall,
        outbox: Outbox,
        decisions: DecisionThreads,
    ) -> None:
        """Read until the other side ends the stream.

        :raises StichkampfError: the thread of the bots has ended.
        """
        began = monotonic()
        while isinstance(frame := await call.read(), pb.ToBot):
            if frame.HasField("ping"):
                outbox.messages.put_nowait(Message("FromBot", pong=Message("Pong", number=frame.ping.number)))
                if monotonic() - began > TAKE_UP_SECONDS:
                    decisions.add(outbox, None)
            elif frame.HasField("updates"):
                decisions.add(outbox, frame.updates.tables)
            elif frame.HasField("standing"):
                self._plays_no_more = plain_line(frame.standing.plays_no_more, REASON_CHARACTERS)
                self._standing_told.set()
            elif frame.HasField("draining"):
                self._starting_tables = None
                if frame.draining.seconds:
                    self._say(
                        f"{self._server.address} is about to stop;"
                        f" open tables have {frame.draining.seconds:g} s"
                    )
            self._tell_finished()

    # Lines for the author -----------------------------------------------------------------------------------

    def _tell_connected(self) -> None:
        # Which games a version is for, only its page knows.
        games = "the games of its version" if set(GAMES) <= set(self._games) else ", ".join(self._games)
        out = "" if self._lost_at is None else f" again after {monotonic() - self._lost_at:.0f} s"
        self._say(f"connected{out} to {self._server.address}, for {games}")

    def _tell_ending(self, ending: StreamEnd) -> None:
        """Say that the connection is lost, and again whenever it stays lost for another reason."""
        if ending.welcomed:
            self._lost_at = monotonic()
            self._say(f"lost {self._server.address} ({ending}); {self.standing()}; trying again")
        elif ending.code is self._last_code:
            pass
        elif self._awaits_token(ending):
            self._say(f"{self._server.address} does not know the new token yet; trying again")
        else:
            self._say(f"cannot connect to {self._server.address} ({ending}); trying again")
        self._last_code = ending.code

    def _tell_finished(self) -> None:
        forfeited = sum(part.forfeited for part in self._tables)
        if forfeited > self._forfeits_told:
            count = forfeited - self._forfeits_told
            self._forfeits_told = forfeited
            self._say(
                f"{count} table{'s' * (count != 1)} lost: a substitute plays on there, so these matches are"
                " forfeited; a version that forfeits often is suspended"
            )
        ended, now = self._ended(), monotonic()
        if ended > self._told and now - self._told_at >= NEWS_SECONDS:
            self._told, self._told_at = ended, now
            self._say(self.standing())

    def standing(self) -> str:
        """Count the finished and the open tables, in words."""
        lost = f" ({self._forfeits_told} of them forfeited)" if self._forfeits_told else ""
        return f"tables: {self._ended()} finished{lost}, {self._open()} open"

    def _ended(self) -> int:
        return sum(part.ended for part in self._tables)

    def _open(self) -> int:
        return sum(map(len, self._tables))
