"""Validation again, when the rules or the wire have changed since a version passed."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from stichkampf.games import GAMES
from stichkampf.wire.agreed import WIRE_VERSION

from stichkampf_platform.bots.models import Submission, SuspendedFor, Version, because
from stichkampf_platform.bots.queries import connected
from stichkampf_platform.bots.services import enqueue_validation, suspend, write
from stichkampf_platform.core import clock
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone, RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people.sentences import Sentence, joined

WIRE = "wire"
PATIENCE = timedelta(days=1)
"""Time for which blocks wait for a remote version that must be validated again and stays away."""
AWAY = Sentence("The bot has not been connected since then, so it could not be validated again.")

logger = logging.getLogger(__name__)


def versions_now(games: Iterable[str]) -> dict[str, int]:
    """The version of the wire and of the rules of these games, as `Version.validated_against` keeps them."""
    return {WIRE: WIRE_VERSION, **{game: GAMES[game].rules_version for game in games}}


def changes(version: Version) -> list[str]:
    """Return in words the changes since a version passed; empty if there are none."""
    before = version.validated_against
    if before is None:
        return [Sentence("The rules under which it was validated are not known.")]
    return [
        _change(name, before.get(name, "?"), number)
        for name, number in versions_now(version.games).items()
        if before.get(name) != number
    ]


def _change(name: str, before: int | str, now: int) -> Sentence:
    if name == WIRE:
        return Sentence("The wire changed from version {before} to {now}.", before=before, now=now)
    return Sentence(
        "The rules of {game} changed from version {before} to {now}.",
        game=GAMES[name].title,
        before=before,
        now=now,
    )


def mark_stale() -> int:
    """Mark versions that passed under other rules or another wire; return how many.

    Until it has passed it stands in no draw and enters nothing, and blocks that it is seated in wait.
    """
    submitted = Version.objects.filter(state=Version.State.APPROVED, house="", submission__isnull=False)
    return each_by_itself("validation again", list(submitted.select_related("submission")), _mark_if_stale)


def _mark_if_stale(version: Version) -> bool:
    reasons = changes(version)
    return bool(reasons) and _mark(version, joined(*reasons))


def suspend_absent(arbiter: ArbiterClient) -> int:
    """Suspend remote versions that stay away from validation, so that blocks go on; return how many.

    Nobody is absent from an arbiter that is away itself.

    :param arbiter: to which they connect.
    """
    overdue = Version.objects.filter(
        state=Version.State.STALE, remote=True, stale_at__lt=clock.now() - PATIENCE
    )
    absent = list(overdue.exclude(access__in=connected()).select_related("bot__owner"))
    if not absent:
        return 0
    try:
        there = arbiter.remote_bots()
    except ArbiterGone as error:
        logger.warning("it is not known which bots are absent: %s", error)
        return 0
    absent = [version for version in absent if version.remote_name not in there]
    return each_by_itself("suspension of an absent bot", absent, _suspend_absent)


def _suspend_absent(version: Version) -> bool:
    try:
        suspend(version=version, reason=joined(version.why, AWAY), cause=SuspendedFor.AWAY)
    except RequestRefused:  # it has just come, and passed
        return False
    return True


@transaction.atomic
def _mark(version: Version, reason: str) -> bool:
    mine = Version.objects.filter(pk=version.pk, state=Version.State.APPROVED)
    if not mine.update(state=Version.State.STALE, **because(reason), stale_at=clock.now()):
        return False
    Submission.objects.filter(version=version).update(
        finished_at=None, lease_owner="", lease_until=None, trials=0, set_aside_at=None
    )
    write(version.submission, Sentence("It is validated again. {reason}", reason=reason))
    transaction.on_commit(lambda: enqueue_validation(version.submission))
    return True
