import pytest
from django.core.exceptions import ValidationError
from stichkampf_platform.bots import services as bots
from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.experiments import queries, services
from stichkampf_platform.experiments.standing import standing
from stichkampf_platform.tournaments.models import Result, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.queries import next_blocks, shown_results
from stichkampf_platform.tournaments.running.conduct import conduct_of

GAME = "stiche-raten"


@pytest.fixture
def author(person):
    return person("ada")


@pytest.fixture
def karl(author, submitted):
    return submitted(author)


def test_a_challenge_of_one_opponent_plays_mirrored_pairs_that_only_its_author_sees(
    house, karl, author, person, play_blocks
):
    experiment = services.challenge(version=karl, opponents=[house["thumb"]], game=GAME, blocks=3, by=author)
    assert not experiment.tournament.rated
    play_blocks(experiment)
    assert experiment.tournament.state == Tournament.State.FINISHED
    told = standing(experiment)
    (against,) = told.differences
    assert (against.opponent, against.blocks, told.progress.blocks_over) == (house["thumb"], 3, 3)
    level = against.elo.low is None  # where all three blocks ended so
    assert level or against.elo.low < against.elo.estimate < against.elo.high
    assert against.points.low <= against.points.estimate <= against.points.high
    assert Result.objects.exists()
    assert not shown_results().exists()
    assert experiment in queries.experiments_for(author)
    assert experiment not in queries.experiments_for(person("bob"))


def test_several_opponents_meet_the_challenger_in_seats_of_their_own(house, karl, author, play_blocks):
    opponents = [house[name] for name in ("thumb", "timid", "random", "worrier")]
    experiment = services.challenge(version=karl, opponents=opponents, game=GAME, blocks=2, by=author)
    play_blocks(experiment)
    for block in experiment.tournament.blocks.all():
        for table in block.tables.all():
            versions = [seat.entrant.version for seat in table.seats.all()]
            assert karl in versions
            assert len(set(versions)) == len(versions)
    assert {one.opponent for one in standing(experiment).differences} == set(opponents)


def test_faults_in_a_challenge_never_count_for_conduct(
    house, karl, author, person, submitted, play_blocks, settings
):
    settings.CONDUCT_SUSPENDED_WITH_POINTS = 1
    otto = submitted(person("bob"), slug="otto")
    experiment = services.challenge(version=karl, opponents=[otto], game=GAME, blocks=2, by=author)
    play_blocks(experiment, faulting=[karl, otto])
    assert Result.objects.filter(forfeited=True).exists()
    for version in (karl, otto):
        version.refresh_from_db()
        assert version.state == Version.State.APPROVED
        assert conduct_of(version).matches == 0


def test_an_owner_may_refuse_challenges_but_not_the_own_ones(karl, author, person, submitted):
    bob = person("bob")
    otto = submitted(bob, slug="otto")
    with pytest.raises(RequestRefused, match="belongs to someone else"):
        bots.consent(bot=otto.bot, by=author, field="accepts_challenges", accepted=False)
    bots.consent(bot=otto.bot, by=bob, field="accepts_challenges", accepted=False)
    with pytest.raises(RequestRefused, match="bob/otto accepts no challenges"):
        services.challenge(
            version=karl, opponents=[Version.objects.get(pk=otto.pk)], game=GAME, blocks=1, by=author
        )
    fritz = submitted(bob, slug="fritz")
    services.challenge(
        version=fritz, opponents=[Version.objects.get(pk=otto.pk)], game=GAME, blocks=1, by=bob
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"blocks": 0}, "from 1 to 200, not 0"),
        ({"opponents": ["thumb", "random"]}, "name one opponent"),
        ({"game": "mue"}, "does not play mue"),
        ({"by": "bob"}, "belongs to someone else"),
        ({"options": {"length": "deals:no"}}, "length"),
    ],
)
def test_a_challenge_that_cannot_be_played_is_refused_with_the_reason(
    wrong, message, house, karl, author, person
):
    asked = {"opponents": ["thumb"], "game": GAME, "blocks": 1, "by": author, **wrong}
    asked["opponents"] = [house[name] for name in asked["opponents"]]
    if asked["by"] == "bob":
        asked["by"] = person("bob")
    with pytest.raises((RequestRefused, ValidationError), match=message):
        services.challenge(version=karl, **asked)
    assert not Tournament.objects.exists()


def test_blocks_of_an_author_are_counted_by_day_and_running_ones_at_once(house, karl, author, settings):
    settings.RATES = {**settings.RATES, "challenges": {"account": (6, 3600)}}
    challenge = {"version": karl, "opponents": [house["thumb"]], "game": GAME, "by": author}
    made = [services.challenge(blocks=1, **challenge) for _ in range(4)]
    with pytest.raises(RequestRefused, match="4 experiments that are not over"):
        services.challenge(blocks=1, **challenge)
    services.cancel(experiment=made[0], by=author)
    with pytest.raises(TooMany, match="blocks of challenges"):
        services.challenge(blocks=3, **challenge)
    services.challenge(blocks=2, **challenge)


def test_experiments_have_their_own_workers(house, karl, author, make_tournament):
    rated = make_tournament(blocks=4)
    lifecycle.start(tournament=rated)
    experiment = services.challenge(version=karl, opponents=[house["thumb"]], game=GAME, blocks=3, by=author)
    assert {block.tournament for block in next_blocks(9)} == {rated}
    assert {block.tournament for block in next_blocks(9, experiments=True)} == {experiment.tournament}


@pytest.mark.slow
def test_two_versions_are_compared_until_there_is_a_verdict(house, karl, author, submitted, play_blocks):
    newer = submitted(author)
    experiment = services.compare(version=newer, against=karl, game=GAME, blocks=40, by=author)
    assert experiment.tournament.blocks.count() == 32
    play_blocks(experiment)
    play_blocks(experiment)
    assert experiment.tournament.state == Tournament.State.FINISHED
    assert "ada/karl v2" in experiment.tournament.outcome
    (against,) = standing(experiment).differences
    assert against.opponent == karl
    assert against.elo.low < against.elo.estimate < against.elo.high


@pytest.mark.slow
def test_several_versions_are_compared_with_one_in_one_test(house, karl, author, submitted, play_blocks):
    second, third = submitted(author), submitted(author)
    asked = {"version": second, "against": karl, "game": GAME, "blocks": 80, "by": author}
    with pytest.raises(RequestRefused, match="each named once"):
        services.compare(**asked, also=[second])
    with pytest.raises(RequestRefused, match="has two versions"):
        services.compare(**asked, also=[third], fixed=True)
    experiment = services.compare(**asked, also=[third])
    assert experiment.tournament.blocks.count() == 64
    play_blocks(experiment)
    play_blocks(experiment)
    assert experiment.tournament.state == Tournament.State.FINISHED
    assert all(f"ada/karl v{number} is " in experiment.tournament.outcome for number in (2, 3))
    found = standing(experiment).differences
    assert [(one.version, one.opponent) for one in found] == [(second, karl), (third, karl)]
    assert all(one.blocks >= 32 for one in found)


def test_versions_of_two_bots_are_not_compared(house, karl, author, submitted):
    with pytest.raises(RequestRefused, match="two versions of one bot"):
        services.compare(
            version=karl, against=submitted(author, slug="otto"), game=GAME, blocks=40, by=author
        )
