"""Validation: a submission plays matches of its games against house bots, and must not fault.

It happens once before a version may play, and again when the rules of its games or the wire have changed.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import F, QuerySet
from stichkampf.local_play.validation import Verdict
from stichkampf.packaging.archive import check_archive
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.bots.arbiter_sync import connect_command
from stichkampf_platform.bots.models import LogLine, Submission, SuspendedFor, Version, because
from stichkampf_platform.bots.predecessors import predecessor_of
from stichkampf_platform.bots.queries import free_submissions
from stichkampf_platform.bots.services import rank_first, suspend, write
from stichkampf_platform.bots.validation.matches import ValidationRun
from stichkampf_platform.bots.validation.revalidation import versions_now
from stichkampf_platform.bots.validation_notices import tell_verdict
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterBusy, ArbiterGone, MatchFailed
from stichkampf_platform.core.machines.draining import is_draining
from stichkampf_platform.core.machines.outages import ERRORS, once_back, outage
from stichkampf_platform.people.sentences import Sentence, joined, sentence_of

LEASE_SECONDS = 60
"""Longer than any one step of a trial may take, so that a trial that lives keeps its lease on any machine."""
MOST_TRIALS = 3
"""Runs that the platform may break off before a person has to look."""
WAIT_SECONDS = 30
WAITS_GROW = 10

logger = logging.getLogger(__name__)


def validate(*, submission_id: int, arbiter: ArbiterClient) -> bool:
    """Validate a submission, unless it has to wait; return false if it is finished or leased.

    While the installation is drained, none is taken up.
    """
    owner = uuid4().hex
    if is_draining() or not _take(submission_id, owner):
        return False
    submission = Submission.objects.select_related("version__bot__owner").get(pk=submission_id)
    try:
        waits = reason_to_wait(submission, arbiter)
        if waits:
            _wait(submission, owner, waits)
            return True
        if submission.trials >= MOST_TRIALS:  # the last ended without a word, with its worker
            _set_aside(submission, owner, Sentence("its worker has ended."))
            return True
        arbiter.upload_missing([submission.version])  # before a trial is counted: the store may be away
        predecessor = predecessor_of(submission.version)
        if not _begin(submission, owner):
            return False
        with _uncounted_if_away(submission, owner):
            verdict = ValidationRun(submission, arbiter, lambda: _renew(submission_id, owner)).run()
    except (ArbiterGone, MatchFailed) as error:
        if submission.trials >= MOST_TRIALS:
            _set_aside(submission, owner, sentence_of(error))
        else:
            why = Sentence(
                "The platform cannot validate the bot at the moment: {error}", error=sentence_of(error)
            )
            _wait(submission, owner, why)
        return True
    with _uncounted_if_away(submission, owner):
        _finish(submission, owner, verdict, predecessor)
    return True


def reason_to_wait(submission: Submission, arbiter: ArbiterClient) -> str:
    """Return the reason to wait: code must not run here, or the bot is not connected; empty for none.

    :raises ArbiterGone: the arbiter does not answer.
    """
    if submission.version.remote:
        there = submission.version.remote_name in arbiter.remote_bots()
        if there:
            return ""
        return Sentence("It is not connected: {command}, with its token.", command=connect_command())
    status = arbiter.status()
    if status.sandbox_level <= pb.SANDBOX_LEVEL_REFUSED:
        return Sentence(
            "This machine has no sandbox, so submitted code does not run: {reason}",
            reason=status.sandbox_reason,
        )
    if status.sandbox_level == pb.SANDBOX_LEVEL_DEVELOPMENT and submission.approved_by_id is None:
        return Sentence(
            "The sandbox here is for one's own bots, so staff approve each submission before it runs."
        )
    lacking = _lacking_parts(submission.version, status.missing_parts)
    if lacking:
        return Sentence(
            "This node lacks {parts}, which the archive asks for as a part of the runtime. The bot is"
            " validated as soon as an administrator has installed that.",
            parts=", ".join(lacking),
        )
    return ""


def _lacking_parts(version: Version, missing: Collection[str]) -> list[str]:
    """Return the parts of the runtime that an archive asks for and the arbiter's node lacks."""
    if not missing:
        return []
    with version.archive.open("rb") as archive:
        parts = check_archive(archive.read()).parts
    return [part for part in parts if part in missing]


def _take(submission_id: int, owner: str) -> bool:
    until = clock.now() + timedelta(seconds=LEASE_SECONDS)
    waiting = free_submissions().filter(pk=submission_id)
    return bool(waiting.update(lease_owner=owner, lease_until=until, attempts=F("attempts") + 1))


def _renew(submission_id: int, owner: str) -> bool:
    until = clock.now() + timedelta(seconds=LEASE_SECONDS)
    mine = Submission.objects.filter(pk=submission_id, lease_owner=owner, finished_at=None)
    return bool(mine.update(lease_until=until))


@transaction.atomic
def _begin(submission: Submission, owner: str) -> bool:
    """Count a run; return false if the owner has lost the lease."""
    _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(trials=F("trials") + 1):
        return False
    submission.refresh_from_db(fields=["trials", "attempts"])
    _first_time(submission).update(state=Version.State.VALIDATING, **because(""))
    return True


@contextmanager
def _uncounted_if_away(submission: Submission, owner: str) -> Iterator[None]:
    """Count no run that an outage of the platform ends.

    A lost arbiter is counted: no bot may end it, and this is what would tell of one that can.
    """
    try:
        yield
    except ERRORS as error:
        if outage(error) and (isinstance(error, ArbiterBusy) or not isinstance(error, ArbiterGone)):
            mine = Submission.objects.filter(
                pk=submission.pk, lease_owner=owner, finished_at=None, trials__gt=0
            )
            once_back(lambda: mine.update(trials=F("trials") - 1))
        raise


@transaction.atomic
def _set_aside(submission: Submission, owner: str, why: str) -> None:
    """Leave a submission to staff: the platform has broken off too many runs."""
    _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(lease_owner="", lease_until=None, set_aside_at=clock.now()):
        return
    reason = Sentence(
        "The platform broke off the validation {trials} times. The last reason: {why} This is not the bot's"
        " fault. Staff must look at it; when they approve it, it is validated again.",
        trials=MOST_TRIALS,
        why=why,
    )
    logger.error("%s is set aside: %s", submission, why)
    write(submission, reason, LogLine.Level.BAD)
    _first_time(submission).update(state=Version.State.SUBMITTED, **because(reason))


def _first_time(submission: Submission) -> QuerySet[Version]:
    """Return the version, unless it has passed before: then its state stays until the verdict."""
    return Version.objects.filter(pk=submission.version_id).exclude(state=Version.State.STALE)


def _locked(submission: Submission) -> Version:
    """Lock and return the version, before its submission, in the same order as rejection and suspension."""
    versions = Version.objects.select_for_update(of=["self"], no_key=True).select_related("bot__owner")
    return versions.get(pk=submission.version_id)


def _pause(submission: Submission) -> timedelta:
    """Return the pause before the next attempt; it grows, because every attempt writes into the log."""
    return timedelta(seconds=WAIT_SECONDS * min(submission.attempts, WAITS_GROW))


@transaction.atomic
def _wait(submission: Submission, owner: str, reason: str) -> None:
    """Try again later; the log says why, once."""
    _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(lease_owner="", lease_until=clock.now() + _pause(submission)):
        return
    told = Sentence("Waiting. {reason}", reason=reason)
    if submission.lines.order_by("-number").values_list("text", flat=True).first() != told:
        write(submission, told)
    _first_time(submission).update(state=Version.State.SUBMITTED, **because(reason))


@transaction.atomic
def _finish(submission: Submission, owner: str, verdict: Verdict, predecessor: Version | None = None) -> None:
    version = _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(finished_at=clock.now(), lease_owner="", lease_until=None, trials=0):
        return
    again = version.state == Version.State.STALE
    passed, wrong, left_out = verdict
    if wrong and again:
        suspend(
            version=version,
            reason=joined(
                version.why, Sentence("It fails under the new rules. {fault}", fault=_ended(wrong))
            ),
            cause=SuspendedFor.RULES,
        )
    elif wrong:
        Version.objects.filter(pk=version.pk).update(state=Version.State.REJECTED, **because(wrong))
        write(submission, Sentence("Rejected: {reason}", reason=_ended(wrong)), LogLine.Level.BAD)
        tell_verdict(version, passed=False, text=wrong)
    else:
        Version.objects.filter(pk=version.pk).update(
            state=Version.State.APPROVED,
            **because(left_out),
            games=passed,
            validated_against=versions_now(passed),
        )
        if not again:
            Version.objects.filter(pk=version.pk).update(predecessor=predecessor)
            rank_first(version)
        accepted = Sentence("Accepted: the bot may play {games}.", games=", ".join(passed))
        write(submission, accepted, LogLine.Level.GOOD)
        plays = Sentence("It plays {games}.", games=", ".join(passed))
        tell_verdict(version, passed=True, text=joined(plays, left_out))


def _ended(fault: str) -> str:
    """Return a fault as a sentence with its full stop."""
    return fault if fault.endswith(".") else joined(fault, ".", between="")
