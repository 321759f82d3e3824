"""Types and errors in OpenSpiel's terms; the only part of the adapter that needs OpenSpiel."""

from __future__ import annotations

from typing import Any

from stichkampf.engine.game import Game
from stichkampf.errors import IllegalAction, SeatsError


class NoSuchPlayer(SeatsError, RuntimeError):
    """A number of no player, where OpenSpiel's own games raise a `RuntimeError`."""


class NoPlayerToAct(IllegalAction, RuntimeError):
    """A question about the current player of a state that has none; a `RuntimeError` too."""


def state_type(*, over: bool, chance: bool = False) -> Any:
    """Return the type of a state, a `pyspiel.StateType`.

    :raises ImportError: OpenSpiel is not installed.
    """
    import pyspiel  # here, because the states work without OpenSpiel

    kind = pyspiel.StateType
    if over:
        return kind.TERMINAL
    return kind.CHANCE if chance else kind.DECISION


def game_type(rules: Game, explicit_chance: bool = False) -> Any:
    """Return the type of a game, a `pyspiel.GameType`.

    :param explicit_chance: whether the cards are dealt by a chance node whose outcomes can be listed.
    :raises ImportError: OpenSpiel is not installed.
    """
    import pyspiel  # here, because the states work without OpenSpiel

    kind, options = pyspiel.GameType, rules.options
    chance = "EXPLICIT_STOCHASTIC" if explicit_chance else "SAMPLED_STOCHASTIC"
    one_deal = options.get("length") == "deals:1" or options.get("max_deals") == 1
    return kind(
        short_name=f"stichkampf_{rules.name.replace('-', '_')}",
        long_name=f"Stichkampf: {rules.title}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=getattr(kind.ChanceMode, chance),
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL if one_deal else kind.RewardModel.REWARDS,
        max_num_players=max(rules.players),
        min_num_players=min(rules.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
    )
