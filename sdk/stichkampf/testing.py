"""Tests of bots: tables at a given decision, bots that play by a script, and assertions.

    from stichkampf.testing import assert_legal, play_deals, table_at

    def test_mine_answers_in_the_auction():
        assert_legal(Mine(), table_at("mue", 4, phase="auction"))

    def test_mine_plays_without_a_fault():
        play_deals(Mine, "mue", 4, deals=10)

Any test framework will do, and no server is needed. Seats, deals and decisions count from 0, as in `Table`
and in the match record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from stichkampf.bots.bot import Bot, Choice, ask, decide
from stichkampf.bots.practice import Entrant, entrant, play_match
from stichkampf.engine.deal import Json
from stichkampf.engine.seeds import match_seed
from stichkampf.errors import StichkampfError
from stichkampf.games import game_class, new_game
from stichkampf.local_play.programs import local_program
from stichkampf.local_play.repeated_decisions import stand_at
from stichkampf.match.match import Match
from stichkampf.match.records import Step, deciding_seats, read, steps
from stichkampf.match.table import Table, table_seed
from stichkampf.match.verify import verify

__all__ = [
    "Scripted",
    "Wanderer",
    "assert_legal",
    "decide_again",
    "one_deal",
    "play_deals",
    "table_at",
    "table_from",
]

_MOST_DECISIONS: Final = 20_000


class Scripted(Bot):
    """A bot that answers with the given actions, in order, and then with the first legal one.

    >>> table = table_at("stiche-raten", 3, phase="bidding")
    >>> Scripted("bid 1").choose(table)
    'bid 1'

    :raises AssertionError: in `choose`, an action of the script is not legal when its turn comes.
    """

    def __init__(self, *actions: str) -> None:
        self._actions = list(actions)

    def choose(self, table: Table) -> str:
        if not self._actions:
            return table.legal[0]
        action = self._actions.pop(0)
        if action not in table.legal:
            raise AssertionError(f"the script says {action!r}; legal are {', '.join(table.legal)}")
        return action


class Wanderer(Bot):
    """A bot that draws first a kind of action and then one of these, so that it reaches every phase.

    It plays the same in every version of the SDK, given the same table.

    >>> Wanderer().choose(table_at("stiche-raten", 3)) in ("bid 0", "bid 1")
    True
    """

    def choose(self, table: Table) -> str:
        verbs = sorted({action.split()[0] for action in table.legal})
        verb = table.rng.choice(verbs)
        return table.rng.choice([action for action in table.legal if action.split()[0] == verb])


def table_at(
    game: str,
    seats: int,
    options: Mapping[str, Json] | None = None,
    *,
    seed: str = "",
    deal: int = 0,
    phase: str = "",
    decision: int = 0,
    seat: int | None = None,
    legal: int = 1,
    bots: Sequence[Bot] | None = None,
) -> Table:
    """Play a match up to a decision and return the table of the seat that is asked there, as its bot sees it.

    >>> table = table_at("mue", 4, seed="a", phase="tricks", legal=2)
    >>> table.phase, len(table.legal) >= 2
    ('tricks', True)

    :param seed: any text; the same text, the same cards and the same decision.
    :param deal: the deal of the match.
    :param phase: the first decision in this phase counts as decision 0; empty for any phase.
    :param decision: of the decisions of this deal that fit, the number of the one to stop at.
    :param seat: only decisions of this seat fit.
    :param legal: only decisions with at least this number of legal actions fit.
    :param bots: by seat, the bots that play until then; each a `Wanderer` where none are given.
    :raises StichkampfError: the match ends before such a decision, or the game has no such phase.
    """
    rules = new_game(game, seats, options or {})
    if phase and phase not in rules.phases:
        raise StichkampfError(f"{game} has no phase {phase!r}; it has {', '.join(rules.phases)}")
    players = list(bots or [])
    if players and len(players) != seats:
        raise StichkampfError(f"give one bot for each of the {seats} seats, not {len(players)}")
    seeds = match_seed(seed)
    match = Match(rules, seed=seeds)
    tables = [Table(rules, s, table_seed(seeds, s)) for s in range(seats)]
    players = players or [Wanderer() for _ in range(seats)]
    fitting = count()
    told = 0
    for _ in range(_MOST_DECISIONS):
        if match.over or len(match.played) - 1 > deal:
            break
        for table in tables:
            table.follow(match.events(table.seat, told))
        told = len(match.log)
        asked = match.to_act()[0]
        table = tables[asked]
        table.legal = match.legal(asked)
        fits = len(match.played) - 1 == deal and phase in ("", table.phase) and seat in (None, asked)
        if fits and len(table.legal) >= legal and next(fitting) == decision:
            return table
        match.play(asked, decide(players[asked], table)[0])
    wanted = f"decision {decision}" + (f" in the phase {phase!r}" if phase else "")
    raise StichkampfError(f"deal {deal} of this match has no such {wanted}; try another seed")


def table_from(record: Mapping[str, Json] | Path | str, decision: int) -> Table:
    """Return the table of the seat that is asked at a decision of a recorded match, as its bot saw it.

    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("random")] * 3, bytes(32)).record
    >>> table = table_from(record, decision=4)
    >>> table.seat, table.moves
    (0, [(0, 'bid 0'), (1, 'bid 0'), (2, 'bid 0')])

    :param record: a record, or the path of a file that holds one, the first of several.
    :param decision: its number among all decisions of the match, from 1, as pages, `stichkampf faults` and
        `stichkampf debug` count.
    :raises StichkampfError: the file is not readable, the record is not sound, or has no such decision.
    """
    document = record if isinstance(record, Mapping) else _read_record(Path(record))
    verify(document)
    for number, step in enumerate(steps(document), start=1):
        if number == decision:
            return _table_of(step, document)
    raise StichkampfError(f"the match has decisions 1 to {len(deciding_seats(document))}, not {decision}")


def _read_record(path: Path) -> dict[str, Json]:
    try:
        with path.open("rb") as lines:
            _, document = next(read(lines), (0, None))
    except OSError as error:
        raise StichkampfError(f"cannot read {path}: {error.strerror}") from error
    if isinstance(document, StichkampfError):
        raise document
    if not isinstance(document, dict):
        raise StichkampfError(f"{path} holds no match record")
    return document


def _table_of(step: Step, record: Mapping[str, Json]) -> Table:
    match, seat = step.match, step.move.seat
    known = record.get("seed")
    seed = bytes.fromhex(known) if isinstance(known, str) else match_seed("")
    table = Table(match.game, seat, table_seed(seed, seat))
    table.follow(match.events(seat))
    table.legal = step.legal
    return table


def assert_legal(bot: Bot, table: Table) -> str:
    """Ask a bot for its decision at a table and return it.

    >>> assert_legal(Scripted("bid 0"), table_at("stiche-raten", 3))
    'bid 0'

    :raises AssertionError: the bot raised an error, or gave no legal action; the message says which are.
    """
    try:
        answer = ask(bot, table)
    except Exception as error:
        raise AssertionError(f"{type(bot).__name__} raised {type(error).__name__}: {error}") from error
    return _legal(answer, bot, table)


def _legal(answer: Choice, bot: Bot, table: Table) -> str:
    action = answer[0] if isinstance(answer, tuple) else answer
    if action not in table.legal:
        raise AssertionError(f"{type(bot).__name__} answered {action!r}; legal are {', '.join(table.legal)}")
    return action


def decide_again(
    record: Mapping[str, Json] | Path | str, decision: int, bot: Callable[[], Bot] | Path
) -> str:
    """Put a decision of a recorded match to a bot, as `stichkampf debug` does, and return its answer.

    Its earlier decisions of the match are put to it first.

    >>> from stichkampf.bots.practice import entrant, play_match
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> record = play_match(game, [entrant("random")] * 3, bytes(32)).record
    >>> decide_again(record, 4, Scripted)
    'play C7'

    :param decision: as for `table_from`.
    :param bot: makes a new instance; or the file, folder or archive of the bot.
    :raises StichkampfError: as `table_from`.
    :raises AssertionError: it is not legal; an error of the bot is raised as it is.
    """
    document = record if isinstance(record, Mapping) else _read_record(Path(record))
    verify(document)
    asked, table, _ = stand_at(document, decision, _maker(bot))
    return _legal(ask(asked, table), asked, table)


def _maker(bot: Callable[[], Bot] | Path) -> Callable[[], Bot]:
    return local_program(str(bot)).load() if isinstance(bot, Path) else bot


def play_deals(
    bot: Callable[[], Bot] | Path,
    game: str,
    seats: int,
    deals: int = 5,
    *,
    opponents: Sequence[Callable[[], Bot] | str] = ("thumb",),
    options: Mapping[str, Json] | None = None,
    seed: str = "",
) -> list[int]:
    """Play matches of one deal each, the bot on every seat in turn, and return its points, deal by deal.

    >>> from stichkampf.bots.registry import house_bot
    >>> len(play_deals(house_bot("timid"), "meinz", 3, deals=2, opponents=["random"]))
    2

    :param bot: makes a new instance: the class of the bot; or its file, folder or archive.
    :param opponents: classes of bots or names of house bots, taken in turn for the other seats.
    :raises AssertionError: the bot made a fault; the message has the deal, the seat and the reason.
    """
    bot = _maker(bot)
    rules = new_game(game, seats, one_deal(game) | dict(options or {}))
    others = [entrant(one) if isinstance(one, str) else Entrant(_name(one), one) for one in opponents]
    points = []
    for number in range(deals):
        seat = number % seats
        entrants = [others[s % len(others)] for s in range(seats)]
        entrants[seat] = Entrant(_name(bot), bot)
        played = play_match(rules, entrants, match_seed(f"{seed} {number}"))
        for failure in played.failures:
            if failure.seat == seat:
                raise AssertionError(
                    f"{_name(bot)} was {failure.kind} in deal {number} on seat {seat}: {failure.message}"
                )
        points.append(int(played.record["scores"][seat]))
    return points


def one_deal(game: str) -> dict[str, Json]:
    """Return the options with which a match of this game lasts one deal.

    >>> one_deal("mue")
    {'length': 'deals:1'}
    """
    names = [option.name for option in game_class(game).specification]
    return {"length": "deals:1"} if "length" in names else {"max_deals": 1}


def _name(bot: Callable[[], Bot]) -> str:
    return getattr(bot, "__name__", "bot")
