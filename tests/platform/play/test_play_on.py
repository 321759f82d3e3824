"""Playing on from a recorded match, in every game, with its seed known or lost."""

import pytest
from stichkampf.bots.practice import entrant, play_match
from stichkampf.games import GAMES, new_game
from stichkampf.match import records
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.play import matches, play_on, services
from stichkampf_platform.play.models import PlayedState, PlayedTable
from support import wait_until


def recorded(game):
    declared = GAMES[game].daily
    rules = new_game(game, declared.seats, declared.options)
    return play_match(rules, [entrant("gentle")] * declared.seats, bytes(32)).record


def started(record, decision, seat, **more):
    point = play_on.PlayOnPoint(record=record, decision=decision, seat=seat, **more)
    return play_on.start(point, level="gentle", open_cards=True, account=None, address="")


def table_of(key):
    return PlayedTable.objects.get(public_id=key.table)


@pytest.mark.parametrize("seed", [b"", bytes(32)], ids=["deals of a file", "seed"])
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_on_from_its_middle_to_its_end(parts, game, seed):
    record = recorded(game)
    if not seed:
        record = {name: value for name, value in record.items() if name not in ("seed", "shuffle")}
    middle = len(records.deciding_seats(record)) // 2
    key = started(record, middle, play_on.decider(record, middle), seed=seed)
    feed = wait_until(lambda: (now := services.feed(key)).question and now)
    step = next(step for number, step in enumerate(records.steps(record), start=1) if number == middle)
    assert sorted(feed.question.legal) == sorted(step.legal)
    hands = [step.match.deal.hand(seat) for seat in range(step.match.game.table_seats)]
    assert play_on.open_hands(table_of(key)) == hands

    def landed():
        now = services.feed(key)
        if now.question:
            services._push(key, now.question.decision, now.question.legal[0])
        else:
            matches.look_after([table_of(key)])
        table = table_of(key)
        return table if table.state != PlayedState.OPEN else None

    table = wait_until(landed, goal="the table lands")
    assert (table.state, table.practice) == (PlayedState.OVER, True)
    mine = [move[:2] for deal in table.record["deals"] for move in deal["moves"]]
    seats = len(record["seats"])
    assert [move for move in mine if move[0] < seats][: middle - 1] == table.opening


@pytest.mark.parametrize(("decision", "seat"), [(0, 0), (10_000, 0), (1, 4), (1, -1)])
def test_a_decision_or_seat_that_is_not_there_is_refused(decision, seat):
    with pytest.raises(RequestRefused, match=r"there are 1 to|seats are 1 to"):
        started(recorded("sixes-and-sevens"), decision, seat)
