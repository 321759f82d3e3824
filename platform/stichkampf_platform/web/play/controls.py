"""The legal actions of a seat as things on the table that can be pressed. Nothing here names a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.utils.html import format_html
from django.utils.translation import gettext as _
from stichkampf.engine.declaration import Kind, Verb
from stichkampf.engine.game import Game

from stichkampf_platform.web.games.cards import SUIT_LETTERS, chip, is_suit, pip, suit_name
from stichkampf_platform.web.games.cards import face as face_of
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.replay.action_texts import sentence
from stichkampf_platform.web.replay.scene_parts import Text

KEYS_OF_THE_PAGE = set("hlsu")
"""Letters that `play.js` takes for a hint, the last trick, the table in words and taking back."""


@dataclass(frozen=True)
class ActionButton:
    """A labelled button.

    :ivar kind: class of the style sheet.
    :ivar key: that presses it: the first letter of its text, or a number; empty for none.
    """

    action: str
    text: Text
    kind: str = ""
    key: str = ""


@dataclass
class Controls:
    """Places where the legal actions are pressed: by card, field, seat, word or number, else on a button."""

    asks: str = ""
    more: str = ""
    cards: dict[str, str] = field(default_factory=dict)
    draft: dict[str, str] = field(default_factory=dict)
    grid: dict[tuple[str, str], str] = field(default_factory=dict)
    seats: dict[int, str] = field(default_factory=dict)
    goals: dict[str, str] = field(default_factory=dict)
    numbers: dict[int, str] = field(default_factory=dict)
    buttons: list[ActionButton] = field(default_factory=list)


def controls(game: type[Game], legal: Sequence[str]) -> Controls:
    """Sort legal actions by the declarations of their game."""
    found = Controls()
    for action in legal:
        _place(found, game, action)
    found.buttons.sort(
        key=lambda button: SUIT_LETTERS.find(button.action[-1]) if button.kind == "hue" else 99
    )
    _mark_the_main_one(found, game, legal)
    _leave_out_unclear_keys(found)
    asking = [game.verbs[action.split()[0]] for action in legal]
    first = min(asking, key=lambda verb: not verb.button) if asking else None
    if first is not None:
        found.asks = in_words(game, first.asks) if first.asks else _("Your turn: choose")
        found.more = in_words(game, first.more) if first.more else ""
    return found


def _mark_the_main_one(found: Controls, game: type[Game], legal: Sequence[str]) -> None:
    """Mark, where only buttons of the game without arguments are to be pressed, the verb declared first."""
    if len(found.buttons) > 1 and all(action in game.verbs and game.verbs[action].button for action in legal):
        main = min(found.buttons, key=lambda button: list(game.verbs).index(button.action))
        found.buttons[found.buttons.index(main)] = replace(main, kind="word main")


def _leave_out_unclear_keys(found: Controls) -> None:
    """Leave no letter with which two texts begin; a suit then has its own, if no text begins with that."""
    begin = Counter(button.key for button in found.buttons)
    for place, button in enumerate(found.buttons):
        if button.key in KEYS_OF_THE_PAGE or (button.key and begin[button.key] > 1):
            letter = button.action.split()[-1].lower()
            is_clear = len(letter) == 1 and letter not in KEYS_OF_THE_PAGE | begin.keys()
            found.buttons[place] = replace(button, key=letter if is_clear else "")


def _place(found: Controls, game: type[Game], action: str) -> None:
    name, *rest = action.split()
    verb, felt = game.verbs[name], game.felt
    if felt.grid and name == felt.grid.verb and len(rest) == 2:
        found.grid[rest[0], rest[1]] = action
    elif felt.swaps and name == felt.swaps and len(rest) == 2:
        text = format_html('{} <span aria-label="{}">⇄</span> {}', chip(rest[0]), _("for"), chip(rest[1]))
        found.buttons.append(ActionButton(action, text, "pair"))
    elif len(rest) != 1:
        found.buttons.append(_labelled(game, verb, action, bool(rest)))
    elif felt.rows and name == felt.rows.verb:
        found.draft[rest[0]] = action
    elif face_of(rest[0]) and rest[0] not in found.cards:
        found.cards[rest[0]] = action
    elif verb.kind is Kind.COUNT and rest[0].isdigit():
        found.numbers[int(rest[0])] = action
    elif verb.kind is Kind.SEAT and rest[0].isdigit():
        found.seats[int(rest[0])] = action
    elif verb.kind is Kind.SUIT:
        found.buttons.append(_of_suit(game, verb, action, rest[0]))
    elif felt.goals and verb.kind is Kind.WORD:
        found.goals[rest[0]] = action
    else:
        found.buttons.append(_labelled(game, verb, action, True))


def _labelled(game: type[Game], verb: Verb, action: str, has_arguments: bool) -> ActionButton:
    if verb.button and not has_arguments:
        told = in_words(game, verb.button)
        return ActionButton(action, told, "word", told[0].lower())
    return ActionButton(action, sentence(game, action), "word")


def _of_suit(game: type[Game], verb: Verb, action: str, word: str) -> ActionButton:
    if is_suit(word):
        text = format_html('<span class="tile s{}">{}</span>{}', word, pip(word), suit_name(word))
        return ActionButton(action, text, "hue", suit_name(word)[0].lower())
    if word.isdigit():
        return ActionButton(action, word, "digit", word)
    told = in_words(game, verb.labels.get(word, word))
    shown = _("none") if word == "none" else told
    return ActionButton(action, shown, "word", shown[0].lower())
