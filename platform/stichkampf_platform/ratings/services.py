from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from functools import reduce
from math import isnan
from operator import or_

import numpy as np
from django.db.models import Max, Q, QuerySet
from stichkampf.bots.registry import PANEL
from stichkampf.games import game_class
from stichkampf.rating import RatingTable, Results, compare, cyclic_share, pair_residuals, rate

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.core.plain_rows import insert_rows, portions
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.rank_order import by_lower_end, shared
from stichkampf_platform.ratings.models import Pairing, Rating, Snapshot
from stichkampf_platform.ratings.queries import is_playing
from stichkampf_platform.ratings.ranked_versions import (
    holders_in,
    predecessors,
    promote_versions,
    ranked_by_bot,
)
from stichkampf_platform.ratings.rating_rows import SeatColumns, counted_spans, rows_of
from stichkampf_platform.tournaments.models import Tournament

ROWS_AT_ONCE = 2000
"""Rows that are written or deleted in one transaction."""
PAIRING_COLUMNS = (
    "snapshot_id", "first_id", "second_id", "half_points", "forfeited_half_points", "comparisons",
    "superiority", "blocks", "z",
)  # fmt: skip
REPEATED_TO = 1e-6
"""Elo points by which a repetition may differ; other processors and libraries differ by 1e-12."""
HALF_WRITTEN_KEPT = timedelta(days=1)
KEPT_WHOLE = timedelta(days=30)
"""Age up to which every snapshot is kept; of older ones, one a day."""


def publish(*, ladder: Ladder, tournament: Tournament | None = None) -> Snapshot | None:
    """Rate all that counts now, from scratch, and publish it. Where nothing is left to compare, show none.

    Rows are written in portions, so that results can be stored in between, even in a database that admits one
    writer at a time. The snapshot is shown once it is complete.
    """
    final = not is_playing(ladder, tournament)  # before reading
    counted = counted_spans(ladder, tournament)
    rows = rows_of(counted, ladder)
    results = rows.results()
    anchors = panel_of(results)
    table = rated(ladder, results, anchors)
    if table is None:
        ladder.snapshots.filter(tournament=tournament, published=True).update(published=False)
        return None
    ratings = _ratings(table, rows, anchors, ladder if tournament is None else None)
    snapshot = Snapshot.objects.create(
        ladder=ladder,
        tournament=tournament,
        published=False,
        final=final,
        block_spans=counted,
        blocks=len(np.unique(rows.block)),
        tables=len(np.unique(rows.table)),
        comparisons=int(table.comparisons.count.sum()),
        anchors=anchors,
        cyclic_share=cyclic_share(table),
        digest=_digest(ratings),
    )
    for rating in ratings:
        rating.snapshot = snapshot
    for portion in portions(ratings, ROWS_AT_ONCE):
        Rating.objects.bulk_create(portion)
    for pairings in portions(_pairings(snapshot, table), ROWS_AT_ONCE):
        insert_rows(Pairing, PAIRING_COLUMNS, pairings)
    snapshot.published = True
    snapshot.save(update_fields=["published"])
    if tournament is None and not ladder.private:
        promote_versions(holders_in(snapshot))
    # pairs are many and only ever shown of now: a recomputation gives those of an older day
    _delete(Pairing.objects.filter(
        snapshot__ladder=ladder, snapshot__tournament=tournament, snapshot__lt=snapshot.pk
    ))  # fmt: skip
    return snapshot


def _delete(rows: QuerySet) -> None:
    """Delete rows in portions, each in a transaction of its own."""
    while portion := list(rows.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        rows.model.objects.filter(pk__in=portion).delete()


def is_repeated(snapshot: Snapshot) -> bool:
    """Tell whether a snapshot is as it was published, and its blocks give the same ratings again.

    Its own rows have to be the same to the bit. Of the repetition the counts have to be equal, and Elo and
    its margin to `REPEATED_TO`: the library of linear algebra has a code for each kind of processor, whose
    sums differ in their last bits. Whatever has changed since, the snapshot says what was counted that day,
    and by which panel.
    """
    published = sorted(snapshot.ratings.all(), key=lambda line: line.version_id)
    if _digest(published) != snapshot.digest:
        return False
    rows = rows_of(snapshot.block_spans, snapshot.ladder)
    table = rated(snapshot.ladder, rows.results(), snapshot.anchors)
    ladder = snapshot.ladder if snapshot.tournament_id is None else None
    again = [] if table is None else _ratings(table, rows, snapshot.anchors, ladder)
    again.sort(key=lambda line: line.version_id)
    return len(again) == len(published) and all(map(_is_same, published, again))


def _is_same(published: Rating, again: Rating) -> bool:
    counts = ("version_id", "blocks", "comparisons")
    margins = [line.plus_minus for line in (published, again)]
    return (
        all(getattr(published, name) == getattr(again, name) for name in counts)
        and abs(published.elo - again.elo) <= REPEATED_TO
        and (
            margins[0] == margins[1] or (None not in margins and abs(margins[0] - margins[1]) <= REPEATED_TO)
        )
    )


def thin_snapshots() -> int:
    """Keep one snapshot a day once older than `KEPT_WHOLE`; return how many were deleted.

    While much is played there may be hundreds a day, too many to keep for ever.
    Those that a worker left half-written go after a day.
    """
    Snapshot.objects.filter(published=False, at__lt=clock.now() - HALF_WRITTEN_KEPT).delete()
    old = Snapshot.objects.filter(at__lt=clock.now() - KEPT_WHOLE)
    last = old.order_by().values("ladder", "tournament", "at__date").annotate(last=Max("pk"))
    going = list(old.exclude(pk__in=list(last.values_list("last", flat=True))).values_list("pk", flat=True))
    # each in a transaction of its own, so that no other waits long for the database
    return each_by_itself("old snapshots", going, lambda pk: bool(Snapshot.objects.filter(pk=pk).delete()[0]))


def rated(ladder: Ladder, results: Results, anchors: list[int]) -> RatingTable | None:
    """The ratings that results of a ladder give; `None` where no two versions held the same hand.

    :param anchors: versions whose mean is 1500; empty for the mean of all.
    """
    comparisons = compare(results, partners=game_class(ladder.game).partners)
    if not len(comparisons):
        return None
    return rate(comparisons, anchors=anchors or None)


def panel_of(results: Results) -> list[int]:
    """The versions of the panel of anchors if it is whole in these results, else none.

    A part of a panel would be another zero point.
    """
    wanted = reduce(or_, (Q(house=name, number=version) for name, version in PANEL))
    anchors = list(Version.objects.filter(wanted).order_by("pk").values_list("pk", flat=True))
    return anchors if len(anchors) == len(PANEL) and set(results.entrants).issuperset(anchors) else []


def _ratings(
    table: RatingTable, rows: SeatColumns, anchors: list[int], ladder: Ladder | None = None
) -> list[Rating]:
    """Return the ratings of a table; on a ladder only versions that hold a place are ranked, else all.

    On a ladder they stand by the lower ends of their intervals, and those of nearly one code share evidence.
    """
    elos = {line.entrant: line.elo for line in table}
    ranked = _ranked_versions(table, ladder)
    places = {line.entrant: line for line in table.among(ranked)}
    if ladder is not None:
        elos = shared(elos, {line.entrant: line.blocks for line in table}, predecessors(elos.keys()))
        places = by_lower_end(places, elos)
    order = np.argsort(rows.version, kind="stable")
    versions, starts = np.unique(rows.version[order], return_index=True)
    own = dict(zip(versions.tolist(), np.split(order, starts[1:]), strict=True))
    ratings = []
    for line in table:
        place = places.get(line.entrant)
        rating = Rating(
            version_id=line.entrant,
            elo=elos[line.entrant],
            plus_minus=line.plus_minus,
            blocks=line.blocks,
            comparisons=line.comparisons,
            rank=place.rank if place else None,
            rank_best=place.rank_best if place else None,
            rank_worst=place.rank_worst if place else None,
            provisional=line.provisional,
            anchor=line.entrant in anchors,
        )
        rating.count(rows.taken(own[line.entrant]))
        ratings.append(rating)
    return ratings


def _ranked_versions(table: RatingTable, ladder: Ladder | None) -> list[int]:
    """Return the versions that get a rank: not provisional, and on a ladder one of each bot."""
    settled = [line.entrant for line in table if not line.provisional]
    if ladder is None:
        return settled
    holders = ranked_by_bot({line.entrant: line.blocks for line in table}, ladder.game)
    places = set(holders.values())
    return [version for version in settled if version in places]


def _pairings(snapshot: Snapshot, table: RatingTable) -> Iterator[tuple[int | float | None, ...]]:
    """Yield `PAIRING_COLUMNS` for every two versions that were compared, the better one first."""
    kept = table.comparisons.kept_matrix
    index = {version: at for at, version in enumerate(table.comparisons.entrants)}
    ranks = {line.entrant: at for at, line in enumerate(table)}
    for pair in pair_residuals(table):
        first, second, z = pair.first, pair.second, pair.z
        if ranks[first] > ranks[second]:
            first, second, z = second, first, None if z is None else -z
        half_points = int(kept[index[first], index[second]])
        forfeited = 2 * pair.comparisons - half_points - int(kept[index[second], index[first]])
        superiority = float(table.superiority[ranks[first], ranks[second]])
        likelihood = None if isnan(superiority) else superiority
        yield (
            snapshot.pk, int(first), int(second), half_points, forfeited, pair.comparisons, likelihood,
            pair.blocks, z,
        )  # fmt: skip


def _digest(ratings: list[Rating]) -> str:
    columns = sorted(
        (line.version_id, line.elo, line.plus_minus, line.blocks, line.comparisons) for line in ratings
    )
    return hashlib.sha256(json.dumps(columns).encode()).hexdigest()  # JSON writes every bit of a float
