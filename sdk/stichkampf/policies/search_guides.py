"""Guides of `search` in a game: a policy by which it plays on, and priors that tell it where to look.

Playouts should go as games usually go; priors should leave out nothing that may be right. In Mü the two
differ. By the usual bids a hand without a contract of its own hardly ever contends for the second place, and
never with a card beside its longest colour. But the seat with second most cards is vice: it names a trump,
and the chief cannot take it as partner into a contract that will fail. With six seats, where hands are short,
seats that bid beyond any hand tie with all of their cards; behind two of them neither has an opinion.
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
_SEATS_OF_SHORT_HANDS: Final = 6


class SearchGuides(NamedTuple):
    """The policy of playouts and the priors of a search; both None for chance."""

    policy: Policy | None
    priors: Policy | None


@cache
def guides_of(game: str, seats: int) -> SearchGuides:
    """Return the guides of `search` in a game, by its name and the number of seats.

    >>> guides_of("mue", 4)
    SearchGuides(policy=<MuePolicy>, priors=<MuePolicy>)
    >>> guides_of("mue", 6)
    SearchGuides(policy=<MueWithoutHopelessBids of 2>, priors=<MueWithoutHopelessBids of 2>)
    >>> guides_of("sticheln", 4)
    SearchGuides(policy=<StichelnTricks>, priors=<StichelnTricks>)
    >>> guides_of("whist", 4)
    SearchGuides(policy=None, priors=None)
    """
    if game == "mue":
        return _guides_of_mue(2 if seats == _SEATS_OF_SHORT_HANDS else 0)
    policy = trick_policy_of(game)
    return SearchGuides(policy, policy) if policy is not None else policy_alone(game)


def policy_alone(game: str) -> SearchGuides:
    """Return the policy of a game that leaves the cards of tricks to chance as both guides."""
    return SearchGuides(policy_of(game), policy_of(game))


@cache
def _guides_of_mue(hopeless: int) -> SearchGuides:
    """Return guides that have no opinion behind that many hopeless bids; 0: always one."""
    names = MuePolicy.names
    usual = dict(zip(names, weights_of("mue", names), strict=True)) | _CONTENDING
    tables = [list(weights.values()) for weights in (usual, usual | _WORTH_A_LOOK)]
    if hopeless:
        return SearchGuides(*(MueWithoutHopelessBids(table, hopeless) for table in tables))
    return SearchGuides(*map(MuePolicy, tables))
