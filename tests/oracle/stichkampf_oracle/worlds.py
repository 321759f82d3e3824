"""Every world that agrees with what a seat has seen, found by trying them all.

A world is a physical dealing of the cards still unseen, copies of a card counting as distinct, and with it
the hidden choices that the others have made. It agrees when all that has happened is legal in it. Nothing is
deduced: each is played again.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb, perm
from typing import Any, NamedTuple

from stichkampf_oracle.common import left
from stichkampf_oracle.walk import ROUNDS, deck

MONSTER = 3


class Seen(NamedTuple):
    """One deal up to now, and the seat that looks at it."""

    game: str
    seats: int
    options: dict[str, Any]
    index: int
    dealer: int
    dealt: dict[str, Any]
    moves: list[list[Any]]
    viewer: int


class Pile(NamedTuple):
    """A pile of unseen cards: the hand of a seat, the cards that it has put away, or the rest."""

    what: str
    seat: int
    size: int
    ordered: bool = False


class Others:
    """The knowledge of the viewer about the other seats' cards."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.at_table = 4 if seen.game == "meinz" else seen.seats
        everybody = range(self.at_table)
        self.shown: list[list[str]] = [[] for _ in everybody]
        """Cards that were dealt to a seat and have been seen since."""
        self.open: list[list[str]] = [[] for _ in everybody]
        """Cards that a seat is known to hold now."""
        self.plays = [0] * self.at_table
        self.away: list[list[str]] = [[] for _ in everybody]
        self.passing = any(word.startswith("give ") for _, word in seen.moves)
        for seat, word in seen.moves:
            self.follow(seat, *word.split())

    def follow(self, seat: int, verb: str, *what: str) -> None:
        if verb in ("away", "discard", "give"):
            self.away[seat].append(what[0])
            right = (seat - 1) % self.seen.seats
            if verb == "give" and seat == self.seen.viewer:
                self.open[right].append(what[0])
            if verb == "give" and right == self.seen.viewer:
                self.shown[seat].append(what[0])
        elif verb == "lay":
            self.shown[seat].append(what[0])
            self.open[seat].append(what[0])
        elif verb == "pain":
            self.shown[seat].append(what[0])
        elif verb == "swap":
            self.part_with(seat, what[0])
            self.open[seat].append(what[1])
        elif verb == "play":
            self.plays[seat] += 1
            self.part_with(seat, what[0])

    def part_with(self, seat: int, card: str) -> None:
        """An open card goes before a hidden copy."""
        if card in self.open[seat]:
            self.open[seat].remove(card)
        else:
            self.shown[seat].append(card)

    def unseen(self) -> list[str]:
        seen = self.seen
        left_over = Counter(deck(seen.game, seen.seats, seen.options))
        left_over.subtract(seen.dealt["hands"][seen.viewer])
        for seat in range(self.at_table):
            if seat != seen.viewer:
                left_over.subtract(self.shown[seat])
        if self.turned_up():
            left_over.subtract([self.turned_up()])
        if self.passing:  # cards given to the viewer came out of another hand, and may be played by now
            received = left(seen.viewer, seen.seats)
            assert not set(self.away[received]) - set(self.shown[received])
        assert min(left_over.values()) >= 0
        return sorted(left_over.elements())

    def turned_up(self) -> str:
        """Stiche-Raten's public card, "" for none."""
        seen = self.seen
        if seen.game != "stiche-raten" or seen.index + 1 >= seen.options["deck"] // seen.seats:
            return ""
        card: str = seen.dealt["stock"][0]
        return card

    def piles(self) -> list[Pile]:
        piles = []
        for seat in range(self.at_table):
            if seat == self.seen.viewer:
                continue
            if self.seen.game == "meinz" and self.seen.seats == MONSTER == seat:
                piles.append(Pile("hand", seat, 9 - self.plays[seat], ordered=True))
                continue
            dealt = len(self.seen.dealt["hands"][seat])
            away = 0 if self.passing else len(self.away[seat])
            pained = 1 if self.seen.game == "sticheln" else 0
            held = dealt - away - pained - self.plays[seat]
            piles.append(Pile("hand", seat, held - len(self.open[seat])))
            if away:
                piles.append(Pile("away", seat, away, ordered=True))
        return piles


Cards = dict[tuple[str, int], tuple[str, ...]]


def arrangements(pool: list[str], piles: list[Pile]) -> int:
    """Count the arrangements, consistent or not."""
    count, left_over = 1, len(pool)
    for pile in piles:
        count *= (perm if pile.ordered else comb)(left_over, pile.size)
        left_over -= pile.size
    return count


def arranged(pool: list[str], piles: list[Pile]) -> Iterator[Cards]:
    """Yield every way to put physical cards into the piles; the cards left over are a pile of their own."""
    if not piles:
        yield {("stock", -1): tuple(pool)}
        return
    pile = piles[0]
    choose = permutations if pile.ordered else combinations
    for chosen in choose(range(len(pool)), pile.size):
        cards = tuple(pool[number] for number in chosen)
        rest = [card for number, card in enumerate(pool) if number not in chosen]
        for others in arranged(rest, piles[1:]):
            yield {(pile.what, pile.seat): cards, **others}


def agrees(others: Others, cards: Cards) -> bool:
    """Tell whether all moves are legal in this world."""
    seen = others.seen
    dealt, moves = true_in(others, cards)
    try:
        round = ROUNDS[seen.game](seen.seats, seen.options, seen.index, seen.dealer, dealt, None)
    except ValueError:
        return False
    for seat, word in moves:
        if not round.is_legal(seat, word):
            return False
        round.play(seat, word)
    return True


def true_in(others: Others, cards: Cards) -> tuple[dict[str, Any], list[list[Any]]]:
    """The deal as dealt and the moves, the hidden ones filled in, if these cards lie in these piles."""
    seen = others.seen
    dealt = dict(seen.dealt)
    hands = [list(hand) for hand in dealt["hands"]]
    away = {seat: list(cards.get(("away", seat), ())) for seat in range(others.at_table)}
    away[seen.viewer] = list(others.away[seen.viewer])
    if others.passing:
        away = pass_on(others, cards, hands)
    else:
        for seat in range(seen.seats):
            if seat != seen.viewer:
                hands[seat] = [*cards["hand", seat], *away[seat], *others.shown[seat]]
    dealt["hands"] = hands
    if "monster" in dealt:
        played = [word.split()[1] for seat, word in seen.moves if seat == MONSTER]
        dealt["monster"] = [*played, *cards["hand", MONSTER]]
    if "stock" in dealt:
        dealt["stock"] = [*([others.turned_up()] if others.turned_up() else []), *cards["stock", -1]]
    moves = []
    for seat, word in seen.moves:
        verb = word.split()[0]
        hidden = verb in ("away", "discard", "give")
        moves.append([seat, f"{verb} {away[seat].pop(0)}" if hidden else word])
    return dealt, moves


def pass_on(others: Others, cards: Cards, hands: list[list[str]]) -> dict[int, list[str]]:
    """Fill in hands before the passing and the cards that each gave; any two where it cannot be known."""
    seen = others.seen
    after: dict[int, list[str]] = {}
    for seat in range(seen.seats):
        played = [word.split()[1] for mover, word in seen.moves if mover == seat and word.startswith("play ")]
        after[seat] = [*cards.get(("hand", seat), ()), *others.open[seat], *played]
    gave = {}
    for giver in range(seen.seats):
        right = (giver - 1) % seen.seats
        known = seen.viewer in (giver, right)
        gave[giver] = list(others.away[giver]) if known else after[right][:2]
    for seat in range(seen.seats):
        if seat == seen.viewer:
            continue
        hands[seat] = list(after[seat])
        for card in gave[left(seat, seen.seats)]:
            hands[seat].remove(card)
        hands[seat] += gave[seat]
    return gave


def label(others: Others, cards: Cards) -> tuple[Any, ...]:
    """The world in words: each hand, and what each has put away."""
    hands, away = [], []
    for seat in range(others.at_table):
        held = list(cards.get(("hand", seat), ()))
        if others.seen.game != "mue":
            held += others.open[seat]
        in_order = others.seen.game == "meinz" and others.seen.seats == MONSTER == seat
        hands.append(tuple(held if in_order else sorted(held)))
        away.append(tuple(sorted(cards.get(("away", seat), ()))))
    return tuple(hands), tuple(away)


def worlds(seen: Seen) -> tuple[Counter[tuple[Any, ...]], int]:
    """Every world with its weight (how many physical ones look like it), and how many were ruled out."""
    others = Others(seen)
    tried: Counter[tuple[Any, ...]] = Counter()
    for cards in arranged(others.unseen(), others.piles()):
        tried[tuple((pile, cards[pile]) for pile in cards if pile[0] != "stock")] += 1
    found: Counter[tuple[Any, ...]] = Counter()
    ruled_out = 0
    pool = others.unseen()
    for items, weight in tried.items():
        cards = dict(items)
        rest = Counter(pool)
        for held in cards.values():
            rest.subtract(held)
        cards["stock", -1] = tuple(rest.elements())
        if agrees(others, cards):
            found[label(others, cards)] += weight
        else:
            ruled_out += weight
    return found, ruled_out


def size(seen: Seen) -> int:
    """Count the arrangements that `worlds` would have to try."""
    others = Others(seen)
    return arrangements(others.unseen(), others.piles())
