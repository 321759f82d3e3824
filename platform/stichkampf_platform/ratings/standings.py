"""The standings of a tournament: in its format's own order where it has one, else by Elo."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stichkampf_platform.ratings.ladder_csv import decimals
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.tournaments.models import Entrant, Tournament

COLUMNS = (
    "place", "bot", "version", "points", "round_reached", "elo", "plus_minus", "blocks", "comparisons",
)  # fmt: skip


@dataclass(frozen=True)
class StandingsRow:
    """A row of the standings.

    :ivar place: from 1; `None` for those who were disqualified where the format has an order of its own.
    :ivar rating: `None` as long as nothing that it played has been rated.
    """

    place: int | None
    entrant: Entrant
    rating: Rating | None


def standings(tournament: Tournament) -> list[StandingsRow]:
    """First to last. By Elo those stand here that have been rated, else everybody after the first round."""
    ladder = tournament.ladder
    snapshot = newest_snapshot(ladder, tournament) if ladder else None
    ratings = {rating.version_id: rating for rating in ratings_of(snapshot)} if snapshot else {}
    entrants = {
        entrant.version_id: entrant for entrant in tournament.entrants.select_related("version__bot__owner")
    }
    placed = sorted(
        (entrant for entrant in entrants.values() if entrant.place is not None),
        key=lambda entrant: (entrant.place, entrant.number),
    )
    if not placed:
        return [
            StandingsRow(place, entrants[version], rating)
            for place, (version, rating) in enumerate(ratings.items(), start=1)
        ]
    out = [entrants[version] for version in ratings if entrants[version].place is None]
    return [
        StandingsRow(entrant.place, entrant, ratings.get(entrant.version_id)) for entrant in [*placed, *out]
    ]


def with_unrated(rows: Sequence[StandingsRow], entrants: Iterable[Entrant]) -> list[StandingsRow]:
    """Return the rows and, below them, those of the entrants that have none yet, without a place."""
    known = {row.entrant.pk for row in rows}
    rest = [entrant for entrant in entrants if entrant.pk not in known]
    return [*rows, *(StandingsRow(None, entrant, None) for entrant in rest)]


def shows_elo(rows: Iterable[StandingsRow]) -> bool:
    """Tell whether Elo means something beside these rows.

    It does where it ranks them; beside points or rounds, once every entrant that is rated has its 20 blocks.
    """
    rated = [(row.entrant, row.rating) for row in rows if row.rating is not None]
    by_elo = all(entrant.place is None for entrant, _rating in rated)
    return bool(rated) and (by_elo or not any(rating.provisional for _entrant, rating in rated))


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
        entrant.round_reached,
        *([decimals(rating.elo), decimals(rating.plus_minus), rating.blocks, rating.comparisons]
          if rating else [None] * 4),
    ]  # fmt: skip
