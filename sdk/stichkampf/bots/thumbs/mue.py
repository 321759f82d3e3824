"""Rules of thumb for Mü.

1. Bid as many cards as the longest colour and the high cards beside it are above what a hand has anyway, laying that
   colour, the lowest cards first.
2. Name the trump of which the own cards hold most; as partner take whoever bid most.
3. Throw card points on tricks that the own side holds; take the others where points lie in them; else throw what is weak.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, holder, is_last, take
from stichkampf.table import Table

_POINTS = {"1": 0, "9": 0, "6": 2, "7": 2}  # any other digit 1
_USUAL = {4: 7.0, 5: 5.7, 6: 5.0}  # the worth of a hand that is not worth a bid, by seats
_WORTH_TAKING = 2


def choose(table: Table) -> str:
    verb = table.legal[0].split()[0]
    if verb in ("pass", "stop", "lay"):
        return bid(table)
    if verb == "trump":
        return max(table.legal, key=lambda action: trumps_held(table, action.split()[1]))
    if verb == "partner":
        return max(table.legal, key=lambda action: len(table.facts["laid"][int(action.split()[1])]))
    return play(table)


def own_cards(table: Table) -> list[str]:
    return [*table.hand, *table.facts["laid"][table.seat]]


# The auction ---------------------------------------------------------------------------------------------------------


def bid(table: Table) -> str:
    cards = own_cards(table)
    colour = longest(cards)
    worth = sum(card[0] == colour for card in cards) + sum(0.6 for card in cards if card[1] in "89")
    laid = len(table.facts["laid"][table.seat])
    lays = sorted((action for action in table.legal if action.startswith("lay")), key=lambda a: (a[4] != colour, a[5]))
    if lays and laid + 1 <= worth - _USUAL[table.seats]:
        return lays[0]
    return next(action for action in table.legal if action in ("pass", "stop"))


def longest(cards: list[str]) -> str:
    colours = [card[0] for card in cards]
    return max(sorted(set(colours)), key=colours.count)


def trumps_held(table: Table, trump: str) -> float:
    if trump == "none":
        return sum(1.0 for card in own_cards(table) if card[1] in "89")
    return sum(1.0 for card in own_cards(table) if trump in card)


# Tricks --------------------------------------------------------------------------------------------------------------


def play(table: Table) -> str:
    weakest_first = sorted(table.legal, key=lambda action: (strength(table, card_of(action)), points(action)))
    if not table.trick:
        return weakest_first[-1]
    if is_with_us(table, holder(table, weakest_first[0])):
        return max(weakest_first, key=lambda action: points(action) - strength(table, card_of(action)))
    at_stake = sum(points(card) for _, card in table.trick)
    if at_stake >= _WORTH_TAKING or is_last(table):
        action = take(table, weakest_first)
        if holder(table, action) == table.seat:
            return action
    return min(weakest_first, key=lambda action: points(action) + strength(table, card_of(action)))


def points(action: str) -> int:
    return _POINTS.get(action[-1], 1)


def strength(table: Table, card: str) -> float:
    """Roughly, how often a card takes a trick, 0 … 1."""
    trumps = [table.facts["chief trump"], table.facts["vice trump"]]
    named = sum(trump is not None and trump in card for trump in trumps)
    height = int(card[1]) / 9
    return 0.8 * height**2 if not named else min(1.0, 0.4 + 0.3 * named + 0.2 * height)


def is_with_us(table: Table, seat: int) -> bool:
    """Whether this seat is on the own side: chief and partner, or the others."""
    side = (table.facts["chief"], table.facts["partner"])
    return seat != table.seat and (seat in side) == (table.seat in side)
