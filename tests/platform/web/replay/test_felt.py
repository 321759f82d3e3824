"""The pieces on the felt, game by game, and that a seat's view shows none of them too early."""

import re
from html import unescape

import pytest
from django.template.loader import render_to_string
from stichkampf.games import GAMES, new_game
from stichkampf.match.match import Match
from stichkampf.match.narrator import ALL_HANDS
from stichkampf.match.records import steps
from stichkampf_platform.web.games.cards import face
from stichkampf_platform.web.replay import pieces, stops
from stichkampf_platform.web.replay.deal_so_far import DealSoFar
from stichkampf_platform.web.replay.replay import build_replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant

SHOWN_CARD = re.compile(r'class="(?:card|chip) [^"]*" role="img" aria-label="([^"]+?)(?: \(played\))?"')


TABLES = [(name, seats) for name, game in GAMES.items() for seats in (min(game.players), max(game.players))]


def frames_of(record, observer=ALL_HANDS):
    replay = build_replay(record, observer)
    for step in range(replay.steps + 1):
        yield DealSoFar(replay, step)


def html(replay, step):
    scene = Scene(replay, step, [SeatOccupant(f"Bot {k}") for k in range(replay.seats)])
    page = {"scene": scene, "table": Numbered, "place": "web:replay-at"}
    page["seat_numbers"] = range(1, len(scene.deal.scores) + 1)
    return render_to_string("web/replay/scene.html", page)


class Numbered:
    pk = 1


def names_told(match: Match, seat: int) -> list[set[str]]:
    """The names of all cards that a seat was told of, deal by deal."""
    told: list[set[str]] = []
    for event in match.events(seat, 0):
        if event.kind == "deal":
            told.append(set())
        text = str(event.to_json())
        told[-1] |= {face(word).name for word in re.findall(r"\b[A-Z]\w{1,2}\b", text) if face(word)}
    return told


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_no_card_is_in_the_page_of_a_seat_that_the_seat_was_not_told_of(records, table):
    seat, deal = 1, 0
    replay = build_replay(records[table], seat)
    for number, step in enumerate(steps(records[table])):
        if number % 9 == 0 and step.move.deal == deal:
            shown = set(SHOWN_CARD.findall(html(replay, number)))
            assert shown <= names_told(step.match, seat)[deal], number
        deal = step.move.deal
        step.play()


MOST_ROLES = {(name, max(game.players)) for name, game in GAMES.items()}
ROLES = {
    "sticheln": {"dealer"},
    "mue": {"chief", "vice", "partner", "dealer"},
    "njet": {"Team A", "Team B", "start player", "monster \N{MULTIPLICATION SIGN}2", "dealer"},
    "stiche-raten": {"dealer"},
    "meinz": {"Meinz!", "dealer"},
    "was-sticht": {"start player"},
    "sixes-and-sevens": {"Team A", "Team B", "dealer"},
}


@pytest.mark.parametrize("table", TABLES)
def test_the_roles_of_a_game_stand_on_the_plates(records, table):
    replay = build_replay(records[table])
    occupants = [SeatOccupant("")] * replay.seats
    scenes = [Scene(replay, step, occupants) for step in range(0, replay.steps + 1, 3)]
    told = {badge for scene in scenes for seat in scene.seats for badge in seat.badges}
    assert told <= ROLES[table[0]]
    if table in MOST_ROLES:
        assert told == ROLES[table[0]]
    for scene in scenes:
        teams = [badge for seat in scene.seats for badge in seat.badges if badge.startswith("Team")]
        assert teams == [f"Team {seat.side.upper()}" for seat in scene.seats if teams]


@pytest.mark.parametrize("seats", [2, 5])
def test_a_board_has_a_stone_for_each_move_and_keeps_one_field_a_row(records, seats):
    placed = 0
    for deal in frames_of(records["njet", seats]):
        if deal.deal.number:
            break
        board = pieces.grid(deal)
        stones = [field.seat for _, fields in board for field in fields if field.seat]
        if board and deal.frame.phase == "stones":
            moves = [action for _, _, action in deal.moves() if action.startswith("block ")]
            assert len(stones) == len(moves) == deal.at
            covered = [f for _, fields in board for f in fields if not f.free and not f.seat]
            assert len(covered) == 5 - seats
            placed = len(stones)
        if deal.frame.phase == "tricks":
            assert [caption for caption, _ in pieces.terms(deal)][:2] == ["trump", "supertrump"]
    assert placed == {2: 16, 5: 19}[seats]


@pytest.mark.parametrize("seats", [3, 4])
def test_a_row_of_the_draft_names_its_takers_and_the_winner_of_the_hint(records, seats):
    seen = 0
    for deal in frames_of(records["was-sticht", seats]):
        hints = deal.frame.facts["hints"]
        for (cards, winner, _), hint in zip(pieces.draft(deal), hints, strict=False):
            assert winner == ("table" if hint == "table" else str(hint + 1))
            assert sorted(card.taker for card in cards)[:seats] == [str(s + 1) for s in range(seats)]
            assert [card.taker for card in cards if card.wins] == [winner]
            seen += 1
        if deal.deal.number:
            break
    assert seen > 9


def test_the_last_bidder_is_told_the_bid_that_the_hook_forbids(records):
    record = records["stiche-raten", 3]
    notes = [str(pieces.tally_note(deal)) for deal in frames_of(record)]
    first = [int(word.split()[1]) for _, word in record["deals"][0]["moves"][:2]]
    dealer = record["deals"][0]["dealer"] + 1
    assert notes[0] == "0 of 1 bid"
    barred = 1 - sum(first)
    expected = f"; seat {dealer} may not bid {barred}" if barred >= 0 else ""
    assert notes[2] == f"{sum(first)} of 1 bid{expected}"
    own = [str(pieces.tally_note(deal)) for deal in frames_of(record, dealer - 1)]
    assert own[2] == notes[2].replace(f"seat {dealer} may", "you may")


def test_trump_changes_are_listed_and_a_six_turns_its_trick(records):
    trumps, turned = [], 0
    for deal in frames_of(records["sixes-and-sevens", 4]):
        if deal.deal.number:
            break
        ((_, text),) = pieces.terms(deal)
        trumps.append(str(text).count("→"))
        turned += pieces.turned(deal)
    assert trumps[0] == 0
    assert trumps == sorted(trumps)
    assert 1 <= trumps[-1] <= 4
    assert turned


@pytest.mark.parametrize("seats", [3, 4])
def test_those_asked_are_marked_in_the_order_of_the_question(records, seats):
    asked = calls = swaps = 0
    for deal in frames_of(records["meinz", seats]):
        answers = pieces.answers(deal)
        order = pieces.call_order(deal)
        if "asked" in answers.values():
            (seat,) = [s for s, answer in answers.items() if answer == "asked"]
            open_seats = [number for number, may in order if may and number - 1 not in answers]
            assert order[0][0] == deal.tricks[-1].cards[-1][0] + 1
            assert (seat + 1, True) in order
            assert seats + 1 not in open_seats or seats == 4
            asked += 1
        calls += "Meinz!" in answers.values()
        swaps += pieces.swap(deal) is not None
    assert asked
    assert calls
    assert swaps


def test_what_is_laid_lies_before_its_seat_and_counts_towards_the_target(records):
    for deal in frames_of(records["mue", 6]):
        laid = {s: tuple(cards) for s, cards in enumerate(deal.frame.facts["laid"]) if cards}
        assert pieces.stacks(deal) == ({} if deal.tricks else laid)
        said = dict(pieces.terms(deal))
        if "target" in said:
            chief, partner = deal.frame.facts["chief"], deal.frame.facts["partner"]
            points = deal.frame.facts["card points"]
            have = sum(points[s] for s in {chief, partner} - {None})
            assert said["target"] == f"{have} of {deal.frame.facts['target']}"


def test_the_points_of_each_trick_add_up_to_the_points_of_the_deal(records):
    replay = build_replay(records["sticheln", 3])
    last = replay.deals[0].last_step
    scene = Scene(replay, last, [SeatOccupant("")] * 3)
    before = scene.so_far.points_by_trick[0]
    assert sum(row.points for row in scene.tricks) == sum(replay.deals[0].scores) - sum(before)
    assert [seat.points for seat in scene.seats] == list(replay.deals[0].scores)
    assert scene.tricks_chart.startswith("<svg")


@pytest.mark.parametrize("table", TABLES)
def test_every_fact_of_our_games_lies_on_the_felt_and_none_is_left_for_a_list(records, table):
    replay = build_replay(records[table])
    for step in range(0, replay.steps + 1, 5):
        assert Scene(replay, step, [SeatOccupant("")] * table[1]).facts == []


def test_the_trumps_of_chief_and_vice_stand_above_the_table(records):
    captions = {
        caption for deal in frames_of(records["mue", 6]) if deal.tricks for caption, _ in pieces.terms(deal)
    }
    assert {"chief's trump", "vice's trump", "target"} <= captions


def test_the_own_estimate_of_a_bot_is_one_list_of_actions_bars_and_values():
    match = Match(new_game("njet", 4, {"length": "deals:1"}), seed=bytes(32))
    while not match.over:
        seat = match.to_act()[0]
        legal = match.legal(seat)
        weights = {word: 1.0 + number for number, word in enumerate(legal)}
        match.play(seat, legal[0], cost_seconds=0.1, note={"text": "", "weights": weights})
    replay = build_replay(match.record([{"bot": "house/x", "version": 1}] * 4))
    drawn = html(replay, 1)
    listed = drawn.partition('class="weights"')[2].partition("</table>")[0]
    assert "The bot's own estimate (not checked)" in unescape(listed)
    assert "unseen" not in listed.partition("</caption>")[0]
    legal = replay.deals[0].frames[1].decision.legal
    assert listed.count("<tr") == listed.count("<meter") == 8
    folded = drawn.partition("16 more")[2].partition("</details>")[0]
    assert folded.count("<tr") == min(len(legal), 24) - 8
    assert listed.count('<tr class="chosen"') == 1
    assert re.findall(r'value="(\d+)"', listed)[0] == "100"
    assert 'class="legal"' not in drawn


@pytest.mark.parametrize("observer", [ALL_HANDS, 0])
@pytest.mark.parametrize("game", GAMES)
def test_stepping_passes_over_choices_known_to_be_forced_but_over_no_end_of_a_trick(records, game, observer):
    table = next(table for table in TABLES if table[0] == game)
    replay = build_replay(records[table], observer)
    shown = set(stops.unforced(replay))
    assert set(stops.trick_ends(replay)) <= shown
    for deal in replay.deals:
        for frame in deal.frames[1:]:
            if frame.decision.step not in shown:
                assert len(frame.decision.legal) == 1
                assert observer in (ALL_HANDS, frame.decision.seat)
    every = Scene(replay, 0, [SeatOccupant("")] * table[1], every=True)
    assert every.next_step == 1
