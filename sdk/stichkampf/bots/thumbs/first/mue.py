"""Rules of thumb for Mü.

1. Bid as many cards as the longest colour and the high cards beside it are above what a hand has anyway,
   laying that colour, the lowest cards first.
2. Where another has bid beyond reason, lay along to be vice against him. Where several have, and more may
   follow, join them with five or six seats: a stalemate pays all of them but the last to bid.
3. Name the trump of which its own cards hold most; as chief take the highest other bidder as partner.
4. Play the card that gains most: the card points by the chance that its own side gets them, less what the
   card may still be good for.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, side_chance
from stichkampf.match.table import Table

_POINTS = {"1": 0, "9": 0, "6": 2, "7": 2}  # any other digit 1
_USUAL = {4: 7.0, 5: 5.7, 6: 5.0}  # the worth of a hand that is not worth a bid, by seats
_BEYOND_REASON = {4: 7, 5: 6, 6: 5}  # cards of a bid that will hardly be fulfilled, by seats
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
    worth = sum(card[0] == colour for card in cards) + sum(0.6 for card in cards if card[1] in "89")
    laid = len(table.facts["laid"][table.seat])
    lays = sorted(
        (action for action in table.legal if action.startswith("lay")), key=lambda a: (a[4] != colour, a[5])
    )
    if lays and (laid + 1 <= worth - _USUAL[table.seats] or may_lay_along(table, laid)):
        return lays[0]
    return next(action for action in table.legal if action in ("pass", "stop"))


def may_lay_along(table: Table, laid: int) -> bool:
    """Tell whether one card more helps to be vice, or to join a stalemate, behind a bid beyond reason."""
    bids = sorted(len(cards) for seat, cards in enumerate(table.facts["laid"]) if seat != table.seat)
    most = bids[-1]
    as_vice = laid <= bids[-2] and laid + 2 < most
    stalemate = table.seats > 4 and bids[-2] + 1 >= most and bids[0] < most and laid < most
    return most >= _BEYOND_REASON[table.seats] and (as_vice or stalemate)


def longest(cards: list[str]) -> str:
    colours = [card[0] for card in cards]
    return max(sorted(set(colours)), key=colours.count)


def trumps_held(table: Table, trump: str) -> float:
    if trump == "none":
        return sum(1.0 for card in own_cards(table) if card[1] in "89")
    return sum(1.0 for card in own_cards(table) if trump in card)


# Tricks ----------------------------------------------------------------------------------------------------


def play_worth(table: Table, action: str) -> float:
    at_stake = 1 + points(action) + sum(points(card) for _, card in table.trick)
    ours = side_chance(table, action, lambda c: strength(table, c), lambda seat: is_with_us(table, seat))
    return ours * at_stake - (1 - ours) * points(action) - _KEEPING * strength(table, card_of(action))


def points(action: str) -> int:
    return _POINTS.get(action[-1], 1)


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
