"""Ladders that an installation plays by itself, and the outlook of a new version on them."""

from datetime import timedelta

import pytest
from stichkampf.games import GAMES
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.ratings import queries as ratings
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.main_ladders import READY_BLOCKS, start_main_ladders
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import ladder_draws, strength
from stichkampf_platform.tournaments.scheduling.outlook import outlooks

pytestmark = pytest.mark.queries


@pytest.fixture
def ladder(make_tournament):
    """A ladder that rests, with blocks of house bots ready."""
    tournament = make_tournament("thumb", "random", "timid", "bold", format="ladder", blocks=2, rests=True)
    lifecycle.start(tournament=tournament)
    return tournament


@pytest.fixture
def settle(monkeypatch):
    """Let the ratings say that these versions have their ranks."""

    def read(versions):
        known = {version.pk: strength.VersionStrength(1500.0, settled=True) for version in versions}
        monkeypatch.setattr(ratings, "newest_strength", lambda ladder: known)

    return read


def finish(block, **passed):
    Table.objects.filter(block=block).update(
        state=Table.State.DONE, started_at=clock.now() - timedelta(**passed), finished_at=clock.now()
    )
    block.over_at = clock.now()
    block.save()


def test_every_game_gets_one_ladder_and_one_that_was_cancelled_stays_so(house):
    started = start_main_ladders()
    assert sorted(each.game for each in started) == sorted(GAMES)
    assert all(each.blocks.count() == READY_BLOCKS and each.rests for each in started)
    assert not {"flat", "rival"} & {v.house for v in Version.objects.filter(entries__tournament=started[0])}
    lifecycle.cancel(tournament=started[0])
    assert start_main_ladders() == []


def test_with_all_ranks_settled_nothing_is_drawn_until_a_bot_without_a_rank_comes(
    ladder, house, settle, person, submitted
):
    settle(house.values())
    for block in ladder.blocks.all():
        finish(block, seconds=1)
    assert ladder_draws.top_up(ladder) == 0
    karl = submitted(person())
    drawn = ladder_draws.top_up(ladder)
    seated = ladder.blocks.filter(over_at=None, tables__seats__entrant__version=karl).distinct()
    assert seated.count() == drawn > 0
    settle([*house.values(), karl])
    for block in seated:
        finish(block, seconds=1)
    assert ladder_draws.top_up(ladder) == 0


def test_the_first_block_of_a_submitted_bot_comes_before_ready_blocks_of_the_house(
    ladder, make_tournament, person, submitted
):
    waiting = set(ladder.blocks.all())
    assert set(queries.next_blocks(9)) == waiting
    karl = submitted(person())
    assert due_steps.advance_tournaments() == 0
    first = queries.next_blocks(1)[0]
    assert karl in Version.objects.filter(entries__seats__table__block=first)
    assert ladder_draws.top_up(ladder) == 0
    cup = make_tournament(name="Cup", blocks=1)
    lifecycle.start(tournament=cup)
    with_karl = {*ladder.blocks.filter(tables__seats__entrant__version=karl)}
    order = queries.next_blocks(9)
    assert set(order[: len(with_karl) + 1]) == {*with_karl, cup.blocks.get()}
    assert waiting <= set(order)
    assert queries.others_wait(cup)
    for block in with_karl:
        finish(block, seconds=1)
    assert not queries.others_wait(cup)  # a worker leaves no block for those that fill idle time


def test_the_outlook_tells_place_time_and_blocks_to_go(ladder, client, token, person, submitted):
    karl = submitted(person())
    (before,) = outlooks(karl)
    assert (before.blocks, before.playing, before.seconds, before.blocks_to_go) == (0, False, None, 20)
    assert before.place >= 1
    finish(ladder.blocks.first(), seconds=7)
    assert outlooks(karl)[0].seconds == 7 * (before.place - 1)
    due_steps.advance_tournaments()
    (drawn,) = outlooks(karl)
    assert drawn.place == 1  # before the block of house bots that was ready
    assert drawn.text == "its first block is next; 20 blocks until it can be ranked"
    block = ladder.blocks.filter(tables__seats__entrant__version=karl).distinct().order_by("number").first()
    leases.take(block_id=block.pk, owner="w1")
    (playing,) = outlooks(karl)
    assert (playing.playing, playing.place) == (True, None)
    client.force_login(karl.bot.owner)
    page = client.get("/bots/ann/karl/").content.decode()
    assert "plays a block now; 20 blocks until it can be ranked" in page
    told = client.get("/api/v1/bots/ann/karl/versions/1/ladders/").json()
    assert told[0]["game"] == "stiche-raten"
    assert (told[0]["playing"], told[0]["blocks_to_go"], told[0]["rating"]) == (True, 20, None)
    assert client.get("/api/v1/bots/ann/karl/versions/1/ladders/", headers=token("bob")).status_code == 404
