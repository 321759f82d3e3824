from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils.translation import override
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import NotShown, RequestRefused
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.queries import due, unsettled_tournaments
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import Block, Result, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import due_steps

pytestmark = pytest.mark.database


def test_a_block_played_again_has_the_same_seatings_and_other_cards(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    old = tournament.blocks.first()
    new = rulings.run_again(block=old)
    old.refresh_from_db()
    assert old.replaced_by == new
    assert new.number == 2
    assert bytes(new.seed) != bytes(old.seed)

    def seatings(block):
        return [[seat.entrant_id for seat in table.seats.all()] for table in block.tables.all()]

    assert seatings(new) == seatings(old)


def test_the_old_results_are_void_and_kept(make_tournament, play_out, land):
    tournament = play_out(make_tournament(blocks=2))
    old = tournament.blocks.first()
    table = old.tables.first()
    before = Result.objects.count()
    new = rulings.run_again(block=old)
    assert Result.objects.count() == before
    assert set(old.tables.values_list("state", flat=True)) == {"void"}
    with pytest.raises(NotShown):
        record_files.record_text(table.pk)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING
    for table in leases.take(block_id=new.pk, owner="w1"):
        assert land(table)
    assert due_steps.advance_tournaments() == 1
    snapshot = ratings.publish(ladder=tournament.ladder, tournament=tournament)
    assert snapshot.blocks == 2
    assert snapshot.tables == 6


def test_ratings_are_due_again_when_the_block_has_been_played_again(make_tournament, play_out, land):
    tournament = play_out(make_tournament(blocks=2))
    ladder = tournament.ladder
    ratings.publish(ladder=ladder, tournament=tournament)
    assert not due(ladder, tournament)
    new = rulings.run_again(block=tournament.blocks.first())
    for table in leases.take(block_id=new.pk, owner="w1"):
        land(table)
    due_steps.advance_tournaments()
    assert list(unsettled_tournaments()) == [tournament]
    assert due(ladder, tournament)


def test_pressing_twice_plays_once_more_and_not_twice(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    old = tournament.blocks.first()
    rulings.run_again(block=old)
    with pytest.raises(RequestRefused, match="already played again as block 3"):
        rulings.run_again(block=old)
    assert tournament.blocks.count() == 3


@pytest.mark.django_db(transaction=True)
def test_many_presses_at_once_plan_one_block(make_tournament, play_out):
    tournament = play_out(make_tournament(blocks=2))
    old = tournament.blocks.first()

    def press(_):
        try:
            rulings.run_again(block=old)
        except RequestRefused:
            return 0
        else:
            return 1
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as organisers:
        assert sum(organisers.map(press, range(5))) == 1
    assert tournament.blocks.count() == 3


def test_a_block_in_play_can_be_played_again_and_its_worker_stores_nothing(leased, land):
    table, *_ = leased()
    new = rulings.run_again(block=table.block)
    assert not land(table)
    assert not Result.objects.exists()
    assert new.tables.filter(state=Table.State.PENDING).count() == 3


def test_a_result_from_which_the_next_round_was_drawn_stands(make_tournament, land):
    bots = ("thumb", "random", "timid", "bold", "flat", "rival")
    tournament = make_tournament(*bots, format="swiss", rounds=2, blocks=1)
    lifecycle.start(tournament=tournament)
    first = list(tournament.blocks.all())
    again = rulings.run_again(block=first[0])
    for block in (again, first[1]):
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    due_steps.advance_tournaments()
    assert tournament.blocks.filter(round=1).first().number == 3
    with pytest.raises(RequestRefused, match="next round has been drawn"):
        rulings.run_again(block=again)


def test_a_disqualified_entrant_plays_no_further_and_finished_blocks_count(make_tournament, land):
    tournament = make_tournament("thumb", "random", "timid", "bold", blocks=4)
    lifecycle.start(tournament=tournament)
    first, *rest = tournament.blocks.all()
    for table in leases.take(block_id=first.pk, owner="w1"):
        land(table)
    out = first.tables.first().seats.first().entrant
    rulings.disqualify(entrant=out, reason="It phoned home.")
    out.refresh_from_db()
    assert out.out_for == "It phoned home."
    assert queries.shown_tables().count() == 3
    for block in rest:
        seated = block.tables.filter(seats__entrant=out).exists()
        block.refresh_from_db()
        assert (block.over_at is not None) == seated
        assert block.tables.filter(state=Table.State.PENDING).exists() != seated
    with pytest.raises(RequestRefused, match="already disqualified"):
        rulings.disqualify(entrant=out, reason="Again.")


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_disqualification_needs_a_reason(make_tournament, reason):
    tournament = make_tournament()
    lifecycle.start(tournament=tournament)
    with pytest.raises(RequestRefused, match="Give the reason"):
        rulings.disqualify(entrant=tournament.entrants.first(), reason=reason)


def test_a_hidden_tournament_is_nowhere_and_comes_back(make_tournament, play_out, client):
    tournament = play_out(make_tournament(blocks=1))
    table = Table.objects.first()
    pages = ["/tournaments/a-test/", f"/r/{table.pk}/", table.block.get_absolute_url()]
    rulings.hide(tournament=tournament)
    assert [client.get(page).status_code for page in pages] == [404, 404, 404]
    assert not queries.shown_results().exists()
    assert len(list(record_files.export(tournament))) == 3
    with pytest.raises(RequestRefused, match="hidden already"):
        rulings.hide(tournament=tournament)
    rulings.publish(tournament=tournament)
    assert [client.get(page).status_code for page in pages] == [200] * 3


def test_a_clone_is_a_draft_of_the_same(make_tournament, play_out, person):
    tournament = play_out(make_tournament(blocks=1))
    ann = person()
    copy = rulings.clone(tournament=tournament, by=ann)
    assert (copy.state, copy.created_by, copy.blocks.count()) == ("draft", ann, 0)
    assert (copy.slug, copy.name) == ("a-test-2", "A test (2)")
    assert [e.version for e in copy.entrants.all()] == [e.version for e in tournament.entrants.all()]
    assert rulings.clone(tournament=tournament, by=ann).slug == "a-test-3"
    lifecycle.start(tournament=copy)


def test_a_scheduled_tournament_starts_at_its_time_once(make_tournament):
    tournament = make_tournament(starts_at=clock.now() + timedelta(hours=1))
    assert due_steps.start_due() == 0
    Tournament.objects.update(starts_at=clock.now() - timedelta(seconds=1))
    assert due_steps.start_due() == 1
    assert due_steps.start_due() == 0
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING
    assert Block.objects.count() == 2


def test_a_tournament_that_cannot_start_at_its_time_says_why(make_tournament, house):
    tournament = make_tournament(starts_at=clock.now() + timedelta(hours=1))
    Tournament.objects.update(starts_at=clock.now() - timedelta(seconds=1))
    house["thumb"].games = ["mue"]
    house["thumb"].save()
    assert due_steps.start_due() == 0
    tournament.refresh_from_db()
    told = f"{house['thumb']} does not play stiche-raten; it plays mue."
    assert tournament.outcome == f"Not started: {told}"
    assert tournament.told_outcome == tournament.outcome
    with override("de"):
        told = f"{house['thumb']} spielt nicht stiche-raten, sondern mue."
        assert tournament.told_outcome == f"Nicht begonnen: {told}"
    assert tournament.starts_at is None
    assert not Block.objects.exists()
