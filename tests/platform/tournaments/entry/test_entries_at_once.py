"""Two organisers and twenty authors act on one tournament at the same moment."""

from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.tournaments.entry import entries, leaving
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = [pytest.mark.database, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

AUTHORS = 20


@pytest.fixture
def cup(make_tournament, house, person):
    versions = [house[name] for name in ("thumb", "random", "timid")]
    return make_tournament(
        name="Cup", versions=versions, entry="anybody", places=15, created_by=person("olga")
    )


@pytest.fixture
def bots(person, submitted):
    return [submitted(person(f"author-{number}"), f"bot-{number}").bot for number in range(AUTHORS)]


def enter(cup, bot):
    return lambda: entries.enter(tournament=cup, bot=bot, by=bot.owner)


def withdraw(cup, bot):
    return lambda: leaving.withdraw(tournament=cup, bot=bot, by=bot.owner)


def start(cup):
    return lambda: lifecycle.start(tournament=cup)


def test_every_entry_counts_once_or_is_refused_and_nobody_plays_who_left(cup, bots, at_once):
    early, going, late = bots[:6], bots[6:12], bots[12:]
    for bot in early + going:
        entries.enter(tournament=cup, bot=bot, by=bot.owner)
    told = at_once(
        *(start(cup), start(cup)),
        *(withdraw(cup, bot) for bot in going),
        *(enter(cup, bot) for bot in late for _ in range(2)),
    )
    starts, left, came = told[:2], told[2 : 2 + len(going)], told[2 + len(going) :]
    assert starts.count(None) == 1
    assert "Cup is running: it is not possible to start it." in starts
    cup.refresh_from_db()
    playing = [entrant.version.bot for entrant in cup.entrants.exclude(version__bot__owner__username="house")]
    assert len(playing) == len(set(playing)) <= 15
    entered = {entry.bot: entry.left_out for entry in cup.entries.all()}
    assert {bot for bot, left_out in entered.items() if not left_out} == set(playing)
    assert set(early) <= set(playing)
    assert left == [None] * len(going)
    out = {entrant.version.bot for entrant in cup.entrants.filter(out_as="withdrawn")}
    assert {bot for bot in going if bot in entered} == out  # who came before the start has left no trace
    for bot, reasons in zip(late, zip(came[::2], came[1::2], strict=True), strict=True):
        assert (bot in entered) == (None in reasons), reasons
        assert all(reason is None or "bots enter before the start" in reason for reason in reasons)


def test_in_the_second_of_the_deadline_the_clock_of_the_database_decides(cup, bots, at_once):
    ends = clock.now() + timedelta(seconds=0.2)
    Tournament.objects.filter(pk=cup.pk).update(entry_until=ends, places=None)
    came, told = set(), [None]
    while None in told:  # more and more of them, beyond the end
        bot = bots[len(came) % AUTHORS]
        told = at_once(enter(cup, bot), enter(cup, bot))
        assert all(reason is None or "Entry ended on" in reason for reason in told)
        came |= {bot} if None in told else set()
        assert clock.now() < ends + timedelta(minutes=1)
    assert {entry.bot for entry in cup.entries.all()} == came
