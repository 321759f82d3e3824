import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.entry.absence import Absent
from stichkampf_platform.tournaments.models import Block, Entrant, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.database


def test_a_start_draws_up_the_whole_schedule(make_tournament):
    tournament = make_tournament(blocks=3)
    lifecycle.start(tournament=tournament)
    assert queries.progress(tournament).tables == 9
    for block in tournament.blocks.all():
        seatings = [[seat.entrant_id for seat in table.seats.all()] for table in block.tables.all()]
        assert len(seatings) == 3
        assert all(len(set(hand)) == 3 for hand in zip(*seatings, strict=True))


def test_every_block_has_a_seed_of_its_own(make_tournament):
    tournament = make_tournament(blocks=5)
    lifecycle.start(tournament=tournament)
    seeds = {bytes(seed) for seed in tournament.blocks.values_list("seed", flat=True)}
    assert len(seeds) == 5
    assert {len(seed) for seed in seeds} == {32}


def test_options_are_stored_complete(make_tournament):
    assert make_tournament().options == {
        "deck": 64, "length": "deals:1", "greifen_passen": False, "hook": True, "ten_high": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"game": "skat"}, "game", "no game is called 'skat'"),
        ({"seats": 9}, "seats", "not 9"),
        ({"options": {"length": "deals:0"}}, "options", "length"),
        ({"options": {"joker": True}}, "options", "no option 'joker'"),
        ({"seats": 4}, "entrants", "needs 4 entrants"),
        ({"blocks": 0}, "blocks_planned", "one block or more"),
        ({"format": "bridge"}, "format", "no format is called 'bridge'"),
        ({"move_seconds": 0.0}, "move_seconds", "0.05"),
        ({"cap_seconds": 1.0, "move_seconds": 2.0}, "cap_seconds", "cannot be less"),
    ],
)
def test_an_impossible_tournament_is_refused_and_not_half_made(make_tournament, fields, field, message):
    with pytest.raises(ValidationError) as refusal:
        make_tournament(**fields)
    assert message in " ".join(refusal.value.message_dict[field])
    assert not Tournament.objects.exists()
    assert not Entrant.objects.exists()


def test_an_entrant_that_does_not_play_the_game_is_refused(person, submitted, house):
    karl = submitted(person(), games=["sticheln"])
    with pytest.raises(ValidationError, match="karl v1 does not play stiche-raten; it plays sticheln"):
        lifecycle.create_tournament(
            name="A", game="stiche-raten", seats=3, blocks=1, versions=[karl, house["thumb"], house["bold"]]
        )


def test_an_entrant_that_is_not_approved_is_refused(person, submitted, house):
    karl = submitted(person(), state="rejected")
    with pytest.raises(ValidationError, match="karl v1 is rejected and cannot play"):
        lifecycle.create_tournament(
            name="A", game="stiche-raten", seats=3, blocks=1, versions=[karl, house["thumb"], house["bold"]]
        )


def test_two_versions_of_one_author_never_share_a_table(person, submitted, house):
    ann = person()
    own = [submitted(ann), submitted(ann)]
    tournament = lifecycle.create_tournament(
        name="A", game="stiche-raten", seats=3, blocks=8,
        versions=[*own, house["thumb"], house["bold"], house["timid"]],
    )  # fmt: skip
    lifecycle.start(tournament=tournament)
    for table in Table.objects.all():
        assert len({seat.entrant.version for seat in table.seats.all()} & set(own)) <= 1


def test_a_tournament_starts_once(make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    with pytest.raises(RequestRefused, match="it is not possible to start it"):
        lifecycle.start(tournament=tournament)
    assert Block.objects.count() == 2


def test_an_entrant_suspended_before_the_start_stops_the_start(make_tournament, house):
    tournament = make_tournament()
    house["thumb"].state = "suspended"
    house["thumb"].save()
    with pytest.raises(Absent, match="suspended"):
        lifecycle.start(tournament=tournament)
    assert not Block.objects.exists()


def test_a_paused_tournament_gives_no_leases_until_it_goes_on(make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.first()
    lifecycle.pause(tournament=tournament)
    assert leases.take(block_id=block.pk, owner="w1") == []
    assert not queries.due_blocks().exists()
    lifecycle.resume(tournament=tournament)
    assert len(leases.take(block_id=block.pk, owner="w1")) == 3


def test_a_cancelled_tournament_gives_no_leases_and_takes_those_away_that_are_out(make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    leases.take(block_id=tournament.blocks.first().pk, owner="w1")
    lifecycle.cancel(tournament=tournament)
    assert leases.renew("w1") == {"w1": set()}
    assert leases.take(block_id=tournament.blocks.last().pk, owner="w1") == []
    with pytest.raises(RequestRefused, match="cancelled"):
        lifecycle.resume(tournament=tournament)


def test_a_tournament_ends_with_its_last_block_and_not_before(make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    first, last = tournament.blocks.all()
    Block.objects.filter(pk=first.pk).update(over_at="2026-01-01T00:00Z")
    assert due_steps.advance_tournaments() == 0
    Block.objects.filter(pk=last.pk).update(over_at="2026-01-01T00:00Z")
    assert due_steps.advance_tournaments() == 1
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED


def test_a_block_is_hinted_at_by_one_and_not_again_at_once(make_tournament):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    first = due_steps.mark_enqueued(how_many=1)
    second = due_steps.mark_enqueued(how_many=5)
    assert {*first, *second} == set(tournament.blocks.all())
    assert len(first + second) == tournament.blocks.count()
    assert due_steps.mark_enqueued(how_many=5) == []


def test_many_blocks_are_hinted_at_by_as_many_questions_as_two(
    make_tournament, django_assert_max_num_queries
):
    lifecycle.start(tournament=make_tournament(blocks=40))
    with CaptureQueriesContext(connection) as questions:
        assert len(due_steps.mark_enqueued(how_many=2)) == 2
    with django_assert_max_num_queries(len(questions)):
        assert len(due_steps.mark_enqueued(how_many=38)) == 38
