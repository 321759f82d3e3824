"""Fit the weights of a game's policy to the visits of long searches, and write them.

Deals are played by long searches, here and there by chance, so that all kinds of situation come up. At every
decision on which the policy has an opinion the visits are counted by kind of action. The weights of the kinds
are those that make these visits most likely (Coulom, "Computing Elo Ratings of Move Patterns in the Game of
Go", 2007). The searches use the policy as it stands (`--fresh`: none), so a second run goes on from the
first. The same arguments, engine and weights give the same weights again.

With `--tricks` the policies are those that judge the cards of tricks as well. Kinds that the game's other
policy knows keep their weights, and `--fresh` searches use that one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from stichkampf.engine.deal import Deal
from stichkampf.engine.policy import Policy
from stichkampf.engine.search import search
from stichkampf.engine.seeds import Chance, match_seed
from stichkampf.games import GAMES, new_game
from stichkampf.policies import POLICIES, policy_of
from stichkampf.policies.kind_policy import KindPolicy
from stichkampf.policies.tricks import TRICK_POLICIES
from stichkampf.policies.weights import FILE, read_weights, weights_of

ROUNDS = 200
UNIT = 1000
MOST = 100_000
DRAWN_GAMES = 1.0  # of each kind against one of the weight 1, so that seldom seen kinds stay moderate
BY_CHANCE = 4  # one of four choices falls on a likely action instead of the best
DEALS_A_JOB = 5

Decision = tuple[list[int], list[int]]
"""The kind of each action, and its visits."""


@dataclass(frozen=True)
class Fit:
    """The policy that is fitted, and the searches that play its deals.

    :ivar fresh: without the policy as it stands.
    """

    game: str
    tricks: bool
    fresh: bool
    iterations: int
    seed: str

    @property
    def kinds(self) -> type[KindPolicy]:
        return (TRICK_POLICIES if self.tricks else POLICIES)[self.game]

    @property
    def guide(self) -> Policy | None:
        if not self.fresh:
            return self.kinds(weights_of(self.game, self.kinds.names))
        return policy_of(self.game) if self.tricks else None

    def sets(self, kind: str) -> bool:
        """Tell whether the weight of a kind is written; else it is the other policy's."""
        return not (self.tricks and self.game in POLICIES and kind in POLICIES[self.game].names)


def main() -> int:
    parser = argparse.ArgumentParser(prog="fit_policy.py", description=__doc__)
    parser.add_argument("--game", choices=sorted({*POLICIES, *TRICK_POLICIES}), required=True)
    parser.add_argument("--tricks", action="store_true", help="the policy that judges the cards of tricks")
    parser.add_argument("--deals", type=int, default=100, metavar="N", help="deals a number of seats (100)")
    parser.add_argument("--iterations", type=int, default=4000, metavar="N", help="of each search (4000)")
    parser.add_argument(
        "--seats", type=int, nargs="+", metavar="N", help="numbers of seats (all of the game)"
    )
    parser.add_argument("--seed", default="fit", help="of the deals and searches: any text")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="deals side by side (2)")
    parser.add_argument("--fresh", action="store_true", help="search without the policy of today")
    args = parser.parse_args()
    if args.game not in (TRICK_POLICIES if args.tricks else POLICIES):
        parser.error(f"{args.game} has no such policy {'with' if args.tricks else 'without'} --tricks")
    fit = Fit(args.game, args.tricks, args.fresh, args.iterations, args.seed)
    jobs = [
        (fit, seats, first)
        for seats in args.seats or GAMES[args.game].players
        for first in range(0, args.deals, DEALS_A_JOB)
    ]
    decisions: list[Decision] = []
    with ProcessPoolExecutor(args.workers) as pool:
        for found in pool.map(decisions_of, *zip(*jobs, strict=True)):
            decisions += found
            print(f"\r{len(decisions)} decisions", end="", file=sys.stderr, flush=True)
    kinds = fit.kinds.names
    chosen = dict(zip(kinds, likeliest_weights(decisions, len(kinds)), strict=True))
    chosen = {**read_weights().get(args.game, {}), **{name: chosen[name] for name in kinds if fit.sets(name)}}
    FILE.write_text(json.dumps({**read_weights(), args.game: chosen}, indent=1) + "\n", encoding="utf-8")
    print(
        f"\r{len(decisions)} decisions of {len(jobs) * DEALS_A_JOB} deals; weights:",
        *chosen.items(),
        sep="\n",
    )
    return 0


def decisions_of(fit: Fit, seats: int, first: int) -> list[Decision]:
    """Play a few deals and return the decisions on which the policy has an opinion."""
    name, seed = fit.game, fit.seed
    game = new_game(name, seats)
    policy, guide = fit.kinds([1] * len(fit.kinds.names)), fit.guide
    found: list[Decision] = []
    for number in range(first, first + DEALS_A_JOB):
        text = f"{seed} {name} {seats} {number}"
        chance = Chance(match_seed(text), "deal 0")
        # a middle number of cards, where games deal more from deal to deal
        which = number % 8
        carry = game.start()
        deal = game.new_deal(which, number % game.table_seats, game.shuffle(chance, which, carry), carry)
        found += _played(deal, policy, guide, fit.iterations, Chance(match_seed(text), "play"))
    return found


def _played(
    deal: Deal, policy: KindPolicy, guide: Policy | None, iterations: int, chance: Chance
) -> Iterator[Decision]:
    while not deal.is_over() and policy.judges(deal):
        seat = deal.player()
        legal = deal.legal_of(seat)
        kinds = policy.kinds(deal, seat, legal) if len(legal) > 1 else []
        action = legal[chance.below(len(legal))]
        if len(set(kinds)) > 1:
            seen = search(
                deal, seat, iterations=iterations, seed=chance.below(2**31), policy=guide, priors=guide
            )
            yield kinds, seen.visits
            action = seen.action
            if chance.below(BY_CHANCE) == 0:
                action = _drawn(seen.actions, seen.visits, chance)
        deal.apply_by(seat, action)


def _drawn(actions: Sequence[int], visits: Sequence[int], chance: Chance) -> int:
    left = chance.below(sum(visits))
    for action, count in zip(actions, visits, strict=True):
        left -= count
        if left < 0:
            return action
    raise AssertionError("the visits do not add up")


def likeliest_weights(decisions: Sequence[Decision], kinds: int) -> list[int]:
    """Return the weights of kinds that make the visits most likely, each decision counting once.

    >>> often, seldom = likeliest_weights([([0, 1], [300, 100])] * 1000, 2)
    >>> often / seldom > 2.9
    True
    """
    wins = [DRAWN_GAMES] * kinds
    for of, visits in decisions:
        for kind, count in zip(of, visits, strict=True):
            wins[kind] += count / sum(visits)
    strengths = [1.0] * kinds
    for _ in range(ROUNDS):
        expected = [2 * DRAWN_GAMES / (strength + 1) for strength in strengths]
        for of, _visits in decisions:
            total = sum(strengths[kind] for kind in of)
            for kind in of:
                expected[kind] += 1 / total
        strengths = [won / chances for won, chances in zip(wins, expected, strict=True)]
    return [min(MOST, max(1, round(UNIT * strength))) for strength in strengths]


if __name__ == "__main__":
    sys.exit(main())
