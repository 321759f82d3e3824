"""Knock-outs: play settles ties, and rounds that are over stay so, with all that leave."""

from itertools import pairwise

import pytest
from knock_out_cup import KNOCK_OUT, Cup
from stichkampf_platform.tournaments.formats import ROUND_FORMATS, elimination
from stichkampf_platform.tournaments.formats.competition import Competition, Past
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS


def by_number(who, block, hand):
    return -who


def even(who, block, hand):
    return 0


@pytest.mark.parametrize("seeds", [range(2), range(2, 4)])
def test_a_tied_final_is_shared_whatever_the_order_of_entry(seeds):
    for seed in seeds:
        cup = Cup(2, 2, even, seed=bytes([seed]) * 32)
        cup.finish()
        assert cup.past.blocks == 2 + FURTHER_BLOCKS
        assert [line.place for line in KNOCK_OUT.standings(cup.asked, cup.past)] == [1, 1]
        assert "share the victory: still equal after 4 further blocks" in cup.outcome


@pytest.mark.parametrize("better", [0, 1])
@pytest.mark.parametrize("further", [1, 3])
def test_a_tied_final_is_decided_by_further_blocks(better, further):
    cup = Cup(2, 2, lambda who, block, hand: int(who == better and block == 1 + further))
    cup.finish()
    assert cup.past.blocks == 2 + further
    said = "1 further block." if further == 1 else "3 further blocks."
    assert cup.outcome == f"bot-{better} wins the knock-out after {said}"
    assert [line.place for line in KNOCK_OUT.standings(cup.asked, cup.past)] == [1, 2]


def test_further_blocks_part_only_those_that_are_equal():
    """The best by far is hopeless in the further blocks, and wins all the same."""

    def strength(who, block, hand):
        if block >= 2:
            return {0: -9, 1: 2, 2: 1, 3: 0}[who]
        return {0: 9, 1: 0, 2: 0, 3: -1}[who]

    cup = Cup(8, 4, lambda who, block, hand: -9 if who > 3 else strength(who, block, hand), seeded=True)
    cup.rounds.append([])
    cup.waiting = [(n, t) for n, t in enumerate(ROUND_FORMATS["round-robin"].next_round(four(cup), Past()))]
    cup.rounds[0] = [frozenset(range(4))] * 2
    cup.play()
    assert [result.how for result in cup.state.results[0]] == [elimination.OPEN]
    cup.draw()
    cup.play()
    (result,) = cup.state.results[0]
    assert (result.through, result.how, result.further) == ((0, 1), elimination.FURTHER, 1)


def four(cup):
    return Competition(**{**cup._fields, "authors": dict.fromkeys(range(4))})


def test_a_cut_that_nothing_settles_is_drawn_by_lot_and_another_seed_draws_another():
    winners = set()
    for seed in range(12):
        cup = Cup(4, 2, even, seed=bytes([seed]) * 32)
        cup.round()
        results = cup.state.results[0]
        assert all((result.how, result.further) == (elimination.LOT, FURTHER_BLOCKS) for result in results)
        lot = cup.asked.lot("after round 1")
        assert all(result.through == (min(result.members, key=lot.get),) for result in results)
        winners.add(cup.state.results[0][0].through)
    assert len(winners) > 2


def test_who_stays_comes_before_who_leaves_a_tie_that_nothing_has_settled():
    for seed in range(12):
        cup = Cup(4, 2, even, seed=bytes([seed]) * 32)
        cup.draw()
        cup.play()
        leaves, stays = sorted(cup.rounds[0][0])
        cup.leave(leaves)
        assert cup.draw()  # the further block of the other group
        result = cup.state.results[0][0]
        assert (result.through, result.how, result.further) == ((stays,), elimination.STAYED, 0)
        cup.play()
        cup.finish()
        assert stays in cup.order[:2]


def test_who_leaves_after_a_tie_was_settled_by_lot_changes_nothing_of_it():
    cup = Cup(4, 2, even)
    cup.round()
    before = cup.state.results[0]
    for who in before[0].through:
        cup.leave(who)
    assert [(r.through, r.how) for r in cup.state.results[0]] == [(r.through, r.how) for r in before]


def test_who_leaves_a_tied_final_leaves_the_victory_to_the_other():
    cup = Cup(2, 2, even)
    cup.draw()
    cup.play()
    cup.leave(0)
    assert not cup.draw()
    assert cup.order == [1]
    assert cup.outcome == "bot-1 wins the knock-out: who was level with it left."


def test_the_seeds_of_the_first_round_are_drawn_by_lot_but_follow_a_qualification():
    byes = {frozenset(_byes(Cup(5, 2, by_number, seed=bytes([seed]) * 32))) for seed in range(30)}
    assert byes == {frozenset([who]) for who in range(5)}
    assert _byes(Cup(5, 2, by_number, seeded=True)) == {0}


def _byes(cup):
    cup.draw()
    return set(range(5)) - {who for group in cup.rounds[0] for who in group}


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("entrants", [6, 7, 13])
def test_a_knock_out_of_equals_ends_and_ranks_everybody(seats, entrants):
    cup = Cup(entrants, seats, even, blocks=1)
    cup.finish()
    lines = KNOCK_OUT.standings(cup.asked, cup.past)
    assert sorted(line.entrant for line in lines) == list(range(entrants))
    places = [1, *[line.place for line in lines]]
    assert all(place in (before, at) for at, (before, place) in enumerate(pairwise(places), start=1))


def test_the_leader_that_leaves_a_final_is_replaced_by_the_best_that_went_out():
    cup = Cup(8, 4, by_number, blocks=5)
    cup.round()
    before, gone = cup.seen(1), cup.state.gone[0]
    assert cup.draw()
    cup.play(2)
    leader, *finalists = sorted(cup.rounds[1][0])
    cup.leave(leader)
    assert cup.seen(1) == before
    assert cup.draw()  # the final, again
    assert cup.rounds[1][-1] == frozenset([*finalists, gone[0]])
    assert len(cup.waiting) == 5
    cup.play()
    assert not cup.draw()
    assert cup.order[:4] == sorted([*finalists, gone[0]])
    assert leader not in cup.order
    assert cup.outcome == f"bot-{finalists[0]} wins the knock-out."
    assert cup.seen(1) == before


def test_a_finalist_that_leaves_between_rounds_is_replaced_by_the_best_seeded_last():
    cup = Cup(8, 4, by_number)
    cup.round()
    best, *others, lower = cup.state.alive
    before, gone = cup.seen(1), cup.state.gone[0][0]
    cup.leave(lower)
    assert elimination.drawn(cup.asked, cup.state, 1) == [best, *others, gone]
    assert cup.order[:3] == [best, *others]
    cup.round()
    assert cup.rounds[1][0] == frozenset([best, *others, gone])
    assert cup.outcome == f"bot-{min(cup.rounds[1][0])} wins the knock-out."
    assert cup.seen(1) == before


def test_two_finalists_that_leave_are_replaced_by_the_two_best_that_went_out():
    cup = Cup(8, 4, by_number)
    cup.round()
    first, second = [who for tier in cup.state.gone for who in tier][:2]
    cup.draw()
    one, other, *rest = sorted(cup.rounds[1][0])
    cup.leave(one)
    cup.leave(other)
    cup.draw()
    assert cup.rounds[1][-1] == frozenset([*rest, first, second])


def test_a_semi_finalist_of_sixteen_is_replaced_by_the_best_of_the_quarter_finals():
    cup = Cup(16, 2, by_number)
    cup.round()
    cup.round()
    before = cup.seen(2)
    quarter_finalists = {who for group in cup.rounds[1] for who in group}
    best = cup.state.gone[0][0]
    assert best in quarter_finalists - set(cup.state.alive)
    cup.draw()
    leaver, opponent = sorted(cup.rounds[2][0])
    cup.leave(leaver)
    cup.play()
    cup.draw()
    assert cup.rounds[2][-1] == frozenset([opponent, best])
    assert best in cup.state.results[2][-1].came
    cup.play()
    cup.finish()
    assert cup.seen(2) == before
    assert leaver not in cup.order


def test_where_none_is_left_to_come_in_the_opponent_goes_on():
    cup = Cup(8, 2, by_number)
    cup.draw()
    group = cup.rounds[0][0]
    leaver, opponent = sorted(group)
    cup.leave(leaver)
    cup.play()
    result = next(each for each in cup.state.results[0] if each.members == group)
    assert (result.how, result.through, result.away) == (elimination.LEFT, (opponent,), {leaver})
    cup.finish()
    assert "wins the knock-out" in cup.outcome


def test_a_winner_that_leaves_before_the_round_is_over_has_won_and_is_replaced():
    cup = Cup(8, 2, by_number)
    cup.draw()
    cup.play(2)  # the blocks of the first group
    group = cup.rounds[0][0]
    winner = min(group)
    cup.leave(winner)
    cup.play()
    assert next(each for each in cup.state.results[0] if each.members == group).through == (winner,)
    best = cup.state.gone[0][0]
    cup.draw()
    assert best in frozenset().union(*cup.rounds[1])
    assert winner not in frozenset().union(*cup.rounds[1])


def test_the_winner_that_leaves_after_the_end_leaves_all_rounds_as_they_were():
    cup = Cup(8, 4, by_number)
    cup.finish()
    before, order = cup.seen(2), cup.order
    cup.leave(order[0])
    assert cup.seen(2) == before
    assert cup.order == order[1:]
    assert not cup.draw()
    assert cup.outcome == f"bot-{order[1]} wins the knock-out: who was better is out."


def test_a_final_that_lost_all_but_one_is_won_by_the_last():
    cup = Cup(4, 4, by_number)
    cup.draw()
    for who in (0, 1, 2):
        cup.leave(who)
    cup.finish()
    assert cup.outcome == "bot-3 wins the knock-out: who left the final cannot be replaced."


def test_those_that_come_in_are_seeded_last_and_have_no_bye():
    cup = Cup(11, 2, by_number, blocks=1)
    cup.round()
    assert len(cup.state.alive) == 6
    cup.round()
    alive = cup.state.alive
    assert len(alive) == 3
    cup.leave(alive[0])
    came = cup.state.gone[0][0]
    assert elimination.drawn(cup.asked, cup.state, 2) == [*alive[1:], came]
    cup.round()
    assert cup.state.byes[2] == [alive[1]]


@pytest.mark.parametrize(("losers", "passed"), [((0, 0), 1), ((1, 0), 0)])
def test_a_bot_that_a_lot_brought_into_the_final_has_passed_its_equals_over(losers, passed):
    """Five bots, tables of four: one has a bye, two go on, and one of those that went out fills the final."""
    worth = dict(zip(range(1, 5), (3, 2, *losers), strict=True))
    cup = Cup(5, 4, lambda who, block, hand: worth.get(who, 0), seeded=True)
    cup.round()
    cup.draw()
    (final,) = cup.state.results[-1]
    assert len(final.came) == 1
    assert final.came <= {3, 4}
    assert final.passed == ({3, 4} - final.came if passed else set())


@pytest.mark.parametrize("seed", [bytes([number]) * 32 for number in range(6)])
def test_of_equals_that_went_out_who_is_ahead_of_the_other_fills_the_final(seed):
    def score(who, block, hand):
        # 3 is ahead of 4 in two hands, and behind it in one, in which 4 is ahead of 2, too: equal shares
        special = {(0, 0, 3): 1, (0, 1, 3): 1, (0, 2, 4): 6}
        return special.get((block, hand, who), {1: 9, 2: 5}.get(who, 0))

    cup = Cup(5, 4, score, seeded=True, seed=seed)
    cup.round()
    shares = cup.past.shares(0)
    assert shares[3] == shares[4]
    cup.draw()
    (final,) = cup.state.results[-1]
    assert (final.came, final.passed) == ({3}, frozenset())
    assert cup.order.index(3) < cup.order.index(4)


@pytest.mark.parametrize("played", [0, 1, 2])
def test_a_tied_final_that_could_not_be_played_on_says_so_and_counts_no_blocks(played):
    cup = Cup(3, 3, even)
    cup.draw()
    cup.play()
    for _ in range(played):
        assert cup.draw()
        cup.play()
    cup.draw()
    cup.leave(2)
    cup.finish()
    assert cup.outcome.startswith("bot-0 and bot-1 share the victory: the tie could not be played on, since")
    assert "further block" not in cup.outcome


def test_who_fills_a_final_has_reached_it_as_soon_as_it_is_drawn():
    """Five bots, tables of four: one has a bye, two go on, and the better of the others fills the final."""
    worth = {1: 3, 2: 2, 3: 1, 4: 0}
    cup = Cup(5, 4, lambda who, block, hand: worth.get(who, 0), seeded=True)
    cup.round()
    reached = {line.entrant: line.round_reached for line in KNOCK_OUT.standings(cup.asked, cup.past)}
    assert reached == {0: 2, 1: 2, 2: 2, 3: 2, 4: 1}
    cup.draw()
    cup.play()
    reached = {line.entrant: line.round_reached for line in KNOCK_OUT.standings(cup.asked, cup.past)}
    assert reached == {0: 2, 1: 2, 2: 2, 3: 2, 4: 1}
