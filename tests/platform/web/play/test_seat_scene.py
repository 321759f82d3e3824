"""A table is drawn from what its seat was told, and every legal action can be pressed there."""

import re

import pytest
from asked_seats import drawn, questions
from django.utils import translation
from stichkampf.games import GAMES
from stichkampf_platform.web.games.cards import SUIT_LETTERS, face
from stichkampf_platform.web.play.live_replay import live_replay

TABLES = [(name, seats) for name, game in GAMES.items() for seats in {min(game.players), max(game.players)}]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_each_legal_action_and_no_other_can_be_pressed(name, seats):
    for match, legal in questions(name, seats):
        seated, html = drawn(match, legal)
        pressed = re.findall(r'name="move"\s+value="([^"]+)"', html)
        assert set(pressed) == set(legal)
        assert bool(seated.controls.asks) == bool(legal)
        suits = [button.action[-1] for button in seated.controls.buttons if button.kind == "hue"]
        assert suits == sorted(suits, key=SUIT_LETTERS.index)  # as in the hand


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_every_prompt_is_declared_and_german(name, seats):
    for match, legal in questions(name, seats):
        if legal:
            with translation.override("de"):
                german = drawn(match, legal)[0].controls.asks
            assert german in type(match.game).german.values()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_letter_presses_one_button_and_no_other_begins_with_it(name, seats, language):
    with translation.override(language):
        for match, legal in questions(name, seats):
            buttons = drawn(match, legal)[0].controls.buttons
            texts = [re.sub(r"<span.*?</span>", "", str(button.text)).lower() for button in buttons]
            for button in buttons:
                beginning = [text for text in texts if button.key and text.startswith(button.key)]
                assert len(beginning) <= 1
                assert button.key not in tuple("hlsu")
                assert beginning or button.key in ("", button.action[-1].lower())


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_no_card_is_drawn_that_the_seat_was_not_told(name, seats):
    for match, legal in questions(name, seats):
        told = " ".join(str((e.text, e.cards, e.facts)) for e in match.events(0))
        html = drawn(match, legal)[1]
        names = {face(word).name for word in type(match.game).cards if re.search(rf"\b{word}\b", told)}
        drawn_names = set(re.findall(r'(?:role="img"|value="[^"]*")\s+aria-label="([^"]*)"', html))
        cards = {face(word).name for word in type(match.game).cards}
        assert drawn_names & cards <= names


@pytest.mark.parametrize("name", GAMES)
def test_steps_that_share_what_is_drawn_look_as_each_by_itself(name):
    for match, legal in questions(name, min(GAMES[name].players)):
        kept = []
        seated = drawn(match, legal)[0]
        last = seated.step
        for step in range(max(last - 3, seated.replay.deals[-1].first_step), last + 1):
            asked = legal if step == last else []
            assert drawn(match, asked, step=step, kept=kept)[1] == drawn(match, asked, step=step)[1]
        assert len({template for template, _, _ in kept}) > 1


def test_the_present_deal_is_not_over_and_the_last_one_shows_its_scores():
    *_, (match, _) = questions("sticheln", 4)
    told = [event for event in match.events(0) if event.kind not in ("score", "end")]
    middle = live_replay(match.game, 0, told)
    assert not middle.deals[-1].is_over
    over = live_replay(match.game, 0, match.events(0))
    assert over.deals[-1].is_over
    assert over.deals[-1].totals == tuple(match.scores)
    assert over.ranks == tuple(match.ranks)


def test_a_taken_trick_and_the_prompt_are_spoken():
    for match, legal in questions("sixes-and-sevens", 4):
        seated, _ = drawn(match, legal)
        if legal:
            assert seated.said.endswith(f"Play a card. {len(legal)} possible")


@pytest.mark.parametrize("name", GAMES)
def test_the_last_trick_of_a_deal_is_shown_until_the_next_deal_has_one(name):
    match = [match for match, _ in questions(name, min(GAMES[name].players))][-1]
    replay = live_replay(match.game, 0, match.events(0))
    before, last = replay.deals[-2:]
    ended = drawn(match, [], step=before.last_step)[0]
    assert ended.deal_told
    tricks = 0
    for step in range(last.first_step, last.last_step):
        seated, html = drawn(match, [], step=step)
        tricks += seated.last_trick is not None
        if seated.last_trick is None:
            assert seated.shown_trick_cards == ended.shown_trick_cards
            assert (seated.deal_told, ended.deal_told in html) == (
                ended.deal_told,
                bool(ended.shown_trick_cards),
            )
        else:
            assert seated.deal_told == ""
    assert (tricks > 0) == bool(drawn(match, [], step=last.last_step)[0].last_trick)


def test_what_was_laid_in_an_auction_that_ends_a_deal_lies_in_rows_at_its_end():
    match = [match for match, _ in questions("mue", 6)][-1]
    ended = drawn(match, [], step=live_replay(match.game, 0, match.events(0)).deals[0].last_step)[0]
    assert ended.scene.so_far.is_over
    assert ended.last_trick is None
    assert [row.seat.number for row in ended.laid_rows] == [2, 3, 4, 5, 6, 1]
