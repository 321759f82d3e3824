"""Validation: a submission plays one match in each of its games against house bots, and must not fault.

It happens once before a version may play, and again when the rules of its games or the wire have changed.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from stichkampf.wire.v1 import arbiter_pb2 as pb

from stichkampf_platform.arbiter import Arbiter
from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.bots.presence import connect_command
from stichkampf_platform.bots.queries import free_submissions
from stichkampf_platform.bots.services import rank, suspend, write
from stichkampf_platform.bots.staleness import versions_now
from stichkampf_platform.bots.trial import Trial
from stichkampf_platform.errors import ArbiterGone, MatchFailed

WAIT_SECONDS = 30
WAITS_GROW = 10


def validate(*, submission_id: int, arbiter: Arbiter) -> bool:
    """Validate a submission, unless it has to wait; false where it is done or not free now."""
    owner = uuid4().hex
    if not _take(submission_id, owner):
        return False
    submission = Submission.objects.select_related("version__bot__owner").get(pk=submission_id)
    try:
        waits = reason_to_wait(submission, arbiter)
        if waits:
            _wait(submission, owner, waits)
            return True
        _first_time(submission).update(state=Version.State.VALIDATING, reason="")
        passed, wrong = Trial(submission, arbiter, lambda: _renew(submission_id, owner)).run()
    except (ArbiterGone, MatchFailed) as error:
        _wait(submission, owner, f"The platform cannot validate it at the moment: {error}")
        return True
    _finish(submission, owner, passed, wrong)
    return True


def reason_to_wait(submission: Submission, arbiter: Arbiter) -> str:
    """Why it cannot be validated now: its code must not run, or it is not connected; empty where it can.

    :raises ArbiterGone: nobody can say.
    """
    if submission.version.remote:
        there = submission.version.remote_name in arbiter.remote_bots()
        return "" if there else f"It is not connected: {connect_command()}, with its token."
    status = arbiter.status()
    if status.sandbox_level <= pb.SANDBOX_LEVEL_REFUSED:
        return f"This machine has no sandbox, so submitted code does not run: {status.sandbox_reason}"
    if status.sandbox_level == pb.SANDBOX_LEVEL_DEVELOPMENT and submission.approved_by_id is None:
        return "The sandbox here is for one's own bots, so staff approve each submission before it runs."
    return ""


def _take(submission_id: int, owner: str) -> bool:
    until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    waiting = free_submissions().filter(pk=submission_id)
    return bool(waiting.update(lease_owner=owner, lease_until=until, attempts=F("attempts") + 1))


def _renew(submission_id: int, owner: str) -> bool:
    until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    mine = Submission.objects.filter(pk=submission_id, lease_owner=owner, finished_at=None)
    return bool(mine.update(lease_until=until))


def _first_time(submission: Submission) -> QuerySet[Version]:
    """The version, unless it has passed before: then it stays where it is until the verdict."""
    return Version.objects.filter(pk=submission.version_id).exclude(state=Version.State.STALE)


def _locked(submission: Submission) -> Version:
    """The version, locked before its submission: in this order those lock them who reject or suspend it."""
    versions = Version.objects.select_for_update(of=["self"]).select_related("bot__owner")
    return versions.get(pk=submission.version_id)


def _pause(submission: Submission) -> timedelta:
    """Longer from time to time: every attempt writes into the log."""
    return timedelta(seconds=WAIT_SECONDS * min(submission.attempts, WAITS_GROW))


@transaction.atomic
def _wait(submission: Submission, owner: str, reason: str) -> None:
    """Try again later; the log says why, once."""
    _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(lease_owner="", lease_until=timezone.now() + _pause(submission)):
        return
    told = f"It waits. {reason}"
    if submission.lines.order_by("-number").values_list("text", flat=True).first() != told:
        write(submission, told)
    _first_time(submission).update(state=Version.State.SUBMITTED, reason=reason)


@transaction.atomic
def _finish(submission: Submission, owner: str, passed: list[str], wrong: str) -> None:
    version = _locked(submission)
    mine = Submission.objects.filter(pk=submission.pk, lease_owner=owner, finished_at=None)
    if not mine.update(finished_at=timezone.now(), lease_owner="", lease_until=None):
        return
    again = version.state == Version.State.STALE
    if wrong and again:
        suspend(version=version, reason=f"{version.reason} It fails now. {wrong}.")
    elif wrong:
        Version.objects.filter(pk=version.pk).update(state=Version.State.REJECTED, reason=wrong)
        write(submission, f"Rejected: {wrong}.", LogLine.Level.BAD)
    else:
        Version.objects.filter(pk=version.pk).update(
            state=Version.State.APPROVED, reason="", games=passed, validated_against=versions_now(passed)
        )
        if not again:
            rank(version)
        write(submission, f"Accepted: it may play {', '.join(passed)}.", LogLine.Level.GOOD)
