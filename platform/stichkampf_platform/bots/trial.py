"""The trial of a version: one match in each of its games against house bots, told line by line."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from statistics import median
from time import monotonic
from typing import Any

from django.conf import settings
from stichkampf.errors import RecordError
from stichkampf.games import GAMES, new_game
from stichkampf.limits import START_SECONDS
from stichkampf.match import Match
from stichkampf.verify import verify
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.arbiter import OVER, Arbiter, Clock
from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.bots.services import write
from stichkampf_platform.errors import MatchFailed

CLOCK = Clock(move_seconds=2.0, bank_seconds=10.0, cap_seconds=5.0)
STDERR_LINES = 20
OPPONENTS = ("thumb", "random", "timid", "bold", "glimpse")
SEAT = 0
"""Where the version on trial sits."""


class Trial:
    """The matches of one validation.

    :param keep: called every few seconds; false ends the trial, because it is nobody's business any more.
    """

    def __init__(self, submission: Submission, arbiter: Arbiter, keep: Callable[[], bool]) -> None:
        self.submission = submission
        self.version = submission.version
        self.arbiter = arbiter
        self.keep = keep

    def run(self) -> tuple[list[str], str]:
        """The games in which it played without a fault; what is wrong, empty for nothing.

        :raises ArbiterGone: try again later.
        :raises MatchFailed: the platform could not hold the trial; nobody's fault.
        """
        self._announce()
        self.arbiter.upload_missing([self.version])
        declared = list(self.version.games)
        passed = []
        wrong = ""
        for game in declared or GAMES:
            fault = self._play(game)
            if not fault:
                passed.append(game)
            elif declared:
                return passed, f"{game}: {fault}"
            else:
                wrong = wrong or f"{game}: {fault}"
        return passed, "" if passed else wrong

    def _announce(self) -> None:
        games = ", ".join(self.version.games) or "every game, because it names none"
        clock = f"{CLOCK.move_seconds:g} s a decision, a reserve of {CLOCK.bank_seconds:g} s"
        self._say(f"Trial {self.submission.attempts}: {games}; {clock}, and no fault is forgiven.")

    def _play(self, name: str) -> str:
        """Play one match; what went wrong in it, empty for nothing."""
        players = GAMES[name].players
        seats = 4 if 4 in players else players[0]
        key = f"validation-{self.submission.pk}-{self.submission.attempts}-{name}"
        start = "" if self.version.remote else f" It is started and has {START_SECONDS} s until its hello."
        self._say(f"{name}: a match of one deal with {seats} seats against house bots.{start}")
        begun = monotonic()
        self.arbiter.start(
            key=key,
            game=name,
            options=short_options(name, seats),
            versions=[self.version, *_house(seats - 1)],
            seed=secrets.token_bytes(32),
            lane=key,
            clock=CLOCK,
            fault_allowance=0,
        )
        match = self._watched(name, key, begun)
        if match.state != pb.MATCH_STATE_FINISHED:
            raise MatchFailed(match.reason or "the match was cancelled at the arbiter")
        report = self.arbiter.fetch_record(key)
        self.arbiter.acknowledge(key)
        return self._judge(name, _checked(report.record_json), report)

    def _watched(self, name: str, key: str, begun: float) -> pb.MatchStatus:
        started = False
        while True:
            for match in self.arbiter.watch([key], seconds=settings.LEASE_SECONDS / 3):
                if not started and match.state != pb.MATCH_STATE_WAITING:
                    started = True
                    self._tell_start(name, key, monotonic() - begun)
                if match.state in OVER:
                    return match
            if not self.keep():
                self.arbiter.cancel(key)
                raise MatchFailed("the submission was taken back or rejected meanwhile")

    def _tell_start(self, name: str, lane: str, seconds: float) -> None:
        agent = self.arbiter.agent_of(self.version, lane)
        how = "connected" if self.version.remote else f"started in {seconds:.1f} s"
        if agent:
            self._say(f"{name}: {how}. Hello from {agent}.")

    def _judge(self, name: str, record: dict[str, Any], report: pb.FetchRecordResponse) -> str:
        fault = next((fault for fault in record["faults"] if fault["seat"] == SEAT), None)
        if fault is None:
            self._say(f"{name}: played to its end without a fault, {_told(record)}.", LogLine.Level.GOOD)
            return ""
        what = f"{fault['kind']} at deal {fault['deal'] + 1}, move {fault['move'] + 1}"
        self._say(f"{name}: {what}.", LogLine.Level.BAD)
        question = ", ".join(legal_at(record, fault["deal"], fault["move"]))
        self._say(f"{name}: the last question was to choose from: {question}.", LogLine.Level.BAD)
        for entry in report.reports:
            if entry.seat == SEAT:
                self._tell_report(entry)
        return what

    def _tell_report(self, entry: pb.SeatReport) -> None:
        if entry.exit_kind:
            self._say(f"The process has ended: {entry.exit_kind} ({entry.exit_code}).", LogLine.Level.BAD)
        for complaint in entry.complaints:
            self._say(complaint, LogLine.Level.BAD)
        for line in entry.stderr.splitlines()[-STDERR_LINES:]:
            self._say(f"stderr: {line}", LogLine.Level.BAD)

    def _say(self, text: str, level: str = LogLine.Level.INFO) -> None:
        write(self.submission, text.replace("\0", "\N{REPLACEMENT CHARACTER}"), level)


def short_options(game: str, seats: int) -> dict:
    """The options for the shortest match that the game has."""
    has_length = any(option.name == "length" for option in GAMES[game].specification)
    return new_game(game, seats, {"length": "deals:1"} if has_length else {}).options


def legal_at(record: dict[str, Any], deal: int, move: int) -> list[str]:
    """From what a move of a record was chosen; deal and move count from 0."""
    match = Match.from_record(record)
    for number, played in enumerate(record["deals"]):
        for place, (seat, word) in enumerate(played["moves"]):
            if (number, place) == (deal, move):
                return match.legal(seat)
            if seat < match.game.seats:  # the rules play the other seats themselves
                match.play(seat, word)
    raise ValueError(f"the record has no move {move} in a deal {deal}")


def _checked(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
        verify(record)
    except (ValueError, RecordError) as error:
        raise MatchFailed(f"The arbiter's record does not stand: {error}") from error
    return record


def _told(record: dict[str, Any]) -> str:
    seconds = [
        cost
        for deal, costs in zip(record["deals"], record.get("costs", []), strict=False)
        for (seat, _), cost in zip(deal["moves"], costs, strict=True)
        if seat == SEAT and cost is not None
    ]
    place = f"rank {record['ranks'][SEAT]} of {len(record['ranks'])} with {record['scores'][SEAT]} points"
    if not seconds:
        return place
    longest = f"median {1000 * median(seconds):.1f} ms, longest {max(seconds):.2f} s"
    return f"{place}; {len(seconds)} decisions, {longest}"


def _house(count: int) -> list[Version]:
    names = OPPONENTS[:count]
    by_name = {
        version.house: version
        for version in Version.objects.filter(house__in=names, state=Version.State.APPROVED).select_related(
            "bot__owner"
        )
    }
    missing = [name for name in names if name not in by_name]
    if missing:
        raise MatchFailed(f"the house bots {', '.join(missing)} are missing; seed_house makes them")
    return [by_name[name] for name in names]
