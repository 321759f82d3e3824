"""Two bots against each other, and the pairs of a ladder that the ratings do not explain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, log10
from statistics import NormalDist

from django.db.models import Count, Q
from django.db.models.functions import Abs
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from stichkampf.games import game_class
from stichkampf.rating import ELO_PER_STRENGTH, Results, compare
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.bots.queries import bots_for, named, versions_for
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.models import Pairing, Rating, Snapshot
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.tournaments.models import Block
from stichkampf_platform.tournaments.queries import revealed_results, shared_blocks, visible_ladders
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.views.ladders import find_ladder

BLOCKS_SHOWN = 20
PAIRS_SHOWN = 40
SEPARATED = NormalDist().inv_cdf(0.975)
"""So many standard errors of the difference are on either side of a 95% interval."""
MOST_BLOCKS = 100_000
BEYOND_TWO_ERRORS = 0.0455
"""The share of pairs that luck alone puts beyond two standard errors, by the normal distribution."""


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
        return rulebook.game_title(self.ladder.game)

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
class BlockBetween:
    """The results of two bots with the same hands in one block."""

    block: Block
    hands: int
    points: float
    margin: float

    @property
    def game(self) -> str:
        return rulebook.game_title(self.block.tournament.game)

    @property
    def margin_a_hand(self) -> float:
        return self.margin / self.hands


def versus(
    request: HttpRequest, slug: str, other: str, author: str = "", other_author: str = ""
) -> HttpResponse:
    """Show a bot against a rival: on every ladder, and in the newest blocks in which they shared hands."""
    own = get_object_or_404(named(bots_for(request.user), slug, author))
    rival = get_object_or_404(named(bots_for(request.user), other, other_author))
    if own == rival:
        raise Http404(_("{name} is never compared with itself.").format(name=own.name))
    versions = [set(versions_for(request.user, bot).values_list("pk", flat=True)) for bot in (own, rival)]
    meetings = _meetings(request, own, rival)
    page = {
        "bot": own,
        "rival": rival,
        "meetings": [m for m in meetings if m.own.pk in versions[0] and m.rival.pk in versions[1]],
        "blocks": _blocks(request, *versions),
    }
    return render(request, "web/bots/versus.html", page)


def ladder_pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the pairs of a ladder whose results differ from the prediction of their ratings."""
    entry, ladder = find_ladder(request, slug)
    snapshot = newest_snapshot(ladder) if ladder else None
    known = Pairing.objects.filter(snapshot=snapshot, z__isnull=False)
    remarkable = Count("pk", filter=Q(z__gt=2) | Q(z__lt=-2))
    counted = known.aggregate(pairs=Count("pk"), remarkable=remarkable)
    page = {
        "entries": rulebook.entries(),
        "entry": entry,
        "slug": slug,
        "title": entry.title if entry else slug,
        "snapshot": snapshot,
        "meetings": _most_surprising(known, snapshot) if snapshot else [],
        **counted,
        "by_luck": BEYOND_TWO_ERRORS * counted["pairs"],
    }
    if snapshot is not None and snapshot.cyclic_share is not None:
        page["cyclic"] = 100 * snapshot.cyclic_share
        page["few"] = PROVISIONAL_BLOCKS if snapshot.blocks < PROVISIONAL_BLOCKS else None
    return render(request, "web/ladders/pairs.html", page)


def _meetings(request: HttpRequest, own: Bot, rival: Bot) -> list[Meeting]:
    """On every ladder, versions that are ranked before others, then the newest."""
    either = Q(first__bot=own, second__bot=rival) | Q(first__bot=rival, second__bot=own)
    pairings = Pairing.objects.filter(
        either,
        snapshot__ladder__in=visible_ladders(request.user).values("pk"),
        snapshot__tournament=None,
        snapshot__published=True,
        comparisons__gt=0,
    ).select_related("first__bot__owner", "second__bot__owner", "snapshot__ladder")
    ratings = _ratings(pairings)
    meetings = [_meeting(pairing, ratings, turned=pairing.first.bot_id != own.pk) for pairing in pairings]
    ranked = {own.ranked_version_id, rival.ranked_version_id}
    return sorted(
        meetings,
        key=lambda m: (
            m.ladder.game,
            not m.ladder.main,
            m.ladder.slug,
            -len({m.own.pk, m.rival.pk} & ranked),
            -m.own.number,
            -m.rival.number,
        ),
    )


def _most_surprising(known, snapshot: Snapshot) -> list[Meeting]:  # type: ignore[no-untyped-def]
    """The first of each pair did better than expected."""
    pairings = known.order_by(Abs("z").desc(), "pk").select_related(
        "first__bot__owner", "second__bot__owner"
    )[:PAIRS_SHOWN]
    for pairing in pairings:
        pairing.snapshot = snapshot
    ratings = _ratings(pairings)
    return [_meeting(pairing, ratings, turned=pairing.z < 0) for pairing in pairings]


def _ratings(pairings: Iterable[Pairing]) -> dict[tuple[int, int], Rating]:
    """By snapshot and version."""
    versions = {version for pairing in pairings for version in (pairing.first_id, pairing.second_id)}
    found = Rating.objects.filter(
        snapshot__in={pairing.snapshot_id for pairing in pairings}, version__in=versions
    )
    return {(rating.snapshot_id, rating.version_id): rating for rating in found}


def _meeting(pairing: Pairing, ratings: dict[tuple[int, int], Rating], *, turned: bool) -> Meeting:
    own, rival = pairing.first, pairing.second
    share, superiority, z = pairing.half_points / pairing.comparisons / 2, pairing.superiority, pairing.z
    if turned:
        own, rival = rival, own
        share = 1 - share
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


def _blocks(request: HttpRequest, own: set[int], rival: set[int]) -> list[BlockBetween]:
    blocks = list(shared_blocks(own, rival, request.user)[:BLOCKS_SHOWN])
    rows: dict[int, list[tuple]] = {block.pk: [] for block in blocks}
    for block, *row in (
        revealed_results(request.user)
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


def _between(block: Block, rows: list[tuple], own: set[int], rival: set[int]) -> BlockBetween:
    seen = compare(Results.from_rows(rows), partners=game_class(block.tournament.game).partners)
    hands, points, margin = 0, 0.0, 0.0
    for k in range(len(seen)):
        first, second = seen.entrants[seen.first[k]], seen.entrants[seen.second[k]]
        count, half_points = int(seen.count[k]), int(seen.half_points[k])
        if first in own and second in rival:
            hands, points, margin = hands + count, points + half_points / 2, margin + float(seen.margin[k])
        elif first in rival and second in own:
            points, margin = points + count - half_points / 2, margin - float(seen.margin[k])
            hands += count
    return BlockBetween(block, hands, points, margin)
