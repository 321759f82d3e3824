"""The overall ladder: the mean rating of each bot over the main ladders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import cached_property
from stichkampf.games import GAMES
from stichkampf.rating import mean_of_errors, standard_error_of
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.ladders.rank_order import lower_end
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot_ids
from stichkampf_platform.ratings.ranked_versions import holders_among, rankable_versions


class HeldRating(NamedTuple):
    """Rating of the ranked version of a bot on the main ladder of a game."""

    version: int
    elo: float
    plus_minus: float | None
    blocks: int


@dataclass
class OverallRow:
    """A bot over all main ladders."""

    bot: int
    by_game: list[HeldRating | None]

    @cached_property
    def known(self) -> list[HeldRating]:
        return [place for place in self.by_game if place is not None]

    @property
    def elo(self) -> float:
        return sum(place.elo for place in self.known) / len(self.known)

    @property
    def plus_minus(self) -> float | None:
        """Half the width of the 95% interval of the mean, from the standard errors of the ladders."""
        return mean_of_errors([standard_error_of(p.plus_minus, p.blocks) for p in self.known])[1]

    @property
    def coverage(self) -> int:
        return len(self.known)


def overall_ladder() -> tuple[list[str], list[OverallRow]]:
    """Return the games whose main ladders have results, and the bots in their order there.

    Bots rated on more ladders come first; then they stand by the lower ends of their intervals.
    """
    newest = Snapshot.objects.filter(pk__in=newest_snapshot_ids(main_ladders().filter(game__in=GAMES)))
    order = list(GAMES)
    rated = sorted(newest.select_related("ladder"), key=lambda snapshot: order.index(snapshot.ladder.game))
    held = _held(rated)
    rows = [OverallRow(bot, [known.get(snapshot.pk) for snapshot in rated]) for bot, known in held.items()]
    slugs = dict(Bot.objects.filter(pk__in=held).values_list("pk", "slug"))
    rows.sort(key=lambda row: (-row.coverage, -lower_end(row.elo, row.plus_minus), slugs[row.bot]))
    return [snapshot.ladder.game for snapshot in rated], rows


def with_versions(rows: Sequence[OverallRow]) -> list[tuple[Version, OverallRow]]:
    """Return rows with a version of each bot, of those that are rated."""
    versions = Version.objects.select_related("bot__owner").in_bulk([row.known[0].version for row in rows])
    return [(versions[row.known[0].version], row) for row in rows]


def _held(rated: list[Snapshot]) -> dict[int, dict[int, HeldRating]]:
    """Return by bot and snapshot the place of the bot's ranked version there, if it has enough blocks."""
    places: dict[int, dict[int, HeldRating]] = {snapshot.pk: {} for snapshot in rated}
    ratings = Rating.objects.filter(snapshot__in=places).order_by()
    for snapshot, *place in ratings.values_list("snapshot_id", *HeldRating._fields):
        places[snapshot][place[0]] = HeldRating(*place)
    rankable = rankable_versions({version for of_ladder in places.values() for version in of_ladder})
    held: dict[int, dict[int, HeldRating]] = defaultdict(dict)
    for snapshot in rated:
        of_ladder = places[snapshot.pk]
        blocks = {version: place.blocks for version, place in of_ladder.items()}
        # of other bots no version is rated here
        bots = {line.bot for line in rankable if line.version in blocks}
        own = [line for line in rankable if line.bot in bots]
        for bot, holder in holders_among(own, blocks, snapshot.ladder.game).items():
            if holder in of_ladder and of_ladder[holder].blocks >= PROVISIONAL_BLOCKS:
                held[bot][snapshot.pk] = of_ladder[holder]
    return held
