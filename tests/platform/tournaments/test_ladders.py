import pytest
from stichkampf_platform.tournaments import leases, rulings, services
from stichkampf_platform.tournaments.models import Entrant, Tournament

BOTS = ("thumb", "random", "timid", "bold", "flat", "rival")


@pytest.fixture
def ladder(make_tournament):
    tournament = make_tournament(*BOTS, format="ladder", blocks=4)
    services.start(tournament=tournament)
    return tournament


def play_one(tournament, land):
    block = tournament.blocks.filter(over_at=None).first()
    for table in leases.take(block_id=block.pk, owner="w1"):
        assert land(table)


def test_a_ladder_keeps_blocks_ready_and_never_ends(ladder, land):
    for played in range(1, 7):
        play_one(ladder, land)
        assert services.advance_tournaments() == 0
        assert services.advance_tournaments() == 0
        assert ladder.blocks.filter(over_at=None).count() == 4
        assert ladder.blocks.count() == 4 + played
    ladder.refresh_from_db()
    assert ladder.state == Tournament.State.RUNNING


def test_a_new_version_enters_by_itself_and_is_drawn_at_once(ladder, land, person, submitted):
    karl = submitted(person())
    play_one(ladder, land)
    services.advance_tournaments()
    entrant = Entrant.objects.get(tournament=ladder, version=karl)
    assert entrant.number == ladder.entrants.count() - 1
    assert entrant.seats.filter(table__lane=0).count() == 1


def test_suspended_and_disqualified_versions_are_drawn_no_more(ladder, land, house):
    house["thumb"].state = "suspended"
    house["thumb"].save()
    rulings.disqualify(entrant=ladder.entrants.get(version=house["bold"]), reason="It phoned home.")
    before = set(ladder.blocks.values_list("pk", flat=True))
    for _ in range(6):
        services.advance_tournaments()
        play_one(ladder, land)
    services.advance_tournaments()
    seated = {
        str(seat.entrant.version.house)
        for block in ladder.blocks.exclude(pk__in=before)
        for table in block.tables.all()
        for seat in table.seats.all()
    }
    assert seated
    assert not seated & {"thumb", "bold"}


def test_a_paused_ladder_draws_nothing(ladder, land):
    play_one(ladder, land)
    services.pause(tournament=ladder)
    services.advance_tournaments()
    assert ladder.blocks.count() == 4
    services.resume(tournament=ladder)
    services.advance_tournaments()
    assert ladder.blocks.count() == 5
