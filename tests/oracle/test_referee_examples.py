"""Every worked example of the rules, by its number there, against the second referee."""

from itertools import pairwise
from random import Random

import pytest
from stichkampf_oracle import Walk, default_options, fresh_deals
from stichkampf_oracle import meinz as mz
from stichkampf_oracle import mue as mu
from stichkampf_oracle import njet as nj
from stichkampf_oracle import sixes_and_sevens as ss
from stichkampf_oracle import stiche_raten as sr
from stichkampf_oracle import sticheln as st
from stichkampf_oracle import was_sticht as ws

# --- Sticheln


@pytest.mark.parametrize(
    ("trick", "winner", "pain", "worth"),
    [
        pytest.param("Y6 Y5 Y2 Y14", 3, "G", 4, id="St1 the highest card of the led colour wins"),
        pytest.param("R3 R2 B0 R4", 3, "R", -8, id="St2 a foreign zero is no trump card but counts"),
        pytest.param("B14 V6 G6 G4", 1, "G", -8, id="St3 the first of two equal trumps wins"),
        pytest.param("G3 Y0 G2 O0", 0, "G", -3, id="St4 two foreign zeros leave the led colour on top"),
    ],
)
def test_sticheln_trick_is_won_and_valued(trick, winner, pain, worth):
    cards = trick.split()
    assert st.trick_winner(cards, "leader") == winner
    assert st.deal_score(cards, f"{pain}0") == worth


@pytest.mark.parametrize(
    ("pain", "own", "others", "score"),
    [
        pytest.param("R4", "R2 R5", 14, 3, id="St5 own colour and pain card are charged"),
        pytest.param("B1", "", 0, -1, id="St6 the pain card alone is charged"),
        pytest.param("R0", "R1 R3 R14", 5, -13, id="St7 a zero as pain card costs nothing itself"),
        pytest.param("G4", "", 4, 0, id="St8 four others make good a pain card of four"),
    ],
)
def test_sticheln_deal_is_scored(pain, own, others, score):
    assert st.deal_score(own.split() + ["Y9"] * others, pain) == score


@pytest.mark.parametrize(
    ("trick", "long", "short"),
    [
        pytest.param("R0 Y0 G0 B0", 0, None, id="St9 only zeros go to the leader or to no seat"),
        pytest.param("R0 Y0 R1 B0", 2, 2, id="St10 a one of the led colour beats zeros in both editions"),
        pytest.param("Y9 G5 R6 B5", 2, 2, id="St11 the highest foreign card wins"),
        pytest.param("Y9 G5 R5 B5", 1, 1, id="St11 the first of three equal foreign cards wins"),
    ],
)
def test_sticheln_editions_differ_only_in_tricks_of_zeros(trick, long, short):
    assert st.trick_winner(trick.split(), "leader") == long
    assert st.trick_winner(trick.split(), "nobody") == short


# --- Stiche-Raten


@pytest.mark.parametrize(
    ("seats", "cards", "earlier", "bids"),
    [
        pytest.param(3, 3, [1, 1], [0, 2, 3], id="SR1 the dealer may not make the sum fit"),
        pytest.param(4, 1, [1, 0, 0], [1], id="SR5 the dealer has one bid left"),
        pytest.param(3, 3, [2, 2], [0, 1, 2, 3], id="SR7 bids above the cards set the dealer free"),
        pytest.param(3, 3, [1], [0, 1, 2, 3], id="SR1 the hook binds no seat before the dealer"),
    ],
)
def test_stiche_raten_hook_binds_the_dealer(seats, cards, earlier, bids):
    assert sr.legal_bids(earlier, seats, cards, hook=True) == bids
    assert sr.legal_bids(earlier, seats, cards, hook=False) == list(range(cards + 1))


@pytest.mark.parametrize(
    ("bid", "tricks", "score"),
    [
        pytest.param(0, 0, 2, id="SR2"),
        pytest.param(3, 3, 5, id="SR3"),
        pytest.param(2, 4, -2, id="SR4 too many"),
        pytest.param(4, 2, -2, id="SR4 too few"),
    ],
)
def test_stiche_raten_bid_is_scored(bid, tricks, score):
    assert sr.bid_score(bid, tricks) == score


PLAIN = sr.default_options(4)
GRAB = PLAIN | {"greifen_passen": True}


@pytest.mark.parametrize(
    ("trick", "trump", "options", "winner"),
    [
        pytest.param("H9 HK HK H7", "S", PLAIN, 1, id="SR6 the first of two identical kings wins"),
        pytest.param("HA SJ CJ DJ", "H", GRAB, 1, id="SR8 the first grab card wins against trumps"),
        pytest.param("DJ C8 CA D7", None, GRAB, 2, id="SR9 a led pass card leaves the suit to the next"),
        pytest.param("HJ DJ DJ HJ", "H", GRAB, 0, id="SR10 of pass cards alone the first wins"),
    ],
)
def test_stiche_raten_trick_is_won(trick, trump, options, winner):
    assert sr.trick_winner(trick.split(), trump, options) == winner


def test_sr9_second_card_sets_the_suit_to_follow_after_a_pass_card():
    assert sr.suit_to_follow(["DJ"], GRAB) is None
    assert sr.suit_to_follow(["DJ", "C8"], GRAB) == "C"
    assert sr.playable(["C7", "D7", "CJ", "HJ"], ["DJ", "C8"], GRAB) == ["C7", "CJ", "HJ"]


# --- At Sixes and Sevens


@pytest.mark.parametrize(
    ("before", "trick", "winner", "after"),
    [
        pytest.param(None, "CK H7 CA C2", "b", "H", id="SS1"),
        pytest.param(None, "CK H7 H9 C2", "c", "H", id="SS2"),
        pytest.param(None, "CK H7 C7 C2", "a", "C", id="SS3"),
        pytest.param(None, "CK H7 S7 CA", "c", "S", id="SS4"),
        pytest.param(None, "CK D6 C2 CA", "c", None, id="SS5"),
        pytest.param(None, "CK D6 H7 C2", "c", "H", id="SS6"),
        pytest.param(None, "CK H6 H7 C2", "b", "H", id="SS7"),
        pytest.param("H", "CK H3 S7 CA", "c", "S", id="SS8"),
        pytest.param("H", "C7 C9 HA C3", "b", "C", id="SS9"),
        pytest.param("H", "C6 C9 HA C3", "c", "H", id="SS10"),
    ],
)
def test_sixes_and_sevens_trick_is_judged_by_the_last_trump(before, trick, winner, after):
    cards = trick.split()
    trump = ss.trump_after(cards, before)
    assert trump == after
    assert "abcd"[ss.trick_winner(cards, trump, "normal")] == winner


def test_ss11_better_side_scores_the_difference():
    a = ss.side_points(8, ["C6", "D6", "C7"])
    b = ss.side_points(5, ["H6", "S6", "D7", "H7", "S7"])
    assert (a, b) == (59, 58)
    assert ss.side_scores([a, b]) == [1, 0]


# --- Mü

ANNA, BEATE, CONNY, DAGMAR, EMMA = range(5)
AUCTION = [
    (ANNA, "R6"),
    (BEATE, "pass"),
    (CONNY, "Y9"),
    (DAGMAR, "G1 B8"),
    (EMMA, "pass"),
    (ANNA, "K9"),
    (BEATE, "R0"),
    (CONNY, "K8 R2"),
    (DAGMAR, "pass"),
    (EMMA, "pass"),
    (ANNA, "B5"),
    (BEATE, "pass"),
    (CONNY, "pass"),
    (DAGMAR, "G7 B7"),
    (EMMA, "pass"),
    (ANNA, "pass"),
    (BEATE, "pass"),
    (CONNY, "pass"),
    (DAGMAR, "pass"),
]
HELD = {
    ANNA: ["R6", "K9", "B5"],
    BEATE: ["R0"],
    CONNY: ["Y9", "K8", "R2"],
    DAGMAR: ["G1", "B8", "G7", "B7"],
    EMMA: [],
}


def auction_of_five(turns):
    """Walk the auction of the rules' example, a turn being the cards laid in it or "pass"."""
    options = default_options("mue", 5)
    rest = mu.deck(5, options)
    for card in (card for hand in HELD.values() for card in hand):
        rest.remove(card)
    hands = []
    for seat in range(5):
        missing = 12 - len(HELD[seat])
        hands.append(HELD[seat] + rest[:missing])
        del rest[:missing]
    later_deal = {**next(fresh_deals("mue", 5, options, Random(1))), "dealer": BEATE}
    walk = Walk("mue", 5, options, [{"dealer": ANNA, "hands": hands}, later_deal])
    for seat, turn in turns:
        assert walk.awaited() == [seat], (seat, turn)
        for card in turn.split():
            walk.play(seat, "pass" if card == "pass" else f"lay {card}")
        if turn != "pass" and walk.awaited() == [seat]:
            walk.play(seat, "stop")
    return walk


def test_mu1_a_follower_may_overtake_by_one():
    walk = auction_of_five(AUCTION[:4])
    assert walk.awaited() == [EMMA]
    assert walk.round.limit == 3
    assert "pass" in walk.legal(EMMA)


def test_mu2_most_cards_make_the_chief():
    assert mu.chief_of([3, 1, 3, 4, 0]) == DAGMAR
    walk = auction_of_five(AUCTION)
    assert walk.round.phase == "vice"
    assert walk.round.chief == DAGMAR
    assert walk.round.height == 4


def test_mu3_the_latest_of_the_tied_bidders_pays_for_a_stalemate():
    assert mu.chief_of([3, 1, 3, 3, 0]) is None
    assert mu.stalemate_scores([3, 1, 3, 3, 0], last_bid=[11, 7, 8, 14, 0]) == [15, 0, 15, -30, 0]
    passes = [(seat, "pass") for seat in (EMMA, ANNA, BEATE, CONNY, DAGMAR)]
    walk = auction_of_five([*AUCTION[:-6], (DAGMAR, "G7"), *passes])
    assert walk.played[0]["scores"] == [15, 0, 15, -30, 0]


def test_mu4_higher_second_digit_makes_the_vice():
    walk = auction_of_five(AUCTION)
    assert walk.awaited() == [CONNY]


def test_mu5_chief_chooses_among_his_own_cards_but_not_the_vices_trump():
    laid = HELD[DAGMAR]
    everything = {"G", "B", "1", "7", "8", "none"}
    assert mu.trump_choices(laid, True, "9", allow_same=False) == everything
    assert mu.trump_choices(laid, True, "8", allow_same=False) == everything - {"8"}
    assert mu.trump_choices(laid, True, "8", allow_same=True) == everything
    walk = auction_of_five(AUCTION)
    walk.play(CONNY, "trump 8")
    assert set(walk.legal(DAGMAR)) == {f"trump {name}" for name in everything - {"8"}}


def test_mu6_five_players_need_thirty_three_at_height_four():
    assert mu.target(5, 4) == 33


@pytest.mark.parametrize(
    ("trump", "reward"),
    [("G", 40), ("1", 50), ("7", 50), ("8", 60), ("none", 70)],
    ids=lambda value: f"Mü7 {value}",
)
def test_mue_contract_at_height_four_is_rewarded(trump, reward):
    scores = mu.contract_scores(5, 4, 33, DAGMAR, ANNA, trump, cap=100)
    assert scores == [reward, 0, 0, reward, 0]


@pytest.mark.parametrize(
    ("points", "scores"),
    [
        pytest.param(29, [0, 10, 10, -20, 10], id="Mü8 height two was reached"),
        pytest.param(23, [0, 20, 20, -40, 20], id="Mü9 no height was reached"),
    ],
)
def test_mue_failed_contract_is_charged_by_the_missing_heights(points, scores):
    assert mu.contract_scores(5, 4, points, DAGMAR, ANNA, "G", cap=100) == scores


def test_mu10_a_number_trump_has_left_its_colour():
    assert mu.playable(["R6", "G3"], ["R2"], "6", None) == ["R6", "G3"]
    assert mu.playable(["R6", "R3"], ["R2"], "6", None) == ["R3"]


def test_mu11_double_trumps_then_the_chiefs_then_the_vices():
    ordered = ["R7", "G7", "R9", "R8", "R6", "R5", "R0"]
    for higher, lower in pairwise(ordered):
        assert mu.trick_winner([lower, higher], "7", "R") == 1


@pytest.mark.parametrize(
    ("trick", "chief", "vice", "winner"),
    [
        pytest.param("R9 R7 G0", "G", "R", 2, id="Mü12 the chief's lowest beats the vice's highest"),
        pytest.param("G7 B7 Y7", "7", None, 0, id="Mü13 the first of equal digits wins"),
    ],
)
def test_mue_trick_is_won(trick, chief, vice, winner):
    assert mu.trick_winner(trick.split(), chief, vice) == winner


def test_mu14_all_pass_and_the_next_dealer_opens():
    walk = auction_of_five([(seat, "pass") for seat in range(5)])
    assert walk.played[0]["scores"] == [0] * 5
    assert walk.awaited() == [BEATE]


# --- Njet


def test_nj1_last_zero_of_an_opponent_is_booty_and_the_partners_is_not():
    """Trio: start player 0, second 1, last 4; pair: 2 and 3. Yellow is the plain colour."""
    trick = [(0, "Y9"), (1, "Y0"), (2, "Y4"), (3, "K0"), (4, "K7")]
    assert nj.trick_winner([card for _, card in trick], trump="K", supertrump="B") == 4
    assert nj.booty(trick, winner=4, winners_team={0, 1, 4}) == 1


@pytest.mark.parametrize(
    ("points", "gains", "monster", "result"),
    [
        pytest.param(2, {0: 7 + 3}, None, 20, id="Nj2"),
        pytest.param(2, {0: 3 + 0, 1: 2 + 1}, 1, 18, id="Nj3 the monster doubles tricks and booty"),
        pytest.param(-2, {0: 4 + 1}, 0, -20, id="Nj9 with minus two the monster hurts"),
    ],
)
def test_njet_team_is_scored(points, gains, monster, result):
    assert nj.team_result(points, gains, monster) == result


def test_nj4_the_better_team_scores_the_difference():
    assert nj.scored([20, 18], "difference") == [2, 0]
    assert nj.scored([20, 18], "full") == [20, 18]


@pytest.mark.parametrize(
    ("trick", "trump", "supertrump", "winner"),
    [
        pytest.param("Y7 Y7 Y3 Y7", "none", "none", 3, id="Nj5 the last of equal sevens wins"),
        pytest.param("B0 B0 B5", "none", "B", 1, id="Nj6 the last supertrump wins"),
    ],
)
def test_njet_trick_is_won(trick, trump, supertrump, winner):
    assert nj.trick_winner(trick.split(), trump, supertrump) == winner


@pytest.mark.parametrize(
    ("hand", "trick", "trump", "supertrump", "supertrump_suit", "legal"),
    [
        pytest.param("B5 B0", "B0", "none", "B", "trump", "B0", id="Nj6 a supertrump asks for supertrumps"),
        pytest.param("B5 Y2", "B0", "none", "B", "trump", "B5 Y2", id="Nj6 without one anything goes"),
        pytest.param("B0 R3", "B5", "none", "B", "trump", "B0 R3", id="Nj7 a supertrump has left its colour"),
        pytest.param("B0 R3", "B5", "none", "B", "own", "B0", id="Nj7 unless it keeps its own"),
        pytest.param("K3 B0 R9", "K9", "K", "B", "trump", "K3 B0", id="Nj8 both trumps are one suit"),
    ],
)
def test_njet_following(hand, trick, trump, supertrump, supertrump_suit, legal):
    assert nj.playable(hand.split(), trick.split(), trump, supertrump, supertrump_suit) == legal.split()


def test_nj10_and_nj11_eighteen_stones_leave_one_field_a_row():
    options = default_options("njet", 3)
    walk = Walk("njet", 3, options, fresh_deals("njet", 3, options, Random(3)))
    dealer = walk.dealt["dealer"]
    placed = []
    while walk.round.phase == "stones":
        (seat,) = walk.awaited()
        legal = walk.legal(seat)
        rows = {word.split()[1] for word in legal}
        assert rows == {row for row, fields in walk.round.board.items() if len(fields) >= 2}
        if not placed:
            assert [word for word in legal if word.startswith("block start")] == [
                "block start 0",
                "block start 1",
                "block start 2",
            ]
        walk.play(seat, legal[0])
        placed.append(seat)
    assert placed == [(dealer + step) % 3 for step in range(18)]
    assert all(len(fields) == 1 for fields in walk.round.board.values())


# --- Meinz


@pytest.mark.parametrize(
    ("hand", "led", "legal"),
    [
        pytest.param("Y5 Y2 B1", "R5", "Y5 Y2 B1", id="Mz1 without the colour any card is legal"),
        pytest.param("R9 B5 B1", "R5", "R9 B5", id="Mz9 the led number may stand for the colour"),
    ],
)
def test_meinz_following(hand, led, legal):
    assert mz.playable(hand.split(), [led]) == legal.split()


@pytest.mark.parametrize(
    ("sums", "points"),
    [
        pytest.param([51, 38, 37, 31], [3, 1, 0, 2], id="Mz2"),
        pytest.param([40, 40, 39, 34], [0, 0, 0, 2], id="Mz3"),
        pytest.param([50, 40, 40, 30], [3, 0, 0, 2], id="Mz4"),
        pytest.param([50, 40, 30, 30], [3, 1, 0, 0], id="Mz5"),
        pytest.param([40, 40, 30, 30], [0, 0, 0, 0], id="Mz6 two pairs"),
        pytest.param([40, 40, 40, 40], [0, 0, 0, 0], id="Mz6 all equal"),
        pytest.param([50, 40, 40, 40], [3, 0, 0, 0], id="Mz6 three equal"),
    ],
)
def test_meinz_places_are_scored(sums, points):
    assert mz.place_points(sums) == points


@pytest.mark.parametrize(
    ("full", "owner"),
    [
        pytest.param(set(), 2, id="Mz7 the later of two equals is lower"),
        pytest.param({2}, 1, id="Mz8 who has two tricks is passed over"),
    ],
)
def test_meinz_lowest_number_owns_the_trick(full, owner):
    assert mz.lowest(["R4", "R2", "B2", "R7"], full) == owner


def test_mz10_the_first_player_may_call_after_the_second_card():
    hands = [
        ["R4", "Y1", "Y2", "Y3", "Y4", "Y5", "Y6", "Y7", "Y8"],
        ["R9", "G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8"],
        ["R1", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8"],
        ["R2", "R3", "R5", "R6", "R7", "R8", "Y9", "G9", "B9"],
    ]
    walk = Walk("meinz", 4, {"length": "deals:1"}, [{"dealer": 3, "hands": hands}])
    for seat, word in [(0, "away Y1"), (1, "away G1"), (2, "away B1"), (3, "away R8")]:
        walk.play(seat, word)
    for seat, word in [(0, "play R4"), (0, "quiet"), (1, "play R9"), (1, "quiet"), (0, "call")]:
        assert walk.awaited() == [seat]
        walk.play(seat, word)
    walk.play(2, "play R1")
    assert walk.awaited() == [3]
    walk.play(3, "play R2")
    assert walk.awaited() == [0]
    assert walk.legal(0) == ["keep"]


# --- Was sticht?


@pytest.mark.parametrize(
    ("trick", "colour", "digit", "winner"),
    [
        pytest.param("B7 R6 R2 Y2", "R", "2", 2, id="WS1 the supertrump wins"),
        pytest.param("B5 G5", "none", "5", 0, id="WS3 the first number trump wins"),
        pytest.param("R4 R9", "R", "none", 1, id="WS4 colour trumps rank by number"),
        pytest.param("B5 R5", "R", "5", 1, id="WS2 the supertrump beats a number trump"),
        pytest.param("G5 B5 Y5", "R", "5", 0, id="WS2 number trumps are equal"),
        pytest.param("R9 Y5", "R", "5", 1, id="WS2 a number trump beats the colour's nine"),
    ],
)
def test_was_sticht_trick_is_won(trick, colour, digit, winner):
    assert ws.trick_winner(trick.split(), colour, digit) == winner


def test_ws2_colour_trumps_rank_below_the_number_trumps():
    ordered = ["R5", "B5", "R9", "R8", "R7", "R6", "R4", "R3", "R2", "R1", "Y9"]
    for higher, lower in pairwise(ordered):
        assert ws.trick_winner([lower, higher], "R", "5") == 1


def test_ws5_a_number_trump_does_not_follow_its_colour():
    assert ws.playable(["B5", "G1"], ["B9"], "R", "5") == ["B5", "G1"]
    assert ws.playable(["B5", "B1"], ["B9"], "R", "5") == ["B1"]


@pytest.mark.parametrize(
    ("task", "seat", "tricks"),
    [
        pytest.param("fewest-tricks", 1, [0, 2, 3, 4], id="WS6 somebody has none"),
        pytest.param("most-tricks", 2, [1, 2, 3, 3], id="WS7 the most are shared"),
        pytest.param("no-red", 1, [4, 0, 3, 2], id="WS8 a trick is needed"),
    ],
)
def test_was_sticht_task_is_failed(task, seat, tricks):
    assert not ws.fulfils(task, seat, tricks, captured=[[], [], [], []], last_winner=0)


@pytest.mark.parametrize(
    ("shown", "tricks", "done", "stolen"),
    [
        pytest.param(
            {1: "no-tricks", 2: "most-tricks", 3: "exactly-1"}, [0, 0, 8, 1], {1, 2, 3}, False, id="WS9"
        ),
        pytest.param(
            {1: "exactly-1", 2: "most-tricks", 3: "exactly-2"}, [1, 2, 4, 2], {2, 3}, True, id="WS10"
        ),
        pytest.param({1: "exactly-1", 2: "exactly-1", 3: "no-tricks"}, [1, 4, 4, 0], {3}, True, id="WS11"),
    ],
)
def test_was_sticht_start_player_profits_once_from_failed_tasks(shown, tricks, done, stolen):
    captured = [["R1"], ["R2"], ["R3"], ["R4"]]
    assert ws.settle(shown, 0, tricks, captured, last_winner=2) == (done, stolen)
