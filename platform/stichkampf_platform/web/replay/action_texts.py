"""Actions as sentences, in the words that their game declares."""

from __future__ import annotations

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from stichkampf.engine.declaration import Kind, Verb
from stichkampf.engine.game import Game

from stichkampf_platform.web.games.cards import chip, is_card, is_suit, suit_chip
from stichkampf_platform.web.games.words import in_words


def card_of(action: str) -> str:
    """Return the last card named in an action; an empty text if there is none."""
    return next((word for word in reversed(action.split()) if is_card(word)), "")


def sentence(game: type[Game], action: str) -> SafeString:
    """Write an action in words and cards, without its subject: "play R6" → "plays [red 6]"."""
    if not action:
        return format_html("{}", _("has chosen, hidden until all have chosen"))
    word, *rest = action.split()
    verb = game.verbs[word]
    told = (_argument(game, verb, rest, position) for position in range(len(rest)))
    parts = format_html_join(" ", "{}", ((text,) for text in told))
    says = in_words(game, verb.says)
    if "{}" in says:
        return format_html(says, parts)
    return format_html("{} {}", says, parts) if rest else format_html("{}", says)


def short(game: type[Game], action: str) -> SafeString:
    """Write an action briefly: as a card alone if it names just one card.

    Notes of bots may hold any text: a text that is no action is returned unchanged.
    """
    if action.partition(" ")[0] not in game.verbs:
        return format_html('<span class="mark">{}</span>', action)
    if card_of(action) and len(action.split()) == 2:
        return chip(card_of(action))
    return format_html('<span class="mark">{}</span>', sentence(game, action))


def _argument(game: type[Game], verb: Verb, rest: list[str], position: int) -> SafeString | str:
    word = rest[position]
    if word == "?":
        return _("a hidden card")
    if is_card(word):
        return (
            format_html("{} {}", in_words(game, verb.joint), chip(word))
            if position and verb.joint
            else chip(word)
        )
    kind = verb.kinds.get(rest[0], verb.kind) if position else verb.kind
    if kind is Kind.SEAT and word.isdigit():
        follows = position and rest[position - 1].isdigit()
        text = _("and seat {number}") if follows else _("seat {number}")
        return text.format(number=int(word) + 1)
    if kind is Kind.SUIT and is_suit(word):
        return suit_chip(word)
    told = in_words(game, verb.labels.get(word, word))
    if told != word:
        return told
    return word.replace("-", " ") if not word.startswith("-") else word.replace("-", "\N{MINUS SIGN}")
