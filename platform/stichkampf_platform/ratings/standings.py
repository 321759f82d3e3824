"""The standings of a tournament: in its format's own order where it has one, else by Elo."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, overload

from stichkampf.engine.seeds import SEED_BYTES

from stichkampf_platform.ratings.ladder_csv import decimals
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.tournaments.formats import FORMATS, shown_format
from stichkampf_platform.tournaments.formats.competition import lot_of
from stichkampf_platform.tournaments.formats.groups import EQUAL_DECIMALS
from stichkampf_platform.tournaments.models import Entrant, Tournament

TIE_BREAKS = tuple(dict.fromkeys(each.name for format in FORMATS.values() for each in format.tie_breaks))
COLUMNS = (
    "place", "bot", "version", "points", *TIE_BREAKS, "round_reached", "elo", "plus_minus", "blocks",
    "comparisons",
)  # fmt: skip


WIDEST_HALF = 400
"""An Elo number in a wider 95% interval than this to each side tells nothing, and is not shown."""


@dataclass(frozen=True)
class StandingsRow:
    """A row of the standings.

    :ivar place: from 1; equals share one. `None` for those who were disqualified, and where the format has an
        order of its own before its first round is over.
    :ivar rating: `None` as long as nothing that it played has been rated.
    """

    place: int | None
    entrant: Entrant
    rating: Rating | None

    @property
    def telling(self) -> Rating | None:
        """The rating, if its Elo number says something."""
        half = self.rating.plus_minus if self.rating is not None else None
        return self.rating if half is not None and half <= WIDEST_HALF else None

    @property
    def tie_breaks(self) -> list[float | None]:
        """The values of all tie-breaks, as they stand in columns."""
        return [(self.entrant.tie_breaks or {}).get(name) for name in TIE_BREAKS]


class PlacedEntrant(NamedTuple):
    """An entrant, as far as it decides the standings."""

    pk: int
    version: int
    place: int | None
    points: float | None
    round_reached: int | None
    tie_breaks: dict[str, float | None] | None
    out_at: datetime | None
    number: int


class RatedEntrant(NamedTuple):
    """A rating, as far as it decides the standings."""

    pk: int
    provisional: bool
    elo: float


class StandingsOrder(Sequence[StandingsRow]):
    """The standings, first to last. A row is read in full only when it is asked for.

    By Elo there are the rated entrants only; in the order of a format, all after the first round. Of equals
    the lot of the tournament says which stands first.

    :param with_unrated: below them stand the other entrants, without a place.
    :ivar order: place and entrant of each row.
    :ivar out: ids of those who were disqualified.
    """

    order: list[tuple[int | None, PlacedEntrant]]

    def __init__(self, tournament: Tournament, *, with_unrated: bool = False) -> None:
        ladder = tournament.ladder
        snapshot = newest_snapshot(ladder, tournament) if ladder else None
        lines = tournament.entrants.order_by("number").values_list(*PlacedEntrant._fields)
        entrants = {line.version: line for line in map(PlacedEntrant._make, lines)}
        rated = ratings_of(snapshot).values_list("version_id", *RatedEntrant._fields) if snapshot else []
        self._ratings = {version: RatedEntrant(*line) for version, *line in rated}
        lot = lot_of(
            bytes(tournament.lot_seed or bytes(SEED_BYTES)),
            "standings",
            (e.number for e in entrants.values()),
        )
        placed = sorted(
            (line for line in entrants.values() if line.place is not None),
            key=lambda entrant: (entrant.place or 0, lot[entrant.number]),
        )
        self.by_elo = not shown_format(tournament.format).ranks
        if placed or not self.by_elo:
            out = [entrants[version] for version in self._ratings if entrants[version].place is None]
            self.order = [(line.place, line) for line in [*placed, *out]]
        else:
            self.order = self._by_elo([entrants[version] for version in self._ratings], lot)
        self.entrants = len(entrants)
        self.out = [entrant.pk for entrant in entrants.values() if entrant.out_at is not None]
        self.placed_by_format = bool(placed)
        self.by_points = any(line.points is not None for line in placed)
        self.by_round_reached = any(line.round_reached is not None for line in placed)
        parted = any(line.tie_breaks is not None for line in placed)
        self.tie_breaks = FORMATS[tournament.format].tie_breaks if parted else ()
        if with_unrated:
            known = {line.pk for _, line in self.order}
            self.order += [(None, line) for line in entrants.values() if line.pk not in known]

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, at: int) -> StandingsRow: ...

    @overload
    def __getitem__(self, at: slice) -> list[StandingsRow]: ...

    def __getitem__(self, at: int | slice) -> StandingsRow | list[StandingsRow]:
        if isinstance(at, int):
            (row,) = self._rows([self.order[at]])
            return row
        return self._rows(self.order[at])

    def __iter__(self) -> Iterator[StandingsRow]:
        return iter(self[:])

    @property
    def ranks(self) -> dict[int, int]:
        """The ranks by the id of the entrant."""
        return {entrant.pk: place for place, entrant in self.order if place is not None}

    @property
    def rated(self) -> int:
        """The number of the entrants that have been rated."""
        return len(self._ratings)

    @property
    def shows_elo(self) -> bool:
        """True if Elo means something beside these rows.

        It does where it ranks them; beside points or rounds, once every rated entrant has its 20 blocks.
        """
        settled = not any(line.provisional for line in self._ratings.values())
        return bool(self._ratings) and (settled or self.by_elo)

    def _by_elo(
        self, lines: Sequence[PlacedEntrant], lot: Mapping[int, int]
    ) -> list[tuple[int | None, PlacedEntrant]]:
        """Rank by Elo, those that are out last and without a place; equals share theirs."""
        ranked = sorted(
            (line for line in lines if line.out_at is None),
            key=lambda line: (-round(self._ratings[line.version].elo, EQUAL_DECIMALS), lot[line.number]),
        )
        order: list[tuple[int | None, PlacedEntrant]] = []
        place, before = 0, None
        for at, line in enumerate(ranked, start=1):
            elo = round(self._ratings[line.version].elo, EQUAL_DECIMALS)
            place = place if elo == before else at
            before = elo
            order.append((place, line))
        return order + [(None, line) for line in lines if line.out_at is not None]

    def _rows(self, lines: Sequence[tuple[int | None, PlacedEntrant]]) -> list[StandingsRow]:
        entrants = Entrant.objects.select_related("version__bot__owner").in_bulk(
            [line.pk for _, line in lines]
        )
        rated = [self._ratings[line.version].pk for _, line in lines if line.version in self._ratings]
        ratings = {rating.version_id: rating for rating in Rating.objects.filter(pk__in=rated)}
        rows = []
        for place, line in lines:
            entrant, rating = entrants[line.pk], ratings.get(line.version)
            if rating is not None:
                rating.version = entrant.version
            rows.append(StandingsRow(place, entrant, rating))
        return rows


def standings(tournament: Tournament) -> list[StandingsRow]:
    """Return all rows of the standings."""
    return StandingsOrder(tournament)[:]


def standings_csv(tournament: Tournament) -> Iterator[str]:
    """The standings line by line, with a header; four decimals, empty where there is nothing to say."""
    yield ",".join(COLUMNS) + "\r\n"
    for line in standings(tournament):
        text = io.StringIO()
        csv.writer(text).writerow(_cells(line))
        yield text.getvalue()


def _cells(line: StandingsRow) -> list[object]:
    entrant, rating = line.entrant, line.rating
    own = [line.place, entrant.version.bot.full_name, entrant.version.number]
    return [
        *own,
        decimals(entrant.points),
        *map(decimals, line.tie_breaks),
        entrant.round_reached,
        *([decimals(rating.elo), decimals(rating.plus_minus), rating.blocks, rating.comparisons]
          if rating else [None] * 4),
    ]  # fmt: skip
