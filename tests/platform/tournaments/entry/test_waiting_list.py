"""Notices of a waiting list and of the end, and the badge for those that were not read."""

import pytest
from stichkampf_platform.people.models import Notice
from stichkampf_platform.tournaments.entry import entries, leaving
from stichkampf_platform.tournaments.entry.announcements import tell_result

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup(make_tournament, person, make_organiser, submitted):
    """A draft of Olga's with two places, which bots of Ann, Ben and Cid have entered."""
    olga = person("olga")
    make_organiser(olga)
    draft = make_tournament(name="Cup", entry="anybody", places=2, created_by=olga)
    for name in ("ann", "ben", "cid"):
        bot = submitted(person(name), f"bot-of-{name}").bot
        entries.enter(tournament=draft, bot=bot, by=bot.owner)
    return draft


def told(title):
    found = Notice.objects.filter(title__contains=title).order_by("person__username")
    return list(found.values_list("person__username", "text"))


def test_the_organiser_is_told_once_that_bots_wait(cup, person, submitted):
    bot = submitted(person("dan"), "late").bot
    entries.enter(tournament=cup, bot=bot, by=bot.owner)
    assert told("all places are taken") == [("olga", "cid/bot-of-cid is the first that waits for a place.")]


def test_who_moves_up_is_told_and_so_is_the_organiser(cup):
    ann = cup.entries.get(bot__owner__username="ann").bot
    leaving.withdraw(tournament=cup, bot=ann, by=ann.owner)
    text = "ann/bot-of-ann has left, and cid/bot-of-cid has its place."
    assert told("a place has become free") == [("cid", text), ("olga", text)]


def test_nobody_moves_up_where_one_that_waits_leaves(cup):
    cid = cup.entries.get(bot__owner__username="cid").bot
    leaving.withdraw(tournament=cup, bot=cid, by=cid.owner)
    assert told("a place has become free") == []


def test_the_organiser_is_told_of_the_end(cup, play_out):
    done = play_out(cup)
    assert tell_result(done, {})
    assert not tell_result(done, {})
    assert dict(told("is over"))["olga"].endswith("Its result stands on its page.")


def test_the_head_counts_notices_until_they_are_looked_at(cup, client):
    client.force_login(cup.created_by)
    assert 'aria-label="1 unread notice"' in client.get("/games/").content.decode()
    assert "1 unread notice" in client.get("/account/").content.decode()
    assert "unread notice" not in client.get("/games/").content.decode()
