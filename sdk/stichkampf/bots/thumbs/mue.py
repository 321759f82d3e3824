"""Rules of thumb for Mü.

1. Bid as many cards as the longest colour and the high cards beside it are above what a hand has anyway,
   laying that colour, the lowest cards first. The last to speak before a deal without any bid opens on less.
2. Take the lead or leave it: stopping level with another seat risks a stalemate, which costs points. Behind a
   bid that is too high to beat, one card makes a vice.
3. Name the trump of which its own cards hold most; as chief take the highest other bidder as partner.
4. Play the card that gains most: the card points by the chance that its own side gets them, less what the
   card may still be good for.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, side_chance
from stichkampf.games.views.mue import points_of
from stichkampf.match.table import Table

_USUAL = {4: 5.1, 5: 4.2, 6: 3.9}  # the worth of a hand that is not worth a bid, by seats
_LAST_TO_SPEAK = 1.5  # cards less that suffice to open when all others have passed
_KEEPING = 2.0  # times how often a card takes a trick: the card points that it may still win


def choose(table: Table) -> str:
    verb = table.legal[0].split()[0]
    if verb in ("pass", "stop", "lay"):
        return bid(table)
    if verb == "trump":
        return max(table.legal, key=lambda action: trumps_held(table, action.split()[1]))
    if verb == "partner":
        return max(table.legal, key=lambda action: len(table.facts["laid"][int(action.split()[1])]))
    return max(table.legal, key=lambda action: play_worth(table, action))


def own_cards(table: Table) -> list[str]:
    return [*table.hand, *table.facts["laid"][table.seat]]


# The auction -----------------------------------------------------------------------------------------------


def bid(table: Table) -> str:
    cards = own_cards(table)
    colour = longest(cards)
    lays = sorted(
        (action for action in table.legal if action.startswith("lay")), key=lambda a: (a[4] != colour, a[5])
    )
    if lays and (leads_within(table, affords(table, cards, colour)) or may_be_vice(table)):
        return lays[0]
    return next(action for action in table.legal if action in ("pass", "stop"))


def affords(table: Table, cards: list[str], colour: str) -> float:
    """The number of cards that the hand is worth laying."""
    worth = sum(card[0] == colour for card in cards) + sum(0.6 for card in cards if card[1] in "89")
    return worth - _USUAL[table.seats]


def leads_within(table: Table, affordable: float) -> bool:
    """Tell whether that number of cards takes the lead. A turn once begun goes on until it does."""
    heights = [len(cards) for cards in table.facts["laid"]]
    most = max(heights)
    if "stop" in table.legal and heights[table.seat] == most:
        return True
    if most == 0 and table.seat == (table.deal.dealer - 1) % table.seats:
        affordable += _LAST_TO_SPEAK
    return most + 1 <= affordable


def may_be_vice(table: Table) -> bool:
    """Tell whether one card, far behind the lead, could make a vice."""
    heights = [len(cards) for cards in table.facts["laid"]]
    own = heights.pop(table.seat)
    most, second = sorted(heights, reverse=True)[:2]
    return own == 0 and second == 0 and most > 2


def longest(cards: list[str]) -> str:
    colours = [card[0] for card in cards]
    return max(sorted(set(colours)), key=colours.count)


def trumps_held(table: Table, trump: str) -> float:
    if trump == "none":
        return sum(1.0 for card in own_cards(table) if card[1] in "89")
    return sum(1.0 for card in own_cards(table) if trump in card)


# Tricks ----------------------------------------------------------------------------------------------------


def play_worth(table: Table, action: str) -> float:
    points = points_of(card_of(action))
    at_stake = 1 + points + sum(points_of(card) for _, card in table.trick)
    ours = side_chance(table, action, lambda c: strength(table, c), lambda seat: is_with_us(table, seat))
    return ours * at_stake - (1 - ours) * points - _KEEPING * strength(table, card_of(action))


def strength(table: Table, card: str) -> float:
    """Roughly, how often a card takes a trick, 0 … 1."""
    trumps = [table.facts["chief trump"], table.facts["vice trump"]]
    named = sum(trump is not None and trump in card for trump in trumps)
    height = int(card[1]) / 9
    return 0.8 * height**2 if not named else min(1.0, 0.4 + 0.3 * named + 0.2 * height)


def is_with_us(table: Table, seat: int) -> bool:
    """Tell whether this seat is on the bot's side: chief and partner, or the others."""
    side = (table.facts["chief"], table.facts["partner"])
    return (seat in side) == (table.seat in side)
