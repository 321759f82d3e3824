"""Rules of thumb for Stiche-Raten.

1. Bid as many tricks as the hand is worth: each card by the chance that no other hand has a better one, all
   of them less where the cards of the whole deck together promise more tricks than there are.
2. Short of the bid: take the trick, last to play with the cheapest card that does, else with the strongest;
   where none takes it, throw the weakest.
3. Bid met: throw the strongest card that does not take the trick; where all do, last to play get rid of the
   strongest, else hope with the weakest.
"""

from __future__ import annotations

from stichkampf.bots.thumbs.tricks import card_of, duck, take
from stichkampf.match.table import Table

_NATURAL = "23456789TJQKA"
_TEN_HIGH = "23456789JQKTA"
_GRAB = {64: ("CJ", "SJ"), 52: ("CJ", "DJ", "HJ", "SJ")}
_PASS = {64: ("DJ", "HJ"), 52: ("CA", "DA", "HA", "SA")}


def choose(table: Table) -> str:
    if table.legal[0].startswith("trump"):
        return max(table.legal, key=lambda action: sum(card[0] == action[-1] for card in table.hand))
    if table.legal[0].startswith("bid"):
        worth = sum(chance_to_win(table, card) for card in table.hand) * fair_share(table)
        return min(table.legal, key=lambda action: abs(int(action[4:]) - worth))
    return play(table)


def play(table: Table) -> str:
    weakest_first = sorted(table.legal, key=lambda action: chance_to_win(table, card_of(action)))
    short = table.facts["tricks"][table.seat] < table.facts["bids"][table.seat]
    return take(table, weakest_first) if short else duck(table, weakest_first)


def fair_share(table: Table) -> float:
    """The factor by which an average hand is worth its share of the tricks."""
    ranks = _NATURAL if int(table.game.options["deck"]) == 52 else _NATURAL[5:]
    chances = [chance_to_win(table, suit + rank) for suit in "CDHS" for rank in ranks]
    return len(chances) / sum(chances) / table.seats


def chance_to_win(table: Table, card: str) -> float:
    """Roughly, how often a card takes a trick: 1 where nothing beats it."""
    deck = int(table.game.options["deck"])
    if table.game.options["greifen_passen"]:
        if card in _GRAB[deck]:
            return 0.9
        if card in _PASS[deck]:
            return 0.0
    order = _TEN_HIGH if table.game.options["ten_high"] else _NATURAL
    copies = 2 if deck == 64 else 1
    higher = copies * (len(order) - 1 - order.index(card[1]))
    trump = table.facts["trump"]
    trumps = deck // 4 if trump is not None and card[0] != trump else 0
    return (1 - (higher + trumps) / deck) ** (table.seats - 1)
