"""The matches of a validation, at the arbiter, logged line by line."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic, sleep

from django.conf import settings
from stichkampf.bots.registry import house_bot
from stichkampf.bots.substitute import SUBSTITUTE
from stichkampf.limits import START_SECONDS
from stichkampf.local_play.validation import (
    OPPONENTS,
    PRINTED_CHARACTERS,
    Level,
    Trial,
    TrialResult,
    Validation,
    Verdict,
)
from stichkampf.plain_text import plain_lines
from stichkampf.time_control import LADDER_CLOCK
from stichkampf.wire.agreed import MATCH_OVER
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.bots.services import write
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.core.arbiter_client import ArbiterClient, verified_record
from stichkampf_platform.core.errors import ArbiterBusy, MatchFailed
from stichkampf_platform.people.sentences import Sentence, joined

ROOM_SECONDS = 600
"""Time that a run waits for a table at the arbiter."""
ROOM_PAUSE_SECONDS = 1.0
LOOK_SECONDS = 1.0
"""The shortest and, until a match has started, the longest time to wait for its next news."""


class ValidationRun(Validation):
    """The matches of one validation.

    :param still_leased: called before every step and every few seconds; false ends the run, because the
        submission was taken back or another worker has it.
    """

    def __init__(
        self, submission: Submission, arbiter: ArbiterClient, still_leased: Callable[[], bool]
    ) -> None:
        super().__init__(submission.version.games)
        self.submission = submission
        self.version = submission.version
        self.arbiter = arbiter
        self.still_leased = still_leased

    def run(self) -> Verdict:
        """Validate.

        :raises ArbiterGone: try again later.
        :raises MatchFailed: the platform could not play the match, through no fault of the bot.
        """
        self.announce(self.submission.trials)
        match_records.forget(self.submission)
        self._go_on()
        self.arbiter.upload_missing([self.version])
        return self.try_games()

    def play(self, trial: Trial) -> TrialResult | float:
        """Play one match; keep the record of the first of a game, and of one with a fault."""
        game = trial.game.name
        lane = f"validation-{self.submission.pk}-{self.submission.attempts}-{game}"
        key = f"{lane}-{trial.number}"
        if trial.number == 1:
            begins = Sentence(
                "{game}: matches of the ladder, first with {seats} seats, against house bots.",
                game=game,
                seats=trial.seats,
            )
            start = Sentence("The bot is started and must connect within {seconds} s.", seconds=START_SECONDS)
            self.say(begins if self.version.remote else joined(begins, start))
        begun = monotonic()
        self._start(trial, key, lane)
        match, since = self._watched(trial, key, lane, begun)
        if match.state == pb.MATCH_STATE_RUNNING:
            self.arbiter.cancel(key)
            return monotonic() - since
        if match.state != pb.MATCH_STATE_FINISHED:
            raise MatchFailed(match.reason or "the match was cancelled at the arbiter")
        self._go_on()
        report = self.arbiter.fetch_record(key)
        self.arbiter.acknowledge(key)
        entry = next((one for one in report.reports if one.seat == trial.seat), pb.SeatReport())
        printed = plain_lines(entry.stderr[-PRINTED_CHARACTERS:])
        record = verified_record(report)
        self._go_on()
        if trial.number == 1 or any(fault["seat"] == trial.seat for fault in record["faults"]):
            match_records.store(
                submission=self.submission,
                game=game,
                number=trial.number,
                record_json=report.record_json,
                printed="\n".join(printed),
            )
        return TrialResult(record, entry, printed, monotonic() - since)

    def _start(self, trial: Trial, key: str, lane: str) -> None:
        """Start a match as soon as there is room for it."""
        until = monotonic() + ROOM_SECONDS
        while True:
            self._go_on()
            try:
                self.arbiter.start(
                    key=key,
                    game=trial.game.name,
                    options=trial.game.options,
                    versions=trial.seated(self.version, _house(trial.seats - 1)),
                    seed=trial.seed,
                    lane=lane,
                    time_control=LADDER_CLOCK,
                    fault_allowance=0,
                    substitute_version=house_bot(SUBSTITUTE).version,
                )
                return
            except ArbiterBusy:
                if monotonic() > until:
                    raise
                sleep(ROOM_PAUSE_SECONDS)

    def _watched(self, trial: Trial, key: str, lane: str, begun: float) -> tuple[pb.MatchStatus, float]:
        """Return the status of a match that is over, or has run as long as it may, and when it started."""
        started, since, until = False, begun, math.inf
        while True:
            left = until - monotonic()
            pause = max(min(settings.LEASE_SECONDS / 3, left), LOOK_SECONDS) if started else LOOK_SECONDS
            for match in self.arbiter.watch([key], seconds=pause):
                if not started and match.state != pb.MATCH_STATE_WAITING:
                    started, since = True, monotonic()
                    if trial.number == 1:
                        self._tell_start(trial.game.name, lane, since - begun)
                    until = since + self.seconds_left
                if match.state in MATCH_OVER:
                    return match, since
            if monotonic() > until:
                return match, since
            self._go_on(key)

    def _go_on(self, key: str = "") -> None:
        """Go on only while this worker still has the submission.

        :param key: of a match that is being played, to be cancelled if this goes on no more.
        :raises MatchFailed: another worker has it now, or it was taken back.
        """
        if self.still_leased():
            return
        if key:
            self.arbiter.cancel(key)
        raise MatchFailed("the submission was withdrawn or rejected in the meantime")

    def _tell_start(self, name: str, lane: str, seconds: float) -> None:
        bot = self.arbiter.connected(self.version, lane)
        if bot is None:
            return
        started = Sentence("started in {seconds:.1f} s", seconds=seconds)
        how = Sentence("connected") if self.version.remote else started
        self.say(Sentence("{game}: {how}. Hello from {agent}.", game=name, how=how, agent=bot.agent))
        self.leave_out_others(bot.games)

    def say(self, text: str, level: Level = "info") -> None:
        write(self.submission, text, level)


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
