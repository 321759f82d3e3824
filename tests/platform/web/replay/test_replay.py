import re

import pytest
from django.utils.html import strip_tags
from django.utils.translation import override
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.narrator import ALL_HANDS
from stichkampf_platform.web.replay.action_texts import sentence
from stichkampf_platform.web.replay.replay import build_replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant

TABLES = [(name, seats) for name, game in GAMES.items() for seats in (min(game.players), max(game.players))]


@pytest.mark.parametrize("table", TABLES)
def test_a_replay_has_a_frame_for_every_move_of_a_bot(records, table):
    record = records[table]
    replay = build_replay(record)
    moves = [move for deal in record["deals"] for move in deal["moves"] if move[0] < table[1]]
    decisions = [frame.decision for deal in replay.deals for frame in deal.frames if frame.decision]
    assert [[d.seat, d.word] for d in decisions] == moves
    assert [d.step for d in decisions] == list(range(1, len(moves) + 1))
    assert [list(deal.scores) for deal in replay.deals] == [deal["scores"] for deal in record["deals"]]
    assert list(replay.deals[-1].totals) == record["scores"]
    assert list(replay.ranks) == record["ranks"]


@pytest.mark.parametrize("table", [table for table in TABLES if table[0] != "was-sticht"])
def test_all_hands_are_open_as_dealt(records, table):
    record = records[table]
    first = build_replay(record).deals[0].frames[0]
    assert [sorted(hand) for hand in first.hands[: table[1]]] == [
        sorted(h) for h in record["deals"][0]["hands"]
    ]


@pytest.mark.parametrize("table", TABLES)
def test_a_seat_begins_with_its_own_hand_and_backs(records, table):
    record = records[table]
    first = build_replay(record, 0).deals[0].frames[0]
    if "hands" in record["deals"][0]:
        others = [card for hand in record["deals"][0]["hands"][1:] for card in hand]
        shown = [card for seat, hand in enumerate(first.hands) if seat for card in hand]
        assert shown == []
        assert sum(first.hidden) >= len(others)
    assert set(first.secrets) <= {0}


@pytest.mark.parametrize("table", TABLES)
def test_a_seats_view_contains_no_secret_of_another_seat(records, table):
    for seat in range(table[1]):
        for deal in build_replay(records[table], seat).deals:
            for frame in deal.frames:
                assert set(frame.secrets) <= {seat}
                if frame.decision and frame.decision.seat != seat:
                    assert frame.decision.legal == ()
                    assert frame.decision.note == {}


def test_a_simultaneous_choice_stays_hidden_until_the_last_is_in(records):
    record = records["sticheln", 3]
    first, second, third = (word for _, word in record["deals"][0]["moves"][:3])
    chooser = record["deals"][0]["moves"][2][0]
    frames = build_replay(record, chooser).deals[0].frames
    assert [frame.decision.word for frame in frames[1:4]] == ["", "", third]
    assert [len(frame.events) for frame in frames[1:3]] == [0, 0]
    told = [event.text for event in frames[3].events if event.kind == "move"]
    assert sorted(told) == sorted([first, second, third])
    assert [any(frame.facts["pain"]) for frame in frames[:4]] == [False, False, False, True]


def test_a_seats_view_draws_only_cards_that_the_seat_knew(records):
    record = records["sticheln", 6]
    players = [SeatOccupant(f"Bot {k}") for k in range(6)]
    replay = build_replay(record, 2)
    played_by_now = set()
    dealt = set(record["deals"][0]["hands"][2])
    for step in range(replay.deals[0].last_step + 1):
        scene = Scene(replay, step, players)
        decision = scene.decision
        if decision and decision.word:
            played_by_now.add(decision.word.split()[-1])
        if step == 6:
            played_by_now |= {word.split()[-1] for _, word in record["deals"][0]["moves"][:6]}
        drawn = {card.word for seat in scene.seats for suit in seat.suits for card in suit}
        drawn |= {cell.word for row in scene.tricks for cell in row.cells if cell}
        drawn |= {slot.word for slot in scene.slots if slot.word}
        assert drawn <= dealt | played_by_now


@pytest.mark.slow
@pytest.mark.parametrize("observer", [ALL_HANDS, 0])
@pytest.mark.parametrize("table", TABLES)
def test_every_step_of_every_game_can_be_drawn(records, table, observer):
    replay = build_replay(records[table], observer)
    players = [SeatOccupant(f"Bot {k}") for k in range(table[1])]
    for step in range(0, replay.steps + 1, 5):
        scene = Scene(replay, step, players)
        assert len(scene.seats) == replay.seats
        assert scene.previous_trick_step <= step <= scene.next_trick_step
        assert scene.headline
        assert scene.decision_times.startswith("<svg")
        assert len(scene.slots) == replay.seats
        assert len([row for row in scene.tricks if row.current]) <= 1
        assert all(name and str(value) for name, value in scene.facts)


def test_stepping_by_tricks_visits_the_end_of_every_trick(records):
    replay = build_replay(records["sticheln", 3])
    stops, step = [], 0
    while step < replay.steps:
        step = Scene(replay, step, []).next_trick_step
        stops.append(step)
    assert len(stops) == 2 * 14


def test_a_completed_trick_stays_on_the_table_until_the_next_card(records):
    replay = build_replay(records["sticheln", 3])
    complete = Scene(replay, 3 + 3, [SeatOccupant("")] * 3)
    assert [slot.word != "" for slot in complete.slots] == [True] * 3
    assert [slot.wins for slot in complete.slots].count(True) == 1
    after = Scene(replay, 3 + 4, [SeatOccupant("")] * 3)
    assert [slot.word != "" for slot in after.slots].count(True) == 1


def test_decisions_carry_their_faults_times_and_notes():
    match = Match(new_game("stiche-raten", 3, {"length": "deals:1"}), seed=bytes(32))
    first = match.to_act()[0]
    match.fault(first, "timeout")
    match.play(first, match.legal(first)[0], cost_seconds=2.0, wall_seconds=2.5)
    while not match.over:
        seat = match.to_act()[0]
        match.play(seat, match.legal(seat)[0], cost_seconds=0.5, note={"text": "hm"})
    record = match.record([{"bot": "house/x", "version": 1}] * 3)
    decisions = [frame.decision for frame in build_replay(record).deals[0].frames[1:]]
    assert (decisions[0].fault, decisions[0].seconds) == ("timeout", 2.0)
    assert (decisions[0].wall_milliseconds, decisions[0].allowed_milliseconds) == (2500.0, 500.0)
    assert decisions[1].wall_milliseconds is None
    assert (decisions[1].fault, decisions[1].milliseconds, decisions[1].note) == ("", 500.0, {"text": "hm"})


@pytest.mark.parametrize("table", TABLES)
def test_every_fact_has_its_place_on_the_felt_or_is_labelled_by_its_meaning(records, table):
    replay = build_replay(records[table])
    game = GAMES[table[0]]
    declared = {**game.facts, **game.secrets}
    listed = {fact.meaning for name, fact in declared.items() if name not in game.felt.drawn()}
    listed |= {*game.felt.plates.values(), "tricks"}
    labels = set()
    for step in range(0, replay.steps + 1, 5):
        scene = Scene(replay, step, [SeatOccupant("")] * table[1])
        labels |= {label for label, _ in scene.facts}
        labels |= {label for seat in scene.seats for label, _ in seat.said}
    assert labels <= listed


@pytest.mark.parametrize(("language", "told"), [("en", "seat 3 and seat 5"), ("de", "Platz 3 und Platz 5")])
def test_two_seats_of_an_action_are_joined(language, told):
    with override(language):
        assert told in sentence(GAMES["njet"], "team 2 4")
        assert told.split()[2] not in sentence(GAMES["njet"], "block start 2").split()


def test_no_word_of_an_action_is_left_english_in_german(records):
    left = set()
    with override("de"):
        for (name, _), record in records.items():
            game = GAMES[name]
            for action in {word for deal in record["deals"] for _, word in deal["moves"]}:
                told = strip_tags(sentence(game, action)).casefold()
                words = [word.replace("-", " ") for word in action.split()[1:] if word[:2].isalpha()]
                left |= {(name, word) for word in words if re.search(rf"\b{word}\b", told)}
    assert left == set()
