"""Rules of thumb for Njet.

1. Block what helps its own hand least: other start players, trumps of weak colours, supertrumps of colours
   without own zeros, negative points, and the low ones the more the stronger the hand is.
2. As start player, a strong hand wants few partners and the monster, a weak one many; the best partner sits
   opposite.
3. Put away, or pass on, the weakest cards.
4. Play the card that gains most: the trick and the opponents' zeros by the chance that its own side gets
   them, less its own zeros otherwise, less what the card may still be good for. Where points are negative,
   the other way round.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, side_chance
from stichkampf.match.table import Table

_KEEPING = 1.6  # times how often a card takes a trick: what it may still be good for
_COLOURS = "BYRK"
_DIGITS = "000123456777789"
_DISCARDS = {"none": 0.0, "one": 0.2, "two": 0.4, "two-no-zero": 0.1, "pass-two": 0.0}


def choose(table: Table) -> str:
    verb = table.legal[0].split()[0]
    if verb == "block":
        return min(table.legal, key=lambda action: liking(table, action))
    if verb == "team":
        return max(table.legal, key=lambda action: team_liking(table, action))
    if verb == "monster":
        return max(table.legal, key=lambda action: monster_liking(table, action))
    if verb in ("discard", "give"):
        return min(table.legal, key=lambda action: chance(table, card_of(action)))
    return max(table.legal, key=lambda action: play_worth(table, action))


# The board -------------------------------------------------------------------------------------------------


def left(table: Table, row: str) -> str:
    """The one field that is left in a row; "?" while there are several."""
    fields = table.facts["board"][row]
    return str(fields[0]) if len(fields) == 1 else "?"


def liking(table: Table, action: str) -> float:
    """The worth of the field that this stone would block, for its own hand."""
    _, row, field = action.split()
    if row == "start":
        return 1.0 if int(field) == table.seat else -0.5
    if row == "discard":
        return _DISCARDS[field]
    if row == "trump":
        return length(table, field) / 2 - 1.5 if field != "none" else sevens_up(table) / 2 - 1.5
    if row == "super":
        return 1.0 * table.hand.count(field + "0") - 0.5 if field != "none" else 0.0
    return int(field) * (0.5 + advantage(table) * 3)


def length(table: Table, colour: str) -> int:
    return sum(card[0] == colour for card in table.hand)


def sevens_up(table: Table) -> int:
    """Cards that are high without any trump."""
    return sum(int(card[1]) >= 7 for card in table.hand)


# Strength --------------------------------------------------------------------------------------------------


def chance(table: Table, card: str) -> float:
    """Roughly, how often a card takes a trick, 0 … 1."""
    number = int(card[1])
    if number == 0 and card[0] == left(table, "super"):
        return 1.0
    if card[0] == left(table, "trump"):
        return 0.55 + number / 20
    return 0.8 * (number / 9) ** 2


def advantage(table: Table) -> float:
    """The mean advantage of a card of the hand over one of the deck."""
    deck = [colour + digit for colour in _COLOURS for digit in _DIGITS]
    return mean(table, table.hand) - mean(table, deck)


def mean(table: Table, cards: list[str]) -> float:
    return sum(chance(table, card) for card in cards) / len(cards)


# Teams -----------------------------------------------------------------------------------------------------


def wants_tricks(table: Table) -> bool:
    return left(table, "points") != "-2"


def is_strong(table: Table) -> bool:
    """Tell whether the hand is better than most for these points."""
    return (advantage(table) > 0) == wants_tricks(table)


def team_liking(table: Table, action: str) -> float:
    partners = [int(seat) for seat in action.split()[1:] if seat != "alone"]
    few = -len(partners) if is_strong(table) else len(partners)
    opposite = sum(abs((seat - table.seat) % table.seats - table.seats / 2) for seat in partners)
    return 10 * few - opposite


def monster_liking(table: Table, action: str) -> float:
    seat = int(action.split()[1])
    return 1.0 if (seat == table.seat) == is_strong(table) else 0.0


# Tricks ----------------------------------------------------------------------------------------------------


def play_worth(table: Table, action: str) -> float:
    """The gain of a card in tricks and booty, less the tricks that it might take later."""
    card = card_of(action)
    zeros = [seat for seat, played in table.trick if played[1] == "0"]
    ours = sum(is_with_us(table, seat) for seat in zeros) + (card[1] == "0")
    theirs = sum(not is_with_us(table, seat) for seat in zeros)
    ours_to_take = side_chance(
        table, action, lambda c: chance(table, c), lambda seat: is_with_us(table, seat)
    )
    gain = ours_to_take * (1 + theirs) - (1 - ours_to_take) * (1 + ours) - _KEEPING * chance(table, card)
    return gain if wants_tricks(table) else -gain


def is_with_us(table: Table, seat: int) -> bool:
    """Tell whether this seat is on the bot's side."""
    team = table.facts["team"]
    return (seat in team) == (table.seat in team)
