"""The watch for collusion and farming: newest ratings are searched for gifts, which organisers may read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from stichkampf.games import game_class
from stichkampf.rating import CollusionEvidence, collusion_evidence

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import HOUSE
from stichkampf_platform.ratings.models import CollusionSignal, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot_ids
from stichkampf_platform.ratings.rating_rows import rows_of
from stichkampf_platform.tournaments.entry.membership import vouched_for
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.scheduling.suspicion import suspect_pairs

PAUSE = timedelta(hours=1)
KEPT = 50
"""As many of the best proved are kept, and as many that cannot be measured, besides all that are reported."""


def search(*, snapshot: Snapshot) -> int:
    """Search the results of a snapshot, once, and keep what was found in place of older finds; how many are
    reported.

    Pairs with a bot of the house are not asked about. What was reported once stays reported. It
    takes longer than a page may, so a worker does it.
    """
    measured = _gifts(snapshot)
    at = clock.now()
    with transaction.atomic():
        watched = Snapshot.objects.filter(pk=snapshot.pk, watched_at=None).update(watched_at=at)
        if not watched:
            return 0
        older = CollusionSignal.objects.filter(
            snapshot__ladder=snapshot.ladder, snapshot__tournament=snapshot.tournament
        )
        known = {
            (giver, taker, way): reported_at
            for giver, taker, way, reported_at in older.exclude(reported_at=None).values_list(
                "giver", "taker", "way", "reported_at"
            )
        }
        older.delete()
        made = [_row(snapshot, gift, known, at) for gift in measured]
        CollusionSignal.objects.bulk_create(_worth_keeping(made))
    return sum(gift.reported_at is not None for gift in made)


def _gifts(snapshot: Snapshot) -> tuple[CollusionEvidence, ...]:
    results = rows_of(snapshot.block_spans, snapshot.ladder).results()
    authors = Version.objects.filter(pk__in=results.entrants).exclude(bot__owner__username=HOUSE)
    return collusion_evidence(
        results,
        partners=game_class(snapshot.ladder.game).partners,
        suspects=suspect_pairs(results.entrants, vouched_for(snapshot.ladder.tournaments.all())),
        asked=set(authors.values_list("pk", flat=True)),
    )


def _row(
    snapshot: Snapshot, gift: CollusionEvidence, known: Mapping[tuple, datetime], at: datetime
) -> CollusionSignal:
    return CollusionSignal(
        snapshot=snapshot,
        giver_id=gift.giver,
        taker_id=gift.taker,
        way=gift.way,
        blocks=gift.together,
        apart=gift.apart,
        points=gift.points,
        low=gift.low,
        high=gift.high,
        style=gift.style,
        reported_at=known.get((gift.giver, gift.taker, gift.way), at if gift.is_reported else None),
    )


def _worth_keeping(made: list[CollusionSignal]) -> list[CollusionSignal]:
    reported = [gift for gift in made if gift.reported_at is not None]
    others = [gift for gift in made if gift.reported_at is None]
    near = [gift for gift in others if gift.points is not None and gift.points > 0]
    unknown = [gift for gift in others if gift.points is None]
    return [*reported, *near[:KEPT], *unknown[:KEPT]]


def due_snapshots() -> list[Snapshot]:
    """Return the snapshots to search: the newest of ladders, hourly, the final ones of tournaments."""
    newest = Snapshot.objects.filter(pk__in=newest_snapshot_ids(Ladder.objects.all()), watched_at=None)
    ladders = [snapshot for snapshot in newest if _is_due(snapshot)]
    final = Snapshot.objects.filter(final=True, published=True, watched_at=None).exclude(tournament=None)
    return ladders + list(final)


def _is_due(snapshot: Snapshot) -> bool:
    lately = Snapshot.objects.filter(
        ladder=snapshot.ladder, tournament=None, watched_at__gt=clock.now() - PAUSE
    )
    return snapshot.final or not lately.exists()


def may_watch(person, tournament: Tournament) -> bool:  # type: ignore[no-untyped-def]
    """Tell whether a person may read the findings about a tournament: its organisers, and superusers."""
    may = person.has_perm("ratings.view_collusionsignal")
    return person.is_superuser or (may and tournament.is_organised_by(person))
