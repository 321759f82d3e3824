"""A match, walked word by word from deals that are given or shuffled on the spot."""

import copy
from collections.abc import Callable, Iterable, Iterator
from random import Random
from types import ModuleType
from typing import Any

from stichkampf_oracle import meinz, mue, njet, sixes_and_sevens, stiche_raten, sticheln, was_sticht
from stichkampf_oracle.common import Round, ranks
from stichkampf_oracle.manners import Choose, wilful

GAMES: dict[str, ModuleType] = {
    "sticheln": sticheln,
    "stiche-raten": stiche_raten,
    "sixes-and-sevens": sixes_and_sevens,
    "mue": mue,
    "njet": njet,
    "meinz": meinz,
    "was-sticht": was_sticht,
}
ROUNDS: dict[str, Callable[..., Round]] = {
    "sticheln": sticheln.StichelnRound,
    "stiche-raten": stiche_raten.SticheRatenRound,
    "sixes-and-sevens": sixes_and_sevens.SixesAndSevensRound,
    "mue": mue.MueRound,
    "njet": njet.NjetRound,
    "meinz": meinz.MeinzRound,
    "was-sticht": was_sticht.WasStichtRound,
}


def deck(game: str, seats: int, options: dict[str, Any]) -> list[str]:
    """List every card of a deal, copies repeated."""
    return list(GAMES[game].deck(seats, options))


def default_options(game: str, seats: int) -> dict[str, Any]:
    return dict(GAMES[game].default_options(seats))


def fresh_deals(game: str, seats: int, options: dict[str, Any], rng: Random) -> Iterator[dict[str, Any]]:
    """Yield without end each deal's `dealer` and its chance fields as the record writes them."""
    rules = GAMES[game]
    dealer = rng.choice(rules.first_dealers(seats))
    deal = 0
    while True:
        yield {"dealer": dealer, **rules.deal_cards(seats, options, deal, rng)}
        dealer = rules.next_dealer(dealer, seats)
        deal += 1


class Walk:
    """One match. Simultaneous choices may be given in any order; the card monster plays by itself."""

    def __init__(
        self, game: str, seats: int, options: dict[str, Any], deals: Iterable[dict[str, Any]]
    ) -> None:
        self.game, self.seats, self.options = game, seats, options
        self.rules = GAMES[game]
        self.rules.check_options(seats, options)
        self.words: list[str] = self.rules.words(seats, options)
        self.deals = iter(deals)
        self.scores = [0] * seats
        self.over = False
        self.played: list[dict[str, Any]] = []
        self.begin_deal(carry=None)

    def begin_deal(self, carry: Any) -> None:
        self.dealt = dict(next(self.deals))
        self.dealer = self.dealt["dealer"]
        self.round = ROUNDS[self.game](
            self.seats, self.options, len(self.played), self.dealer, self.dealt, carry
        )
        self.moves: list[list[Any]] = []
        self.held: list[list[Any]] = []
        self.order: list[int] = []
        self.play_monster()

    def awaited(self) -> list[int]:
        return [] if self.over else self.round.awaited()

    def legal(self, seat: int) -> list[str]:
        """List every word of the game that this seat may say now, sorted; found by trying each."""
        if seat not in self.awaited():
            return []
        return sorted(word for word in self.words if self.round.is_legal(seat, word))

    def play(self, seat: int, word: str) -> None:
        if self.over or word not in self.words or not self.round.is_legal(seat, word):
            raise ValueError(f"seat {seat} may not say {word!r} now; awaited {self.awaited()}")
        self.apply(seat, word)
        self.play_monster()
        if self.round.over:
            self.end_deal()

    def play_monster(self) -> None:
        while self.round.monster_turn():
            (monster,) = self.round.awaited()
            (word,) = self.legal(monster)
            self.apply(monster, word)

    def apply(self, seat: int, word: str) -> None:
        """Apply a word. Simultaneous choices are held back and written in the order in which they were
        awaited.
        """
        at_once = self.round.at_once()
        if at_once and not self.held:
            self.order = self.round.awaited()
        self.round.play(seat, word)
        if not at_once:
            self.moves.append([seat, word])
            return
        self.held.append([seat, word])
        if not self.round.at_once():
            self.moves += sorted(self.held, key=lambda move: self.order.index(move[0]))
            self.held = []

    def end_deal(self) -> None:
        self.scores = [total + gain for total, gain in zip(self.scores, self.round.scores, strict=True)]
        computed = {"moves": self.moves, "scores": self.round.scores}
        self.played.append({**self.dealt, **self.round.found(), **computed})
        carry = self.round.carry
        if self.rules.finished(self.seats, self.options, len(self.played), self.scores, carry):
            self.over = True
        else:
            self.begin_deal(carry)

    def record(self) -> dict[str, Any]:
        return {
            "format": "stichkampf-record/1",
            "game": self.game,
            "options": self.options,
            "seats": [{"bot": f"foreign/{seat}", "version": 1} for seat in range(self.seats)],
            "deals": self.played,
            "faults": [],
            "scores": self.scores,
            "ranks": ranks(self.scores),
        }


def random_record(
    game: str, seats: int, options: dict[str, Any], rng: Random, choose: Choose = wilful
) -> dict[str, Any]:
    walk = Walk(game, seats, options, fresh_deals(game, seats, options, rng))
    while not walk.over:
        seat = rng.choice(walk.awaited())
        walk.play(seat, choose(rng, walk.legal(seat)))
    return copy.deepcopy(walk.record())


def perft(walk: Walk, depth: int) -> int:
    """Count the sequences of `depth` choices from here; the end of the deal ends one early."""
    return continuations(walk.round, walk.words, depth)


def continuations(round: Round, words: list[str], depth: int) -> int:
    if round.over or depth == 0:
        return 1
    seat = round.awaited()[0]
    leaves = 0
    for word in words:
        if round.is_legal(seat, word):
            branch = copy.deepcopy(round)
            branch.play(seat, word)
            leaves += continuations(branch, words, depth if round.monster_turn() else depth - 1)
    return leaves
