"""Counterfactual seats: past blocks that are over, again, with another version in the seat."""

from contextlib import nullcontext

import pytest
from stichkampf.games import game_class
from stichkampf_platform.bots import services as bots
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.experiments import past_blocks, services
from stichkampf_platform.experiments.models import Repetition
from stichkampf_platform.experiments.standing import standing
from stichkampf_platform.ratings import queries as ratings
from stichkampf_platform.settings import base
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.queries import shown_tables
from stichkampf_platform.tournaments.running import play_block

GAME = "stiche-raten"


@pytest.fixture
def author(person):
    return person("ada")


@pytest.fixture
def older(author, submitted):
    return submitted(author)


@pytest.fixture
def newer(author, older, submitted):
    return submitted(author)


@pytest.fixture
def rated(house, older, make_tournament, play_out):
    """Play a rated tournament on the main ladder, with the older version and these."""
    main = game_class(GAME).main_ladder

    def play(*others, blocks=3, **fields):
        versions = [older, *(other if isinstance(other, Version) else house[other] for other in others)]
        settings = {
            "seats": main.seats,
            "options": dict(main.options),
            "name": f"Cup {Tournament.objects.count()}",
        }
        return play_out(make_tournament(versions=versions, blocks=blocks, **(settings | fields)))

    return play


def test_a_version_sits_in_the_old_seats_with_the_cards_and_opponents_of_then(
    rated, older, newer, author, play_blocks
):
    past = rated("thumb", "timid", "random", blocks=3)
    shown = shown_tables().count()
    experiment = services.counterfactual(version=newer, against=older, game=GAME, blocks=2, by=author)
    pairs = [(one.block, one.past) for one in Repetition.objects.select_related("block", "past")]
    assert {block.past_id for block in Repetition.objects.all()} <= set(
        past.blocks.values_list("pk", flat=True)
    )
    assert len(pairs) == 2
    for block, before in pairs:
        assert bytes(block.seed) == bytes(before.seed)
        assert block.substitute_version == before.substitute_version
        for table, was in zip(block.tables.all(), before.tables.all(), strict=True):
            now = [seat.entrant.version for seat in table.seats.all()]
            then = [seat.entrant.version for seat in was.seats.all()]
            assert now == [newer if version == older else version for version in then]
    play_blocks(experiment)
    assert experiment.tournament.state == Tournament.State.FINISHED
    (difference,) = standing(experiment).differences
    assert (difference.opponent, difference.blocks) == (older, 2)
    assert difference.elo.low <= difference.elo.estimate <= difference.elo.high
    assert shown_tables().count() == shown
    assert not ratings.unsettled_tournaments().filter(pk=experiment.tournament.pk).exists()


def test_its_processes_are_none_that_remember_the_cards(rated, older, newer, author):
    past = rated("thumb", "timid", "random")
    experiment = services.counterfactual(version=newer, against=older, game=GAME, blocks=1, by=author)
    (table, *_) = experiment.tournament.blocks.get().tables.all()
    lanes = {play_block._lane(was) for block in past.blocks.all() for was in block.tables.all()}
    assert play_block._lane(table) not in lanes


@pytest.mark.slow
def test_who_cannot_play_again_is_left_out_and_counted(rated, older, newer, author, person, submitted, house):
    bob = person("bob")
    away, refusing = submitted(bob, slug="otto"), submitted(bob, slug="fritz")
    rated("thumb", "timid", away, blocks=1)
    rated("thumb", "timid", refusing, blocks=1)
    rated("thumb", "timid", "random", blocks=1, move_seconds=1)
    Version.objects.filter(pk=away.pk).update(state=Version.State.SUSPENDED)
    bots.consent(bot=refusing.bot, by=bob, field="accepts_challenges", accepted=False)
    nothing = {past_blocks.AWAY: 1, past_blocks.REFUSES: 1, past_blocks.CLOCK: 1}
    with pytest.raises(RequestRefused, match="1 under another time control"):
        services.counterfactual(version=newer, against=older, game=GAME, blocks=9, by=author)
    rated("thumb", "timid", "random", blocks=2)
    experiment = services.counterfactual(version=newer, against=older, game=GAME, blocks=9, by=author)
    assert experiment.left_out == nothing
    assert experiment.tournament.blocks.count() == 2


def test_blocks_that_are_not_over_or_count_for_no_ladder_are_not_played_again(
    rated, older, newer, author, house, make_tournament
):
    rated("thumb", "timid", "random", rated=False)
    main = game_class(GAME).main_ladder
    running = make_tournament(
        versions=[older, house["thumb"], house["timid"], house["random"]],
        seats=main.seats, options=dict(main.options), name="Running",
    )  # fmt: skip
    lifecycle.start(tournament=running)
    leases.take(block_id=running.blocks.first().pk, owner="w1")
    with pytest.raises(RequestRefused, match="no past block"):
        services.counterfactual(version=newer, against=older, game=GAME, blocks=9, by=author)
    assert set(Block.objects.values_list("tournament__experiment", flat=True)) == {False}


def test_a_version_has_a_number_of_past_blocks_a_day(rated, older, newer, author, settings):
    settings.RATES = {**settings.RATES, "counterfactuals": {"version": (3, 24 * 3600)}}
    rated("thumb", "timid", "random", blocks=3)
    asked = {"version": newer, "against": older, "game": GAME, "by": author}
    services.counterfactual(blocks=2, **asked)
    with pytest.raises(TooMany, match="counterfactual blocks"):
        services.counterfactual(blocks=2, **asked)
    services.counterfactual(blocks=1, **asked)


@pytest.mark.parametrize("is_limited", [True, False])
def test_an_author_has_a_number_of_past_blocks_a_day_for_all_versions_together(
    rated, older, newer, author, settings, submitted, is_limited
):
    """Give each further version the blocks of a day again where the account has no limit."""
    assert base.RATES["counterfactuals"].keys() == {"account", "version"}
    limits = {"version": (3, 24 * 3600)} | ({"account": (3, 24 * 3600)} if is_limited else {})
    settings.RATES = {**settings.RATES, "counterfactuals": limits}
    rated("thumb", "timid", "random", blocks=3)
    asked = {"against": older, "game": GAME, "blocks": 2, "by": author}
    services.counterfactual(version=newer, **asked)
    newest = submitted(author, older.bot.slug)
    with pytest.raises(TooMany, match="counterfactual blocks") if is_limited else nullcontext():
        services.counterfactual(version=newest, **asked)
