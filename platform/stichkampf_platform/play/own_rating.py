"""A person's own rating: matches that count for it, and what house bots made of the same hands.

It is the person's alone: no page, table or ladder shows it to anybody else.
"""

from __future__ import annotations

from collections.abc import Mapping

from stichkampf.bots.practice import entrant
from stichkampf.bots.search import Even
from stichkampf.engine.deal import Json
from stichkampf.games import GAMES
from stichkampf.rating.table import RatingAlone, rate_alone

from stichkampf_platform.core.queue import enqueue
from stichkampf_platform.people.models import User
from stichkampf_platform.play.daily_counting import house_scores
from stichkampf_platform.play.models import OwnResult, PlayedTable

MOST_MATCHES = 1_000
"""The newest ones of a game, by which a person is rated."""


def count(table: PlayedTable, record: Mapping[str, Json]) -> None:
    """Store that a match counts for its person's own rating, if it does, in the transaction of its record.

    It does if an account has played it alone against house bots, as the ladder of the game is played and not
    as practice. Who gave up, was away for too long, or let a bot play keeps nothing of it.
    """
    seats = list(table.seats.select_related("account"))
    persons = [seat for seat in seats if seat.person]
    ladder = GAMES[table.game_name].main_ladder
    as_on_ladder = table.seats_count == ladder.seats and table.options == _options(table.game_name)
    if len(persons) != 1 or persons[0].account is None or table.practice or not as_on_ladder:
        return
    if any(seat.version_id for seat in seats):
        return
    mine = persons[0]
    given_up = mine.helped or mine.bot_plays or any(each["seat"] == mine.number for each in record["faults"])
    OwnResult.objects.create(
        table=table, account=mine.account, points=record["scores"][mine.number], kept=not given_up
    )


def enqueue_comparison(table: PlayedTable) -> None:
    """Have house bots play the hands of a match that counts, behind whatever else waits."""
    result = OwnResult.objects.filter(table=table, compared=False).first()
    if result is not None:
        enqueue("stichkampf_platform.play.tasks.compare_hands", result.pk)


def compare(result: OwnResult) -> None:
    """Store what house bots make of the hands of a match; made twice, it is the same."""
    table = result.table
    seats = list(table.seats.all())
    own = next(seat.number for seat in seats if seat.person)
    others = [entrant(seat.house or Even.name) for seat in seats]
    made = house_scores(table.game, others, own, bytes(table.seed))
    OwnResult.objects.filter(pk=result.pk).update(house_scores=made, compared=True)


def own_rating(account: User, game: str, known: Mapping[str, float]) -> RatingAlone | None:
    """Rate a person in a game; None while no match counts.

    :param known: the Elo of house bots on the ladder of the game.
    """
    results = OwnResult.objects.filter(account=account, table__game_name=game, compared=True)
    rows = results.order_by("-pk").values_list("points", "kept", "house_scores")[:MOST_MATCHES]
    matches = [
        {name: _points(mine, other) if kept else 0.0 for name, other in scores.items() if name in known}
        for mine, kept, scores in rows
    ]
    return rate_alone(matches, known) if any(matches) else None


def _points(mine: int, other: int) -> float:
    return 1.0 if mine > other else 0.5 if mine == other else 0.0


def _options(game: str) -> dict[str, Json]:
    ladder = GAMES[game].main_ladder
    return GAMES[game](ladder.seats, dict(ladder.options)).options
