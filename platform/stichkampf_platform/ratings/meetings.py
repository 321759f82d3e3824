"""Results of two bots with the same hands: on each ladder, and block by block."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil, exp, log10
from statistics import NormalDist

import numpy as np
from django.db.models import Q
from django.db.models.functions import Abs
from stichkampf.games import GAMES, game_class
from stichkampf.rating import ELO_PER_STRENGTH, Results, compare

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import versions_for
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.models import Pairing, Rating, Snapshot
from stichkampf_platform.tournaments.models import Block
from stichkampf_platform.tournaments.queries import shared_blocks, shown_ladders, shown_results
from stichkampf_platform.tournaments.shown import Viewer

SEPARATED = NormalDist().inv_cdf(0.975)
"""Standard errors of the difference on either side of a 95% interval."""
MOST_BLOCKS = 100_000


@dataclass(frozen=True)
class Meeting:
    """The results of a version against another on one ladder, in percent."""

    ladder: Ladder
    own: Version
    rival: Version
    own_rating: Rating
    rival_rating: Rating
    comparisons: int
    blocks: int
    share: float
    superiority: float | None
    z: float | None

    @property
    def game(self) -> str:
        return title_of(self.ladder.game)

    @property
    def difference(self) -> float:
        return self.own_rating.elo - self.rival_rating.elo

    @property
    def expected(self) -> float:
        """The share that the ratings predict."""
        return 100 / (1 + exp(-self.difference / ELO_PER_STRENGTH))

    @property
    def more_blocks(self) -> int | None:
        """Return about how many more blocks of both would separate the two at the present difference.

        An error falls with the square root of the blocks. The number has two digits that count: 0 where they
        are separated, None where nothing can be said, or where more than `MOST_BLOCKS` would be needed.
        """
        if self.superiority is None:
            return None
        if not 0 < self.superiority < 100:
            return 0
        errors = abs(NormalDist().inv_cdf(self.superiority / 100))
        if errors >= SEPARATED:
            return 0
        played = min(self.own_rating.blocks, self.rival_rating.blocks)
        wanted = played * ((SEPARATED / errors) ** 2 - 1) if errors else float("inf")
        if wanted > MOST_BLOCKS:
            return None
        step = 10 ** max(0, int(log10(max(wanted, 1))) - 1)
        return max(1, ceil(wanted / step) * step)


@dataclass(frozen=True)
class BlockOfTwoBots:
    """The results of two bots with the same hands in one block."""

    block: Block
    hands: int
    points: float
    margin: float

    @property
    def game(self) -> str:
        return title_of(self.block.tournament.game)

    @property
    def margin_a_hand(self) -> float:
        return self.margin / self.hands


def title_of(game: str) -> str:
    """Return the title of a game, or its name if it is no longer registered."""
    return GAMES[game].title if game in GAMES else game


def meetings(own: Bot, rival: Bot, person: Viewer) -> list[Meeting]:
    """Return the meetings of two bots on every ladder: ranked versions before others, then the newest.

    Only of versions that the person may see.
    """
    either = Q(first__bot=own, second__bot=rival) | Q(first__bot=rival, second__bot=own)
    pairings = Pairing.objects.filter(
        either,
        snapshot__ladder__in=shown_ladders(person).values("pk"),
        snapshot__tournament=None,
        snapshot__published=True,
        comparisons__gt=0,
    ).select_related("first__bot__owner", "second__bot__owner", "snapshot__ladder")
    ratings = _ratings(pairings)
    seen = {v.pk for bot in (own, rival) for v in versions_for(person, bot)}
    met = [
        _meeting(pairing, ratings, turned=pairing.first.bot_id != own.pk)
        for pairing in pairings
        if {pairing.first_id, pairing.second_id} <= seen
    ]
    ranked = {own.ranked_version_id, rival.ranked_version_id}
    return sorted(
        met,
        key=lambda m: (
            m.ladder.game,
            not m.ladder.main,
            m.ladder.slug,
            -len({m.own.pk, m.rival.pk} & ranked),
            -m.own.number,
            -m.rival.number,
        ),
    )


def most_surprising(snapshot: Snapshot, how_many: int) -> list[Meeting]:
    """Return the pairs whose results differ most from the prediction; the first of each did better."""
    known = Pairing.objects.filter(snapshot=snapshot, z__isnull=False)
    pairings = known.order_by(Abs("z").desc(), "pk").select_related(
        "first__bot__owner", "second__bot__owner"
    )[:how_many]
    for pairing in pairings:
        pairing.snapshot = snapshot
    ratings = _ratings(pairings)
    return [_meeting(pairing, ratings, turned=pairing.z < 0) for pairing in pairings]


def _ratings(pairings: Iterable[Pairing]) -> dict[tuple[int, int], Rating]:
    """Return the ratings of pairings by snapshot and version."""
    versions = {version for pairing in pairings for version in (pairing.first_id, pairing.second_id)}
    found = Rating.objects.filter(
        snapshot__in={pairing.snapshot_id for pairing in pairings}, version__in=versions
    )
    return {(rating.snapshot_id, rating.version_id): rating for rating in found}


def _meeting(pairing: Pairing, ratings: dict[tuple[int, int], Rating], *, turned: bool) -> Meeting:
    own, rival = pairing.first, pairing.second
    share, superiority, z = pairing.shares[turned], pairing.superiority, pairing.z
    if turned:
        own, rival = rival, own
        superiority = None if superiority is None else 1 - superiority
        z = None if z is None else -z
    return Meeting(
        ladder=pairing.snapshot.ladder,
        own=own,
        rival=rival,
        own_rating=ratings[pairing.snapshot_id, own.pk],
        rival_rating=ratings[pairing.snapshot_id, rival.pk],
        comparisons=pairing.comparisons,
        blocks=pairing.blocks,
        share=100 * share,
        superiority=None if superiority is None else 100 * superiority,
        z=z,
    )


def blocks_between(own_bot: Bot, rival_bot: Bot, person: Viewer, how_many: int) -> list[BlockOfTwoBots]:
    """Return the newest blocks in which versions of two bots, which the person may see, shared hands."""
    own, rival = (set(versions_for(person, bot).values_list("pk", flat=True)) for bot in (own_bot, rival_bot))
    blocks = list(shared_blocks(own, rival, person)[:how_many])
    rows: dict[int, list[tuple]] = {block.pk: [] for block in blocks}
    for block, *row in (
        shown_results(person)
        .filter(seat__table__block__in=blocks)
        .values_list(
            "seat__table__block_id",
            "seat__number",
            "seat__entrant__version_id",
            "score",
            "seat__table_id",
            "forfeited",
        )
    ):
        rows[block].append((block, *row))
    between = [_between(block, rows[block.pk], own, rival) for block in blocks if rows[block.pk]]
    return [each for each in between if each.hands]


def _between(block: Block, rows: list[tuple], own: Collection[int], rival: Collection[int]) -> BlockOfTwoBots:
    seen = compare(Results.from_rows(rows), partners=game_class(block.tournament.game).partners)
    mine, theirs = (np.isin(seen.entrants, list(versions)) for versions in (own, rival))
    met = mine[seen.sides.entrant] & theirs[seen.sides.other]
    hands, half_points, margin = (
        column[met].sum().item() for column in (seen.sides.count, seen.sides.half_points, seen.sides.margin)
    )
    return BlockOfTwoBots(block, hands, half_points / 2, margin)
