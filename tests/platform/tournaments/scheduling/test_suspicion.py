"""Suspicion before any play: by address, hour and archive, never of the house."""

from datetime import timedelta

import pytest
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.network_addresses import remember
from stichkampf_platform.tournaments.scheduling.suspicion import (
    MOST_SUSPECTS,
    suspect_pairs,
    too_often_together,
)

pytestmark = pytest.mark.queries


@pytest.fixture
def bot(person, submitted):
    """Make a version of an author who signed up some hours ago, from an address, with an archive."""

    def make(name, *, hours, address="", archive=""):
        author = person(name, date_joined=clock.now() - timedelta(hours=hours))
        remember(person=author, address=address, signed_up=True)
        version = submitted(author, slug=f"{name}s")
        version.digest = archive or f"{name:0>64}"
        version.save()
        return version.pk

    return make


def test_strangers_are_not_suspected(bot):
    assert suspect_pairs([bot("ann", hours=50), bot("ben", hours=30)]) == []


def test_an_equal_archive_weighs_more_than_an_address_and_an_address_than_an_hour(bot):
    ann = bot("ann", hours=500, address="192.0.2.1", archive="a" * 64)
    ben = bot("ben", hours=400, archive="a" * 64)
    cid = bot("cid", hours=300, address="192.0.2.1")
    dora, emil = bot("dora", hours=200), bot("emil", hours=200)
    found = suspect_pairs([ann, ben, cid, dora, emil])
    assert found == [frozenset({ann, ben}), frozenset({ann, cid}), frozenset({dora, emil})]


def test_signs_add_up(bot):
    ann = bot("ann", hours=500, address="192.0.2.1")
    ben = bot("ben", hours=100, address="192.0.2.1")
    cid = bot("cid", hours=500, address="192.0.2.1")
    assert suspect_pairs([ann, ben, cid])[0] == {ann, cid}


def test_an_archive_that_was_replaced_still_speaks(bot, submitted):
    ann, ben = bot("ann", hours=50, archive="a" * 64), bot("ben", hours=10, archive="a" * 64)
    newer = submitted(Version.objects.get(pk=ben).bot.owner, slug="bens")
    assert suspect_pairs([ann, newer.pk]) == [frozenset({ann, newer.pk})]


def test_two_bots_of_one_author_come_first(bot, submitted, person):
    ann, ben = bot("ann", hours=50, archive="a" * 64), bot("ben", hours=10, archive="a" * 64)
    carl = person("carl", date_joined=clock.now() - timedelta(days=9))
    two = [submitted(carl, slug=slug).pk for slug in ("one", "two")]
    assert suspect_pairs([ann, ben, *two]) == [frozenset(two), frozenset({ann, ben})]


def test_at_most_five_pairs_are_suspected_the_newest_first(bot):
    crowd = [bot(f"a{number}", hours=500 + number, address="192.0.2.1") for number in range(5)]
    found = suspect_pairs(crowd)
    assert len(found) == MOST_SUSPECTS
    assert found[0] == set(crowd[-2:])


def test_bots_of_the_house_are_never_suspected(house, bot):
    versions = [version.pk for version in house.values()]
    assert suspect_pairs([*versions, bot("ann", hours=0)]) == []


def test_a_pair_meets_too_often_above_half_of_the_blocks_of_one():
    pair, stranger = frozenset({1, 2}), frozenset({1, 5})
    # of ten blocks of four the first played six with the second, who played only those six
    met = {1: {2: 6, 3: 12, 4: 12}, 2: {1: 6, 3: 6, 4: 6}}
    assert too_often_together([pair, stranger], met, size=4) == [pair]
    seldom = {1: {2: 5, 3: 12, 4: 13}, 2: {1: 5, 3: 12, 4: 13}}
    assert too_often_together([pair], seldom, size=4) == []
    assert too_often_together([pair], {}, size=4) == []
