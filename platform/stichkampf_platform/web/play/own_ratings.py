"""The own ratings of a person, beside the bots whose strengths the ladders have measured."""

from __future__ import annotations

from stichkampf.rating.table import RatingAlone

from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.people.models import User
from stichkampf_platform.play import own_rating
from stichkampf_platform.play.models import OwnResult
from stichkampf_platform.ratings.queries import ranked_on


def own_ratings(account: User) -> list[tuple[str, RatingAlone | None]]:
    """Return the games in which a match counts for this person, each with the rating if there is one yet."""
    results = OwnResult.objects.filter(account=account)
    games = sorted(set(results.values_list("table__game_name", flat=True)))
    known = _measured() if games else {}
    return [(game, own_rating.own_rating(account, game, known.get(game, {}))) for game in games]


def _measured() -> dict[str, dict[str, float]]:
    """Return the Elo of ranked house bots by game and name."""
    ranked = ranked_on(main_ladders()).exclude(version__house="")
    rows = ranked.values_list("snapshot__ladder__game", "version__house", "elo")
    found: dict[str, dict[str, float]] = {}
    for game, name, elo in rows:
        found.setdefault(game, {})[name] = elo
    return found
