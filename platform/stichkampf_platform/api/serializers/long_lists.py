"""Lists of a thousand entries, made of columns: a serializer would take most of the time of the answer.

Their fields are those of the serializers that describe them, in the same order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from stichkampf_platform.bots.models import weight_class
from stichkampf_platform.ratings.figures import FIGURES
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.ratings.queries import ratings_of
from stichkampf_platform.ratings.standings import StandingsOrder

NAME = ("bot__owner__username", "bot__slug", "number")


def rating_entries(snapshot: Snapshot, ranked: Collection[int] | None) -> list[dict[str, Any]]:
    """Return the ratings of a snapshot as `RatingSerializer` describes them.

    :param ranked: ids of the versions that hold their bots' places; None where all do.
    """
    of_version = (*NAME, "weight", "digest")
    rows = ratings_of(snapshot).values_list(
        "rank", "version_id", *(f"version__{name}" for name in of_version), *FIGURES
    )
    return [
        {
            "rank": rank,
            "bot": f"{author}/{bot}",
            "version": number,
            "weight": weight_class(weight, digest),
            **dict(zip(FIGURES, rest, strict=True)),
            "holds_place": ranked is None or version in ranked,
        }
        for rank, version, author, bot, number, weight, digest, *rest in rows
    ]


def standing_entries(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the standings of a snapshot's tournament as `StandingSerializer` describes them."""
    names = {
        pk: (f"{author}/{bot}", number)
        for pk, author, bot, number in snapshot.tournament.entrants.order_by().values_list(
            "pk", *(f"version__{name}" for name in NAME)
        )
    }
    rated = {
        version: figures
        for version, *figures in snapshot.ratings.order_by().values_list("version_id", "elo", "plus_minus")
    }
    lines = []
    for place, entrant in StandingsOrder(snapshot.tournament).order:
        bot, number = names[entrant.pk]
        elo, plus_minus = rated.get(entrant.version, (None, None))
        lines.append(
            {
                "place": place,
                "bot": bot,
                "version": number,
                "points": entrant.points,
                "tie_breaks": entrant.tie_breaks,
                "round_reached": entrant.round_reached,
                "elo": elo,
                "plus_minus": plus_minus,
            }
        )
    return lines
