"""Guides of `search` in a game: a policy by which it plays on, and priors that tell it where to look.

Playouts should go as games usually go; priors should leave out nothing that may be right. In Mü the two
differ. By the usual bids a hand without a contract of its own hardly ever contends for the second place, and
never with a card beside its longest colour. But the seat with second most cards is vice: it names a trump,
and the chief cannot take it as partner into a contract that will fail.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from stichkampf.engine.policy import Policy
from stichkampf.policies import policy_of
from stichkampf.policies.mue import MuePolicy
from stichkampf.policies.weights import weights_of

# Other weights than the usual ones.
_CONTENDING: Final = {"lay along below the most cards, margin below 0": 500}
_WORTH_A_LOOK: Final = {
    "lay one more in a turn, margin below 0": 300,
    "lay another card than the lowest of the longest colour": 30,
}


class SearchGuides(NamedTuple):
    """The policy of playouts and the priors of a search; both None for chance."""

    policy: Policy | None
    priors: Policy | None


@cache
def guides_of(game: str) -> SearchGuides:
    """Return the guides of `search` in a game, by its name.

    >>> guides_of("mue")
    SearchGuides(policy=<MuePolicy>, priors=<MuePolicy>)
    >>> guides_of("whist")
    SearchGuides(policy=None, priors=None)
    """
    return _guides_of_mue() if game == "mue" else policy_alone(game)


def policy_alone(game: str) -> SearchGuides:
    """Return the policy of a game as both guides."""
    return SearchGuides(policy_of(game), policy_of(game))


def _guides_of_mue() -> SearchGuides:
    names = MuePolicy.names
    usual = dict(zip(names, weights_of("mue", names), strict=True)) | _CONTENDING
    wide = usual | _WORTH_A_LOOK
    return SearchGuides(MuePolicy(list(usual.values())), MuePolicy(list(wide.values())))
