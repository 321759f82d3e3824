"""Suspect pairs of bots, by signs other than their play: the watch searches these first.

Two accounts made from one address or within an hour, or the same archive under two names, prove nothing; they
only decide where the watch spends most of its chance of error. They are never shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import combinations, islice

from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.people.network_addresses import sign_up_addresses

MOST_SUSPECTS = 5
"""The most pairs that are searched first: the fewer, the sooner the watch can prove one."""

SAME_AUTHOR, SAME_ARCHIVE, SAME_ADDRESS, SAME_HOUR = 8, 4, 2, 1
"""Weights of the signs against two authors; each is more than all lesser ones together."""

People = frozenset[int]


def suspect_pairs(versions: Iterable[int], vouched: Collection[int] = ()) -> list[frozenset[int]]:
    """Return the most suspicious pairs of these versions by their ids, at most five, the first foremost.

    :param vouched: ids of people, such as those of a class, of whom neither address nor hour says anything.

    Of equally suspicious pairs the newer come first. Bots of the house are never suspected.
    """
    owners = dict(
        Version.objects.filter(pk__in=versions)
        .exclude(bot__owner__username=HOUSE)
        .values_list("pk", "bot__owner")
    )
    people = set(owners.values())
    joined = dict(User.objects.filter(pk__in=people).values_list("pk", "date_joined"))
    addresses = {person: {digest} for person, digest in sign_up_addresses(people - set(vouched)).items()}

    def same_hour(one: int, other: int) -> bool:
        return not {one, other} <= set(vouched) and _within_an_hour(joined[one], joined[other])

    against: defaultdict[People, int] = defaultdict(int)
    for weight, pairs in ((SAME_ARCHIVE, _alike(_archives(people))), (SAME_ADDRESS, _alike(addresses))):
        for pair in pairs:
            against[pair] += weight
    of_owner: defaultdict[int, list[int]] = defaultdict(list)
    for version, owner in owners.items():
        of_owner[owner].append(version)
    suspected = {
        frozenset({one, other}): weight + SAME_HOUR * same_hour(*pair)
        for pair, weight in against.items()
        for one in of_owner[min(pair)]
        for other in of_owner[max(pair)]
    }
    for own in of_owner.values():
        suspected |= {frozenset(pair): SAME_AUTHOR for pair in combinations(own, 2)}
    # A class may sign up within an hour: of its many pairs only those are made that can be among the first.
    of_an_hour = (
        frozenset(pair)
        for pair in combinations(sorted(owners, reverse=True), 2)
        if frozenset(pair) not in suspected and same_hour(*(owners[version] for version in pair))
    )
    suspected |= dict.fromkeys(list(islice(of_an_hour, MOST_SUSPECTS)), SAME_HOUR)
    return nlargest(MOST_SUSPECTS, suspected, key=lambda pair: (suspected[pair], sorted(pair, reverse=True)))


def too_often_together(
    suspects: Iterable[frozenset[int]], met: Mapping[int, Mapping[int, int]], *, size: int
) -> list[frozenset[int]]:
    """The pairs of which one met the other in more than half of its blocks: where they are not kept apart now
    and then, it cannot be measured how either does without the other.

    :param met: how often each entrant was compared with each other.
    :param size: entrants that are compared in a block.
    """
    return [pair for pair in suspects if any(_often(one, pair, met, size) for one in pair)]


def _often(one: int, pair: frozenset[int], met: Mapping[int, Mapping[int, int]], size: int) -> bool:
    (other,) = pair - {one}
    with_others = met.get(one, {})
    return 2 * (size - 1) * with_others.get(other, 0) > sum(with_others.values())


def _archives(people: Collection[int]) -> dict[int, set[str]]:
    """Return the digests of all archives that each person ever submitted."""
    digests: defaultdict[int, set[str]] = defaultdict(set)
    rows = Version.objects.filter(bot__owner__in=people).exclude(digest="")
    for person, digest in rows.values_list("bot__owner", "digest"):
        digests[person].add(digest)
    return digests


def _alike(signs: Mapping[int, Collection[Hashable]]) -> set[People]:
    """Return the pairs of people who share a sign."""
    bearers: defaultdict[Hashable, set[int]] = defaultdict(set)
    for person, own in signs.items():
        for sign in own:
            bearers[sign].add(person)
    return {frozenset(pair) for alike in bearers.values() for pair in combinations(sorted(alike), 2)}


def _within_an_hour(one: datetime, other: datetime) -> bool:
    return abs(one - other) <= timedelta(hours=1)
