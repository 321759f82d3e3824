"""Local matches: repeatable, under the fault policy of the platform."""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest
from stichkampf import Bot, Note, new_game
from stichkampf.bots.practice import Entrant, entrant, play_match, seeds_from
from stichkampf.errors import BotError
from stichkampf.faults import FaultKind
from stichkampf.match.records import dump
from stichkampf.match.verify import verify

GAME = new_game("stiche-raten", 3, {"length": "deals:4"})
SEED = bytes(range(32))


def against(bot, *others, game=GAME):
    others = others or ("thumb", "random")
    return play_match(game, [Entrant("tested", bot), *map(entrant, others)], SEED)


class Crashing(Bot):
    def choose(self, table):
        raise ValueError("lost count")


class Cheating(Bot):
    """Plays cards that others hold."""

    def choose(self, table):
        return "play C7" if table.legal[0].startswith("bid") else "bid 0"


class Mumbling(Bot):
    def choose(self, table):
        return "something"


def test_the_same_seed_gives_the_same_record():
    bots = [entrant(name) for name in ("glimpse", "thumb", "random")]
    first, second = (dump(play_match(GAME, bots, SEED).record) for _ in range(2))
    assert first == second
    assert first != dump(play_match(GAME, bots, bytes(32)).record)


@pytest.mark.parametrize(
    ("bot", "kind", "why"),
    [
        (Crashing, "crashed", "ValueError: lost count"),
        (Cheating, "illegal", " is not legal now; possible: "),
        (Mumbling, "malformed", "'something' is no action"),
    ],
)
def test_a_failing_bot_is_replaced_by_thumb_and_every_such_move_is_a_fault(bot, kind, why):
    played = against(bot)
    verify(played.record)
    moves = sum(seat == 0 for deal in played.record["deals"] for seat, _ in deal["moves"])
    assert [fault["kind"] for fault in played.record["faults"]] == [kind] * moves
    assert all(why in failure.message for failure in played.failures)


def test_a_bot_is_asked_no_more_after_its_third_fault():
    asked = []

    class Counting(Crashing):
        def choose(self, table):
            asked.append(table.deal_number)
            return super().choose(table)

    assert len(against(Counting).failures) == len(asked) == 3


def test_a_bot_that_fails_twice_plays_on():
    class Stumbling(Bot):
        def __init__(self):
            self.asked = 0

        def choose(self, table):
            self.asked += 1
            return table.legal[0] if self.asked > 2 else "bid, please"

    assert [fault["kind"] for fault in against(Stumbling).record["faults"]] == ["malformed", "malformed"]


def test_the_substitute_of_a_local_match_plays_as_thumb_would_have():
    failing, thumb = (
        against(Crashing),
        play_match(GAME, [entrant(b) for b in ("thumb", "thumb", "random")], SEED),
    )
    assert failing.record["deals"] == thumb.record["deals"]


def test_a_bot_that_plays_on_its_own_table_harms_only_itself():
    class Meddling(Bot):
        def choose(self, table):
            table.legal.clear()
            table.facts.clear()
            table.deal.apply(table.deal.legal_of(table.seat)[0])
            return "bid 0"

    played = against(Meddling)
    verify(played.record)
    assert {failure.seat for failure in played.failures} == {0}


@pytest.mark.parametrize("answer", [100_000 * "x", "\ud800", "bid 0\ud800"])
def test_an_answer_that_no_message_holds_is_malformed_as_on_a_server(answer):
    class Odd(Bot):
        def choose(self, table):
            return answer, Note(answer, {answer: 1.0})

    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    played = play_match(game, [Entrant("odd", Odd), entrant("thumb"), entrant("random")], bytes(32))
    assert {failure.kind for failure in played.failures} == {FaultKind.MALFORMED}
    assert all("\ud800" not in failure.message for failure in played.failures)
    dump(played.record).encode()


def test_a_note_is_stored_with_its_move():
    class Talking(Bot):
        def choose(self, table):
            return table.legal[0], f"deal {table.deal_number}"

    notes = against(Talking).record["notes"]
    assert all(note["note"] == {"text": f"deal {note['deal']}"} for note in notes)
    assert {note["seat"] for note in notes} == {0}


def test_simultaneous_choices_are_answered_by_every_bot():
    game = new_game("sticheln", 3, {"length": "deals:2"})
    played = against(Crashing, game=game)
    verify(played.record)
    assert played.record["faults"][0]["seat"] == 0


def test_the_chance_of_a_seat_depends_on_match_and_seat_only():
    drawn = []

    class Drawing(Bot):
        def choose(self, table):
            drawn.append((table.seat, table.rng.random()))
            return table.legal[0]

    game = new_game("stiche-raten", 3, {"length": "deals:1"})
    for _ in range(2):
        play_match(game, [Entrant("drawing", Drawing)] * 3, SEED)
    half = len(drawn) // 2
    assert drawn[:half] == drawn[half:]
    assert len({number for _, number in drawn[:half]}) == half


def test_seeds_follow_from_any_text_as_documented():
    first, second, third = islice(seeds_from("monday"), 3)
    assert first == hashlib.sha256(b"monday").digest()
    assert second == hashlib.sha256(first + bytes([0] * 7 + [1])).digest()
    assert third == hashlib.sha256(first + bytes([0] * 7 + [2])).digest()


def test_the_seed_of_a_record_repeats_that_match():
    bots = [entrant(name) for name in ("thumb", "random", "timid")]
    record = play_match(GAME, bots, next(seeds_from("monday"))).record
    again = play_match(GAME, bots, next(seeds_from(record["seed"]))).record
    assert again == record


def test_a_house_bot_may_be_named_with_or_without_the_prefix():
    assert (
        entrant("house/thumb").to_json() == entrant("thumb").to_json() == {"bot": "house/thumb", "version": 2}
    )


def test_a_name_of_no_house_bot_and_no_file_is_refused():
    with pytest.raises(
        BotError, match=r"no bot 'genius': it is neither a Python file nor a house bot \(random, "
    ):
        entrant("genius")
    with pytest.raises(BotError, match=r"there is no file genius\.py"):
        entrant("genius.py")
