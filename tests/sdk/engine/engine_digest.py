"""The engine's behaviour as one digest for every game, number of seats and spread of options.

`python engine_digest.py` prints JSON: the engine modules, true where compiled, and the digests. Two engines
that give the same digests agree in every legal list, field, world, playout and search on the way, and in the
events, records and frames of matches. The report also tells what `help()` shows of the modules.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from stichkampf.engine import bits, deal, packs, policy, search, seeds, trick_deal, worlds
from stichkampf.engine.bits import next_random
from stichkampf.engine.deal import Deal
from stichkampf.engine.game import Game
from stichkampf.engine.seeds import Chance
from stichkampf.faults import FaultKind
from stichkampf.games import GAMES, new_game
from stichkampf.lab.batch import Batch, stepper
from stichkampf.lab.observations import ENCODERS, encoder
from stichkampf.match import adjudicator, match, narrator
from stichkampf.match.answers import TimeTaken
from stichkampf.match.events import Event
from stichkampf.policies import POLICIES, kind_policy, policy_of
from stichkampf.wire import encoded_updates

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "sticheln": [{}, {"edition": "short"}],
    "stiche-raten": [{}, {"deck": 52, "greifen_passen": True, "hook": False}, {"greifen_passen": True}],
    "sixes-and-sevens": [{}, {"off_suit_seven": "absolute"}],
    "mue": [{}, {"allow_same_trump": True, "bonus_cap": "none"}],
    "njet": [{}, {"scoring": "difference", "supertrump_suit": "own"}],
    "meinz": [{}],
    "was-sticht": [{}, {"distinct_tasks": True}],
}
DEALS = 6
BATCH_STEPS = 80
STRIDE = 7  # decisions between looks at worlds, playouts and searches
ANSWERS = 90


def settings() -> Iterator[tuple[str, Game]]:
    for name, rules in GAMES.items():
        for seats in rules.players:
            for options in OPTIONS[name]:
                yield f"{name} {seats} {json.dumps(options)}", new_game(name, seats, options)


def digest(setting: str, rules: Game) -> str:
    seen = hashlib.sha256()
    carry = rules.start()
    for number in range(DEALS):
        chance = Chance(hashlib.sha256(setting.encode()).digest(), f"deal {number}")
        dealt = rules.shuffle(chance, number, carry)
        deal = rules.new_deal(number, number % rules.table_seats, dealt, carry)
        for fact in story(deal, rules, number + 1):
            seen.update(repr(fact).encode())
        carry = rules.carry(deal, carry)
    return seen.hexdigest()


def story(deal: Deal, rules: Game, x: int) -> Iterator[object]:
    """Yield all answers of a deal while it is played at random; without a look ahead for the card monster."""
    decision = 0
    while not deal.is_over():
        yield deal.to_act(), deal.player(), deal.legal_actions(), deal.key(), deal.phase(), deal.facts()
        if decision % STRIDE == 0 and deal.player() < rules.seats:
            yield from look_ahead(deal, rules.name, x)
        x = next_random(x)
        action = deal.pick(x)
        yield deal.word(action)
        deal.apply(action)
        decision += 1
    yield deal.key(), deal.scores()


def look_ahead(deal: Deal, name: str, x: int) -> Iterator[object]:
    seat = deal.player()
    yield deal.clone().key(), deal.rollout(x), deal.rollouts(2, x)
    for observer in deal.from_dealers_left()[:3]:
        yield deal.information_set(observer).key(), deal.determinise(observer, x).key()
    yield deal.world_rollouts(seat, 2, x)
    found = search.search(deal, seat, iterations=12, seed=x)
    yield found.action, found.visits, found.values
    guide = policy_of(name)
    if guide is not None:
        guided = search.search(deal, seat, iterations=12, seed=x, policy=guide, priors=guide)
        yield guided.action, guided.visits, guided.values


class LastLegal:
    """A substitute."""

    def choose(self, events: list[Event], legal: list[str]) -> str:
        return legal[-1]


def match_digest(setting: str, rules: Game) -> str:
    """Return the digest of what a match tells its observers, with faults and notes, and of its record."""
    seed = hashlib.sha256(setting.encode()).digest()
    referee = adjudicator.Adjudicator(match.Match(rules, seed=seed), lambda _: LastLegal(), fault_allowance=2)
    log = encoded_updates.EncodedLog(referee.match.log, rules.seats)
    update = encoded_updates.Update(300)
    asked: list[adjudicator.Question] = []
    took = TimeTaken(0.25, 0.5)
    for number in range(ANSWERS):
        asked += referee.ask()
        if not asked:
            break
        question = asked.pop()
        update.events += log.news(question.seat)
        update.ask(question.number, question.legal, 2.5, referee.match.deal.hand(question.seat))
        if number % 40 == 12:
            referee.fail(question, FaultKind.TIMEOUT, took=took)
        else:
            word = "no action" if number % 40 == 30 else question.legal[number % len(question.legal)]
            referee.answer(question, word, note={"text": "so"} if number % 9 == 0 else None, took=took)
    played = referee.match
    kept = [(deal.to_json(), deal.costs, deal.walls) for deal in played.played]
    told = [played.log, kept, played.faults, played.notes, played.scores, played.ranks, str(played)]
    return hashlib.sha256(repr([*told, encoded_updates.encoded_frame([update])]).encode()).hexdigest()


def batch_digest(name: str, seats: int) -> str:
    """Return the digest of all that a batch shows, along random actions."""
    seen, batch = hashlib.sha256(), Batch(name, seats, 3, seed=seats, starts=4, history=20)
    for _ in range(BATCH_STEPS):
        for array in (batch.seat, batch.observation, batch.mask, batch.tokens, batch.rewards, batch.done):
            seen.update(array.tobytes())
        batch.step(batch.random_actions())
    return seen.hexdigest()


def shown(module: ModuleType) -> Iterator[tuple[str, str, list[str]]]:
    """Yield name, docstring and arguments with defaults of a module and of all that it defines in public."""
    yield module.__name__, str(inspect.getdoc(module)), []
    for name, value in list(vars(module).items()):
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__ or not callable(value):
            continue
        yield name, str(inspect.getdoc(value)), arguments(value)
        for inner, method in list(vars(value).items()) if inspect.isclass(value) else ():
            if not inner.startswith("_") and inspect.isroutine(method):
                bound = getattr(value, inner)
                yield f"{name}.{inner}", str(inspect.getdoc(bound)), arguments(bound)


def arguments(function: Any) -> list[str]:
    """List the arguments of a function or class; one for keywords only begins with a star."""
    return [
        f"{'*' * (argument.kind is argument.KEYWORD_ONLY)}{name}={argument.default}"
        for name, argument in inspect.signature(function).parameters.items()
    ]


def main() -> None:
    modules = [bits, packs, deal, policy, search, seeds, trick_deal, worlds]
    modules += [adjudicator, match, narrator, encoded_updates]
    modules += [sys.modules[rules.__module__] for rules in GAMES.values()]
    modules += [kind_policy, *(sys.modules[policy.__module__] for policy in POLICIES.values())]
    every = [*modules, stepper, encoder, *(sys.modules[kind.__module__] for kind in ENCODERS.values())]
    batches = [(name, seats) for name, rules in GAMES.items() for seats in rules.players]
    report = {
        "compiled": {module.__name__: str(module.__file__).endswith(".so") for module in every},
        "shown": sorted(entry for module in modules for entry in shown(module)),
        "digests": {setting: digest(setting, rules) for setting, rules in settings()}
        | {f"match {setting}": match_digest(setting, rules) for setting, rules in settings()}
        | {f"batch {name} {seats}": batch_digest(name, seats) for name, seats in batches},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
