"""Validation: a submission plays one match in each of its games against house bots, and must not fault."""

from __future__ import annotations

import secrets
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from stichkampf.games import GAMES, new_game
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.arbiter import OVER, Arbiter, Clock
from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.bots.services import rank, write
from stichkampf_platform.errors import ArbiterGone, MatchFailed

CLOCK = Clock(move_seconds=2.0, bank_seconds=10.0, cap_seconds=5.0)
WAIT_SECONDS = 30
STDERR_LINES = 20
OPPONENTS = ("thumb", "random", "timid", "bold", "glimpse")


def validate(*, submission_id: int, arbiter: Arbiter) -> None:
    """Validate a submission, unless it is done, in another worker's hands, or has to wait."""
    owner = uuid4().hex
    if not _take(submission_id, owner):
        return
    submission = Submission.objects.select_related("version__bot__owner").get(pk=submission_id)
    try:
        waits = reason_to_wait(submission, arbiter)
        if waits:
            _wait(submission, owner, waits)
            return
        Version.objects.filter(pk=submission.version_id).update(state=Version.State.VALIDATING, reason="")
        passed, wrong = _Trial(submission, arbiter, owner).run()
    except (ArbiterGone, MatchFailed) as error:
        _wait(submission, owner, f"The platform cannot validate it at the moment: {error}")
        return
    _finish(submission, owner, passed, wrong)


def reason_to_wait(submission: Submission, arbiter: Arbiter) -> str:
    """Why this code must not run now; empty where it may.

    :raises ArbiterGone: nobody can say.
    """
    status = arbiter.status()
    if status.sandbox_level <= pb.SANDBOX_LEVEL_REFUSED:
        return f"This machine has no sandbox, so submitted code does not run: {status.sandbox_reason}"
    if status.sandbox_level == pb.SANDBOX_LEVEL_DEVELOPMENT and submission.approved_by_id is None:
        return "The sandbox here is for one's own bots, so staff approve each submission before it runs."
    return ""


class _Trial:
    """The matches of one validation."""

    def __init__(self, submission: Submission, arbiter: Arbiter, owner: str) -> None:
        self.submission = submission
        self.version = submission.version
        self.arbiter = arbiter
        self.owner = owner

    def run(self) -> tuple[list[str], str]:
        """The games in which it played without a fault; what is wrong, empty for nothing."""
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

    def _play(self, name: str) -> str:
        """Play one match; what went wrong in it, empty for nothing."""
        players = GAMES[name].players
        seats = 4 if 4 in players else players[0]
        key = f"validation-{self.submission.pk}-{self.submission.attempts}-{name}"
        self._say(f"{name}: a match of one deal with {seats} seats against house bots.")
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
        match = self._watched(key)
        if match.state != pb.MATCH_STATE_FINISHED:
            raise MatchFailed(match.reason or "the match was cancelled at the arbiter")
        report = self.arbiter.fetch_record(key)
        self.arbiter.acknowledge(key)
        return self._judge(name, match, report)

    def _watched(self, key: str) -> pb.MatchStatus:
        while True:
            for match in self.arbiter.watch([key], seconds=settings.LEASE_SECONDS / 3):
                if match.state in OVER:
                    return match
            if not _renew(self.submission.pk, self.owner):
                self.arbiter.cancel(key)
                raise MatchFailed("the submission was taken back or rejected meanwhile")

    def _judge(self, name: str, match: pb.MatchStatus, report: pb.FetchRecordResponse) -> str:
        faults = [fault for fault in match.faults if fault.seat == 0]
        if not faults:
            self._say(f"{name}: played to its end without a fault.", LogLine.Level.GOOD)
            return ""
        fault = faults[0]
        what = f"{fault.kind} at deal {fault.deal}, move {fault.move}"
        self._say(f"{name}: {what}.", LogLine.Level.BAD)
        for entry in report.reports:
            if entry.seat == 0:
                self._tell_report(entry)
        return what

    def _tell_report(self, entry: pb.SeatReport) -> None:
        if entry.exit_kind:
            self._say(f"The process {entry.exit_kind} ({entry.exit_code}).", LogLine.Level.BAD)
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


def _take(submission_id: int, owner: str) -> bool:
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    waiting = Submission.objects.filter(free, pk=submission_id, finished_at=None)
    until = now + timedelta(seconds=settings.LEASE_SECONDS)
    return bool(waiting.update(lease_owner=owner, lease_until=until, attempts=F("attempts") + 1))


def _renew(submission_id: int, owner: str) -> bool:
    until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    mine = Submission.objects.filter(pk=submission_id, lease_owner=owner, finished_at=None)
    return bool(mine.update(lease_until=until))


@transaction.atomic
def _wait(submission: Submission, owner: str, reason: str) -> None:
    """Try again later; the log says why, once."""
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(lease_owner="", lease_until=timezone.now() + timedelta(seconds=WAIT_SECONDS)):
        return
    version = Version.objects.get(pk=submission.version_id)
    if version.reason != reason:
        write(submission, f"It waits. {reason}")
    Version.objects.filter(pk=version.pk).update(state=Version.State.SUBMITTED, reason=reason)


@transaction.atomic
def _finish(submission: Submission, owner: str, passed: list[str], wrong: str) -> None:
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(finished_at=timezone.now(), lease_owner="", lease_until=None):
        return
    state = Version.State.REJECTED if wrong else Version.State.APPROVED
    games = submission.version.games if wrong else passed
    Version.objects.filter(pk=submission.version_id).update(state=state, games=games, reason=wrong)
    if wrong:
        write(submission, f"Rejected: {wrong}.", LogLine.Level.BAD)
    else:
        rank(submission.version)
        write(submission, f"Accepted: it may play {', '.join(passed)}.", LogLine.Level.GOOD)
