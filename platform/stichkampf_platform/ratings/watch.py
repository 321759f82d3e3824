"""The watch for collusion and farming: newest ratings are searched for gifts, which organisers may read."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from stichkampf.games import game_class
from stichkampf.rating import gifts

from stichkampf_platform.ratings.evidence import rows_of
from stichkampf_platform.ratings.models import Gift, Ladder, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.tournaments.models import Tournament

PAUSE = timedelta(hours=1)
KEPT = 50
"""So many of the best proved are kept, found or not: what lies near the line may be worth a look."""


def search(*, snapshot: Snapshot) -> int:
    """Search the results of a snapshot, once, and keep what was found in place of older finds; how many.

    Far from a page's budget of time, so done when nobody waits.
    """
    ladder, tournament = snapshot.ladder, snapshot.tournament
    results = rows_of(snapshot.block_spans, ladder).results()
    measured = gifts(results, partners=game_class(ladder.game).partners)
    kept = [gift for gift in measured if gift.points > 0][:KEPT]
    with transaction.atomic():
        watched = Snapshot.objects.filter(pk=snapshot.pk, watched_at=None).update(watched_at=timezone.now())
        if not watched:
            return 0
        Gift.objects.filter(snapshot__ladder=ladder, snapshot__tournament=tournament).delete()
        Gift.objects.bulk_create(
            Gift(
                snapshot=snapshot,
                giver_id=gift.giver,
                taker_id=gift.taker,
                way=gift.way,
                blocks=gift.blocks,
                points=gift.points,
                low=gift.low,
                high=gift.high,
            )
            for gift in kept
        )
    return sum(gift.is_found for gift in kept)


def due_snapshots() -> list[Snapshot]:
    """Of each ladder the newest ratings, at most once an hour; of tournaments the final ones."""
    newest = [newest_snapshot(ladder) for ladder in Ladder.objects.all()]
    ladders = [snapshot for snapshot in newest if snapshot is not None and _is_due(snapshot)]
    final = Snapshot.objects.filter(final=True, published=True, watched_at=None).exclude(tournament=None)
    return ladders + list(final)


def _is_due(snapshot: Snapshot) -> bool:
    if snapshot.watched_at is not None:
        return False
    lately = Snapshot.objects.filter(
        ladder=snapshot.ladder, tournament=None, watched_at__gt=timezone.now() - PAUSE
    )
    return snapshot.final or not lately.exists()


def may_watch(person, tournament: Tournament) -> bool:  # type: ignore[no-untyped-def]
    """Whether a person may read what was found in a tournament: its organiser, and superusers."""
    own = tournament.created_by_id is not None and tournament.created_by_id == person.pk
    return person.is_superuser or (own and person.has_perm("ratings.view_gift"))
