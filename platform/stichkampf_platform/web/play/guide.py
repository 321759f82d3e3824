"""A newcomer's guide through the first deal: what to do, why it is legal, what the last trick was worth.

It is made from the declarations of the game and from what the seat sees; no game is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.web.games.cards import suit_name
from stichkampf_platform.web.games.words import in_words
from stichkampf_platform.web.play.seat_scene import SeatScene


def guidance(seated: SeatScene) -> list[tuple[str, str]]:
    """Return headings with a sentence or two each, for the present step."""
    game = seated.game
    found = [
        (_("The game"), in_words(game, game.tagline) if not seated.last_trick else ""),
        (_("What to do"), " ".join(_to_do(seated))),
        (_("Why this is allowed"), _why(seated) if seated.legal else ""),
        (_("What the trick was worth"), _worth(seated)),
    ]
    return [(heading, words) for heading, words in found if words]


def _to_do(seated: SeatScene) -> Iterator[str]:
    if seated.phase_rule:
        yield _("Now: {rule}.").format(rule=seated.phase_rule.rstrip("."))
    if seated.legal:
        asks = seated.controls.asks
        yield asks if asks.endswith("?") else f"{asks}."
        yield _("There is only one choice.") if seated.forced else _("Press what is bright.")
        yield seated.controls.more


def _why(seated: SeatScene) -> str:
    """Say why these cards may be played; of other choices, that the rules bar what is dim."""
    hand = [card for suit in seated.hand for card in suit]
    legal = [card for card in hand if card.action]
    if not legal:
        return _("The rules of this phase allow everything that can be pressed, and nothing else.")
    led = seated.led
    if led and len(legal) < len(hand):
        of_led = [card for card in hand if card.face and card.face.suit == led]
        suit = suit_name(led).capitalize()
        if of_led == legal:
            return _("{suit} was led and you hold it, so you must follow it.").format(suit=suit)
        if of_led and all(card.action for card in of_led):
            return _(
                "{suit} was led and you hold it, so you must follow it, or play another card that is bright."
            ).format(suit=suit)
    if len(legal) < len(hand):
        return _("The rules bar the dim cards at the moment.")
    if led and not any(card.face and card.face.suit == led for card in hand):
        return _("{suit} was led and you hold none, so any card may be played.").format(
            suit=suit_name(led).capitalize()
        )
    return _("Nothing binds you here: any of your cards may be chosen.")


def _worth(seated: SeatScene) -> str:
    trick = seated.last_trick
    if trick is None:
        return ""
    points = seated.scene.last_trick_points
    if trick.winner is None or trick.winner < 0:
        return seated.shown_trick_taker + "."
    if points is None:
        return _("{taker}. It counts as one trick.").format(taker=seated.shown_trick_taker)
    worth = ngettext("It brought {points} point.", "It brought {points} points.", abs(points))
    return f"{seated.shown_trick_taker}. {worth.format(points=points)}"
