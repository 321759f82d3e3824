"""The substitute that moves in place of a failing bot: the house bot `thumb` on the failing bot's seat."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from stichkampf.bots.bot import Bot, decide
from stichkampf.bots.registry import house_bot
from stichkampf.engine.deal import Json
from stichkampf.engine.game import Game
from stichkampf.match.adjudicator import Adjudicator
from stichkampf.match.events import Event
from stichkampf.match.match import Match
from stichkampf.match.table import Table

SUBSTITUTE: Final = "thumb"
"""The house bot that substitutes, in its current version unless a match was begun with another."""


class HouseSubstitute:
    """A house bot that sees what the seat saw, from the first deal on.

    :param seed: 32 bytes; the same seed, the same moves.

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> match = Match(game, seed=bytes(32))
    >>> substitute = HouseSubstitute(house_bot(SUBSTITUTE)(), game, 0, bytes(32))
    >>> substitute.choose(match.events(0), match.legal(0))
    'bid 0'
    """

    def __init__(self, bot: Bot, game: Game, seat: int, seed: bytes) -> None:
        self._bot = bot
        self._table = Table(game, seat, seed)

    def choose(self, events: list[Event], legal: list[str]) -> str:
        self._table.follow(events)
        self._table.legal = legal
        word, _ = decide(self._bot, self._table)
        return word


def new_adjudicator(
    match: Match, seeds: Sequence[bytes], *, fault_allowance: int, substitute_version: int | None = None
) -> Adjudicator:
    """Put a match under the fault policy, with the house substitute.

    :param seeds: the table seed of each seat, from which its substitute also draws.
    :param substitute_version: of the house bot; None for the current one.
    :raises BotError: the house bot has no such version.

    >>> from stichkampf import new_game
    >>> game = new_game("stiche-raten", 3, {"length": "deals:1"})
    >>> adjudicator = new_adjudicator(Match(game, seed=bytes(32)), [bytes(32)] * 3, fault_allowance=2)
    >>> [question.seat for question in adjudicator.ask()]
    [0]
    """
    bot = house_bot(SUBSTITUTE, substitute_version)
    return Adjudicator(match, partial(_substitute, bot, match.game, seeds), fault_allowance=fault_allowance)


def _substitute(bot: type[Bot], game: Game, seeds: Sequence[bytes], seat: int) -> HouseSubstitute:
    return HouseSubstitute(bot(), game, seat, seeds[seat])


def named_substitute(match: Match, substitute_version: int | None = None) -> dict[str, Json]:
    """Return the field of a record that names the substitute; none where it made no move.

    >>> from stichkampf import new_game
    >>> match = Match(new_game("stiche-raten", 3, {"length": "deals:1"}), seed=bytes(32))
    >>> named_substitute(match)
    {}
    >>> match.fault(0, "timeout")
    >>> match.play(0, "bid 0")
    >>> named_substitute(match)
    {'substitute': {'bot': 'house/thumb', 'version': 2}}
    """
    if not match.faults:
        return {}
    version = house_bot(SUBSTITUTE, substitute_version).version
    return {"substitute": {"bot": f"house/{SUBSTITUTE}", "version": version}}
