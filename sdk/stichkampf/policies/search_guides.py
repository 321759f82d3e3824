"""Guides of `search` in a game: a policy by which it plays on, and priors that tell it where to look.

Playouts should go as games usually go; priors should leave out nothing that may be right. In Mü the two
differ. By the usual bids a hand without a contract of its own hardly ever contends for the second place, and
never with a card beside its longest colour. But the seat with second most cards is vice: it names a trump,
and the chief cannot take it as partner into a contract that will fail. And behind a bid beyond any hand
nothing is usual, so there neither has an opinion.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from stichkampf.engine.policy import Policy
from stichkampf.policies import policy_of
from stichkampf.policies.mue import MuePolicy, MueWithoutHopelessBids
from stichkampf.policies.tricks import trick_policy_of
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
    SearchGuides(policy=<MueWithoutHopelessBids>, priors=<MueWithoutHopelessBids>)
    >>> guides_of("sticheln")
    SearchGuides(policy=<StichelnTricks>, priors=<StichelnTricks>)
    >>> guides_of("whist")
    SearchGuides(policy=None, priors=None)
    """
    if game == "mue":
        return _guides_of_mue(MueWithoutHopelessBids)
    policy = trick_policy_of(game)
    return SearchGuides(policy, policy) if policy is not None else policy_alone(game)


@cache
def third_guides_of(game: str) -> SearchGuides:
    """Return the guides of version 3 of `search`, which leave the cards of tricks to chance."""
    return _guides_of_mue(MuePolicy) if game == "mue" else policy_alone(game)


def policy_alone(game: str) -> SearchGuides:
    """Return the policy of a game that leaves the cards of tricks to chance as both guides."""
    return SearchGuides(policy_of(game), policy_of(game))


def _guides_of_mue(kinds: type[MuePolicy]) -> SearchGuides:
    usual = dict(zip(kinds.names, weights_of("mue", kinds.names), strict=True)) | _CONTENDING
    wide = usual | _WORTH_A_LOOK
    return SearchGuides(kinds(list(usual.values())), kinds(list(wide.values())))
