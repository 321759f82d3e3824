"""`Deal`: the state of one deal, with the methods that every game has.

A `Deal` is the hot object that search bots clone by the hundred thousand: integers and bit masks, compiled by
mypyc where a compiler or wheel is at hand, the same file interpreted elsewhere, equal results either way. It
checks nothing: `match.Match` and the adapters validate at the border. Actions are small integers; their words
are those of the match record ("play R6"). Seats count from 0.

**Turns.** `player()` is the seat whose choice the record lists next. Where all choose at once, `to_act()`
lists every seat still awaited, and `apply_by` takes their answers in any order; nothing is applied before the
last is in.

**Overrides.** The compiled classes take subclasses in plain Python, so a call from this class to a method of
a game is a slow one. Games repeat the lines of `legal_actions` and `playout` for that, because their own
calls are direct, and write scores and legal actions into vecs (`write_scores`, `write_legal`), so that
playouts and search make no lists. A game that leaves these out, such as one in plain Python, gets the same
results.

**Knowledge.** `information_set(seat)` is the deal as that seat knows it, for short a *blind* deal.
`determinise(seat, seed)` is a blind deal with the unknown filled in uniformly over physical deals (copies of
a card count as distinct), so a search can use nothing hidden. On the far side of the wire a bot holds a blind
deal from `Game.blind_deal` and follows events with `apply_observed` and `apply_facts`.
"""

from __future__ import annotations

from typing import Any

from mypy_extensions import i64, mypyc_attr

from stichkampf.engine.bits import BIT, below, index_of, next_random, spread, start_random, vec
from stichkampf.engine.plain_fields import plain_fields, restored

Json = Any
Facts = dict[str, Json]
Carry = dict[str, Json]


class Trick:
    """A finished trick.

    >>> Trick(1, 2, [(0, "R6"), (1, "R2"), (2, "R9")])
    trick 1: seat 0 R6, seat 1 R2, seat 2 R9; won by seat 2

    :ivar number: from 1.
    :ivar winner: the winning seat, -1 for none.
    :ivar cards: as (seat, card word), in order played.
    """

    def __init__(self, number: int, winner: int, cards: list[tuple[int, str]]) -> None:
        self.number = number
        self.winner = winner
        self.cards = cards

    def __repr__(self) -> str:
        cards = ", ".join([f"seat {seat} {card}" for seat, card in self.cards])
        winner = f"won by seat {self.winner}" if self.winner >= 0 else "won by no seat"
        return f"trick {self.number}: {cards}; {winner}"


@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)
class Deal:
    """The state of one deal.

    >>> from stichkampf.games import new_game
    >>> from stichkampf.engine.seeds import Chance
    >>> game = new_game("sticheln", 3)
    >>> deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    >>> for action in (deal.legal_actions()[0] for _ in range(4)):
    ...     deal.apply(action)
    >>> deal
    <StichelnDeal: tricks, seat 2 to act>
    >>> print(deal.information_set(1))
    StichelnDeal: tricks, seat 2 to act, as seat 1 knows it
    seat 0: (14 cards)
    seat 1: R4 R6 R7 R8 Y0 Y2 Y5 Y6 Y8 G2 G5 B5 O7
    seat 2: (14 cards)
    on the table: seat 1 R3
    pain: ['R1', 'R0', 'R2']
    points: [-1, 0, -2]
    tricks: [0, 0, 0]

    :ivar seats: seats at the table, the card monster of Meinz included.
    :ivar dealer: the dealer's seat (Was sticht?: the start player's).
    :ivar turn: the seat that acts next, -1 when the deal is over.
    :ivar viewer: -1 in a full deal, in a blind one the seat that it is seen from.
    :ivar awaited: while all choose at once, the seats still awaited as a bit mask; else 0.
    """

    seats: i64
    dealer: i64
    turn: i64
    viewer: i64
    awaited: i64

    def __init__(self, seats: i64, dealer: i64) -> None:
        self.seats = seats
        self.dealer = dealer
        self.turn = 0
        self.viewer = -1
        self.awaited = 0

    def __repr__(self) -> str:
        turn = "over" if self.turn < 0 else f"{self.phase()}, seat {self.turn} to act"
        known = "" if self.viewer < 0 else f", as seat {self.viewer} knows it"
        return f"<{type(self).__name__}: {turn}{known}>"

    def __str__(self) -> str:
        """Show hands, trick and facts: all of them, or on a blind deal those that its viewer knows."""
        lines = [repr(self)[1:-1]]
        for seat in range(self.seats):
            cards = self.hand(seat)
            seen = self.viewer < 0 or self.viewer == seat
            if not seen:
                cards = [*cards, f"({self.hand_size(seat)} cards)"]
            lines.append(f"seat {seat}: {' '.join(cards)}")
            if seen:
                lines.extend([f"seat {seat}, {name}: {fact}" for name, fact in self.secrets(seat).items()])
        trick = [f"seat {seat} {card}" for seat, card in self.table()]
        lines.append(f"on the table: {', '.join(trick) or 'nothing'}")
        last = self.last_trick()
        if last is not None:
            lines.append(repr(last))
        lines.extend([f"{name}: {fact}" for name, fact in self.facts().items()])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Draw hands, trick and facts for a notebook, as much as `str` tells."""
        # playing needs no drawings
        from stichkampf.drawing import deal_html

        return deal_html(self)

    def player(self) -> int:
        """Return the seat whose choice the record lists next; -1 when the deal is over."""
        return self.turn

    def is_over(self) -> bool:
        """Tell whether the deal has ended: no seat is asked any more."""
        return self.turn < 0

    def legal_actions(self) -> list[int]:
        """List the legal actions of `player()`, ascending, each once; empty when the deal is over."""
        return self.legal_of(self.turn) if self.turn >= 0 else []

    def legal_of(self, seat: int) -> list[int]:
        """List the legal actions of a seat of `to_act()`."""
        raise NotImplementedError

    def write_legal(self, actions: vec[i64]) -> i64:
        """Write `legal_actions()` of a deal that is not over into a vec of 128 entries or more; returns their
        number. Where that is greater than the length of the vec, nothing is written.
        """
        legal = self.legal_actions()
        if len(legal) <= len(actions):
            for k in range(len(legal)):
                actions[k] = legal[k]
        return len(legal)

    def apply(self, action: i64) -> None:
        """Carry out a legal action of `player()`. Unchecked."""
        raise NotImplementedError

    def pick(self, x: i64) -> i64:
        """Return the legal action of `player()` that a state of the playout generator falls on, all equally
        likely.
        """
        legal = self.legal_actions()
        return legal[below(len(legal), x)]

    def scores(self) -> list[int]:
        """Return the points of this deal by seat that a bot holds. Only when the deal is over."""
        raise NotImplementedError

    def write_scores(self, points: vec[i64]) -> i64:
        """Write the scores into a vec with an entry for every seat at the table; returns their number."""
        scores = self.scores()
        for s in range(len(scores)):
            points[s] = scores[s]
        return len(scores)

    def written_scores(self) -> list[int]:
        """Return what `write_scores` writes, for games that state their scores there."""
        points: vec[i64] = vec[i64]([0] * self.seats)
        return [points[s] for s in range(self.write_scores(points))]

    def clone(self) -> Deal:
        """Return an independent copy."""
        raise NotImplementedError

    def __copy__(self) -> Deal:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Deal:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle keeps: the fields as plain integers, alike compiled and interpreted."""
        return restored, (type(self), *plain_fields(self))

    # Simultaneous choices -----------------------------------------------------------------------------------

    def to_act(self) -> list[int]:
        """List every seat whose answer is awaited now, in the record's order; empty when the deal is over."""
        if self.turn < 0:
            return []
        if self.awaited == 0:
            return [self.turn]
        return [s for s in self.from_dealers_left() if (self.awaited >> s) & 1]

    def from_dealers_left(self) -> list[int]:
        """List the seats in the order of play, from the dealer's left; the dealer is last."""
        return [(self.dealer + 1 + k) % self.seats for k in range(self.seats)]

    def await_all(self, mask: i64) -> None:
        """Ask the seats of the mask at once."""
        self.awaited = mask
        self.turn = self.next_awaited()

    def next_awaited(self) -> i64:
        """Return the first seat from the dealer's left that is still asked; -1 for none."""
        if self.awaited == 0:
            return -1
        later: i64 = self.awaited >> (self.dealer + 1) << (self.dealer + 1)
        if later == 0:
            later = self.awaited
        return index_of(later & -later)

    def apply_by(self, seat: int, action: int) -> None:
        """Carry out a legal action of a seat of `to_act()`. The order in which seats answer never matters."""
        if self.awaited == 0:
            self.apply(action)
            return
        if self.commit(seat, action):
            mask: i64 = self.awaited
            self.awaited = mask & ~BIT[seat]
        self.turn = self.next_awaited()
        if self.awaited == 0:
            self.reveal()

    def commit(self, seat: i64, action: i64) -> bool:
        """Note a hidden choice; True when that seat has nothing more to choose."""
        raise NotImplementedError

    def reveal(self) -> None:
        """Carry out the hidden choices, all of them being in."""
        raise NotImplementedError

    # Search -------------------------------------------------------------------------------------------------

    def playout(self, x: i64) -> i64:
        """Play random legal actions to the end; takes and returns a state of the playout generator."""
        while self.turn >= 0:
            x = next_random(x)
            self.apply(self.pick(x))
        return x

    def rollout(self, seed: int) -> list[int]:
        """Return the scores of one random playout from here; this deal stays as it is."""
        end = self.clone()
        end.playout(start_random(seed))
        return end.scores()

    def rollouts(self, n: int, seed: int) -> list[int]:
        """Return the sums of the scores of n random playouts from here."""
        x: i64 = start_random(seed)
        sums: vec[i64] = vec[i64]([0] * self.seats)
        points: vec[i64] = vec[i64]([0] * self.seats)
        scored: i64 = 0
        for _k in range(n):
            end = self.clone()
            x = end.playout(x)
            scored = end.write_scores(points)
            add(sums, points, scored)
        return [sums[s] for s in range(scored)]

    def world_rollouts(self, seat: int, n: int, seed: int) -> list[int]:
        """Return the sums of the scores of n playouts, each from a fresh world that agrees with all that
        `seat` knows.
        """
        x: i64 = start_random(seed)
        sums: vec[i64] = vec[i64]([0] * self.seats)
        points: vec[i64] = vec[i64]([0] * self.seats)
        scored: i64 = 0
        known = self.information_set(seat)
        for _k in range(n):
            x = next_random(x)
            world = known.clone()
            world.sample_hidden(spread(x))
            x = world.playout(x)
            scored = world.write_scores(points)
            add(sums, points, scored)
        return [sums[s] for s in range(scored)]

    def determinise(self, seat: int, seed: int) -> Deal:
        """Return a full deal drawn uniformly from all that agree with the knowledge of `seat`. Pending
        choices of others are left open.

        The same seat, knowledge and seed give the same deal, compiled or not. On a blind deal `seat` must be
        its viewer.
        """
        world = self.information_set(seat)
        world.sample_hidden(start_random(seed))
        return world

    def information_set(self, seat: int) -> Deal:
        """Return the blind deal of a seat: a copy without the cards and choices hidden from it. Deals that
        the seat cannot tell apart give equal ones, by `key()`.
        """
        raise NotImplementedError

    def sample_hidden(self, x: i64) -> None:
        """Sample the hidden cards and choices of a blind deal, uniformly, and make it a full deal; x is a
        state of the playout generator.
        """
        raise NotImplementedError

    def key(self) -> list[int]:
        """List every field as integers: equal lists, equal deals."""
        raise NotImplementedError

    # On the far side of the wire ----------------------------------------------------------------------------

    def apply_observed(self, mover: int, seen: str) -> None:
        """Apply, on a blind deal, a choice as its viewer saw it: a word, or a masked one ("discard ?")."""
        raise NotImplementedError

    def apply_facts(self, facts: Facts) -> None:
        """Apply, on a blind deal, facts that no move shows: a card received, rows laid out. Most games have
        none.
        """

    # The border: words, for people, records and the wire ----------------------------------------------------

    def word(self, action: int) -> str:
        """Return the action in the words of the match record."""
        raise NotImplementedError

    def action(self, word: str) -> int:
        """Return the action that a word means.

        :raises ActionError: when no moment of this game could accept the word.
        """
        raise NotImplementedError

    def seen_as(self, seat: int, mover: int, action: int) -> str:
        """Return an action of `mover` as `seat` sees it: its word, or a masked one ("discard ?"). Seat -1 is
        an onlooker.
        """
        return self.word(action)

    def phase(self) -> str:
        """Return the name of the part of the deal that is played, such as `tricks`."""
        raise NotImplementedError

    def hand(self, seat: int) -> list[str]:
        """List the card words of a hand in the game's order, copies repeated. On a blind deal only the cards
        that its viewer knows.
        """
        raise NotImplementedError

    def hand_size(self, seat: int) -> int:
        """Return the number of cards in a hand, which every seat knows."""
        raise NotImplementedError

    def table(self) -> list[tuple[int, str]]:
        """List the cards of the current trick as (seat, card word), in order played."""
        raise NotImplementedError

    def holder(self) -> int:
        """Return the seat that would take the trick if it ended with the cards on the table; -1 for none."""
        return -1

    def hidden_cards(self) -> list[str]:
        """List the card words, copies repeated, whose owner the viewer of a blind deal does not know, those
        that left the deal unseen included.
        """
        raise NotImplementedError

    def lacking(self, seat: int) -> list[str]:
        """List the cards that a seat is known not to hold, having not followed; each word once."""
        return []

    def facts(self) -> Facts:
        """Return the public facts beyond the table: trump, bids, tricks won, …; keys sorted, values JSON."""
        raise NotImplementedError

    def secrets(self, seat: int) -> Facts:
        """Return the facts that this seat alone knows, beside its hand; keys sorted, values JSON."""
        return {}

    def last_trick(self) -> Trick | None:
        """Return the trick that the last action completed, else the one completed before; None before the
        first.
        """
        raise NotImplementedError

    def tricks_done(self) -> int:
        """Count the complete tricks of this deal."""
        raise NotImplementedError


def add(sums: vec[i64], points: vec[i64], scored: i64) -> None:
    """Add the first entries of a vec to those of another."""
    for s in range(scored):
        sums[s] += points[s]
