"""The referee of a match, on real games."""

from __future__ import annotations

import random

import pytest
from stichkampf import Match, new_game
from stichkampf.errors import ActionError, IllegalAction, RecordError, SeedError
from stichkampf.match.deal_source import SeededDeals
from stichkampf.match.match import ranks_of

SEED = bytes(range(32))


def stiche_raten(**options):
    return Match(new_game("stiche-raten", 3, {"length": "deals:2", **options}), seed=SEED)


def sticheln():
    return Match(new_game("sticheln", 4, {"length": "deals:1"}), seed=SEED)


def play_out(match, rng):
    while not match.over:
        seat = rng.choice(match.to_act())
        match.play(seat, rng.choice(match.legal(seat)))
    return match


def test_a_match_plays_as_many_deals_as_its_length_says():
    record = play_out(stiche_raten(), random.Random(1)).record([{"bot": "a"}, {"bot": "b"}, {"bot": "c"}])
    assert [len(deal["hands"][0]) for deal in record["deals"]] == [1, 2]


def test_the_deal_passes_to_the_left():
    record = play_out(stiche_raten(), random.Random(1)).record([{"bot": "x"}] * 3)
    first, second = (deal["dealer"] for deal in record["deals"])
    assert second == (first + 1) % 3


def test_equal_seeds_deal_equal_cards_and_others_do_not():
    assert sticheln().deal.hand(0) == sticheln().deal.hand(0)
    other = Match(new_game("sticheln", 4, {}), seed=bytes(32))
    assert other.deal.hand(0) != sticheln().deal.hand(0)


def test_a_match_without_a_seed_draws_one_and_says_it():
    game = new_game("mue", 4)
    first, second = Match(game), Match(game)
    assert first.seed != second.seed
    assert first.seed.hex() in repr(first)
    assert str(Match(game, seed=first.seed)) == str(first)
    assert Match(game, deals=SeededDeals(game, bytes(32))).seed == b""


def test_a_seed_of_the_wrong_length_is_refused():
    with pytest.raises(SeedError, match="32 bytes"):
        Match(new_game("sticheln", 4, {}), seed=b"short")


def test_an_illegal_action_changes_nothing_and_the_refusal_lists_the_legal_ones():
    match = stiche_raten()
    seat = match.to_act()[0]
    log = len(match.log)
    with pytest.raises(IllegalAction, match=r"'bid 2' is not legal now; possible: bid 0, bid 1"):
        match.play(seat, "bid 2")
    assert (match.to_act(), match.legal(seat), len(match.log)) == ([seat], ["bid 0", "bid 1"], log)


@pytest.mark.parametrize(
    "word", ["", "bid", "bid 00", "BID 1", "bid 1 ", "play Z9", "bid " + "9" * 5000, None, 7, b"bid 0"]
)
def test_a_text_that_is_no_action_of_the_game_is_malformed(word):
    match = stiche_raten()
    with pytest.raises(ActionError):
        match.play(match.to_act()[0], word)


def test_a_seat_that_is_not_asked_may_not_play():
    match = stiche_raten()
    seat = match.to_act()[0]
    with pytest.raises(IllegalAction, match=f"asked now: {seat}"):
        match.play((seat + 1) % 3, "bid 0")
    assert match.legal((seat + 1) % 3) == []


def test_a_finished_match_asks_no_seat():
    match = play_out(stiche_raten(), random.Random(1))
    assert match.to_act() == []
    with pytest.raises(IllegalAction, match="the match is over"):
        match.play(0, "bid 0")


def test_all_seats_are_asked_at_once_for_their_pain_cards():
    match = sticheln()
    dealer = match.deal.dealer
    assert match.to_act() == [(dealer + k) % 4 for k in (1, 2, 3, 4)]


def test_simultaneous_choices_are_recorded_from_the_dealers_left():
    match = sticheln()
    order = match.to_act()
    for seat in reversed(order):
        match.play(seat, match.legal(seat)[0])
    assert [seat for seat, _ in match.played[0].moves] == order


def test_the_order_of_simultaneous_answers_changes_no_event_of_another_seat():
    logs = []
    for turn in (1, -1):
        match = sticheln()
        for seat in match.to_act()[::turn]:
            match.play(seat, match.legal(seat)[0])
        logs.append([match.events(observer) for observer in range(9)])
    assert logs[0] == logs[1]


def test_a_simultaneous_choice_is_told_to_other_seats_with_the_last_one():
    match = sticheln()
    *first, last = match.to_act()
    before = {observer: match.events(observer) for observer in (last, 7, 8)}
    for seat in first:
        match.play(seat, match.legal(seat)[0])
    assert {observer: match.events(observer) for observer in (last, 7, 8)} == before
    assert match.to_act() == [last]


def test_a_seat_sees_its_own_simultaneous_choice_at_once():
    match = sticheln()
    seat = match.to_act()[0]
    word = match.legal(seat)[3]
    match.play(seat, word)
    assert [(e.seat, e.text) for e in match.events(seat) if e.kind == "move"] == [(seat, word)]


def test_a_fault_is_recorded_at_the_move_made_for_the_bot():
    match = sticheln()
    order = match.to_act()
    match.fault(order[2], "timeout")
    for seat in (order[2], order[3], order[0], order[1]):
        match.play(seat, match.legal(seat)[0])
    assert match.faults == [{"deal": 0, "move": 2, "seat": order[2], "kind": "timeout"}]


def test_a_fault_in_a_simultaneous_choice_is_told_with_the_last_one():
    match = sticheln()
    seat, *others = match.to_act()
    match.fault(seat, "timeout")
    match.play(seat, match.legal(seat)[0])
    assert not [e for e in match.events(others[0]) if e.kind == "fault"]
    for other in others:
        match.play(other, match.legal(other)[0])
    told = [e for e in match.events(others[0]) if e.kind in ("fault", "move") and e.seat == seat]
    assert [e.kind for e in told] == ["fault", "move"]


def test_only_a_seat_that_is_asked_can_fail():
    match = stiche_raten()
    with pytest.raises(IllegalAction, match="asked now"):
        match.fault((match.to_act()[0] + 1) % 3, "timeout")


def test_notes_and_costs_stand_beside_their_moves():
    match = stiche_raten()
    match.play(match.to_act()[0], "bid 0", note={"text": "weak"}, cost_seconds=0.25)
    record = play_out(match, random.Random(1)).record([{"bot": "x"}] * 3)
    assert record["notes"] == [
        {"deal": 0, "move": 0, "seat": record["deals"][0]["moves"][0][0], "note": {"text": "weak"}}
    ]
    assert record["costs"][0][:2] == [0.25, None]
    assert list(map(len, record["costs"])) == [len(deal["moves"]) for deal in record["deals"]]


def test_a_match_under_way_has_no_record():
    with pytest.raises(RecordError, match="not over"):
        stiche_raten().record([{"bot": "x"}] * 3)


def test_a_record_names_who_held_each_seat():
    with pytest.raises(RecordError, match="needs 3 seats, 2 were given"):
        play_out(stiche_raten(), random.Random(1)).record([{"bot": "x"}] * 2)


def test_the_record_lists_its_fixed_fields_first_and_in_order():
    record = play_out(stiche_raten(), random.Random(1)).record([{"bot": "x"}] * 3, seed=SEED.hex())
    fixed = ["format", "game", "options", "seats", "deals", "faults", "scores", "ranks"]
    assert list(record)[: len(fixed)] == fixed
    assert list(record["deals"][0]) == ["dealer", "hands", "stock", "moves", "scores"]
    assert record["seed"] == SEED.hex()


@pytest.mark.parametrize(
    ("totals", "ranks"),
    [([5, 3, 3, 1], [1, 2, 2, 4]), ([1, 1, 1], [1, 1, 1]), ([-4, 0, -9], [2, 1, 3]), ([2, 2, 7], [2, 2, 1])],
)
def test_equal_totals_share_a_rank_and_the_next_is_skipped(totals, ranks):
    assert ranks_of(totals) == ranks


def test_the_card_monster_plays_by_itself_as_seat_three():
    match = play_out(Match(new_game("meinz", 3, {"length": "deals:2"}), seed=SEED), random.Random(4))
    record = match.record([{"bot": "x"}] * 3)
    for deal in record["deals"]:
        played = [word for seat, word in deal["moves"] if seat == 3]
        assert played == [f"play {card}" for card in deal["monster"][:8]]
    assert [deal["dealer"] for deal in record["deals"]] == [2, 3]
