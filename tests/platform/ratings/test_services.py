import math
import random
from datetime import timedelta

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from stichkampf.rating import Results, cyclic_share, pair_residuals, rate
from stichkampf.rating import table as rating_table
from stichkampf_platform.bots.services import put_forward
from stichkampf_platform.core import clock
from stichkampf_platform.ladders.services import ladder_of
from stichkampf_platform.ratings import collusion_watch, queries, rating_rows, services
from stichkampf_platform.ratings.models import ForfeitRule, Pairing, Rating, Snapshot
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Result, Tournament
from stichkampf_platform.tournaments.organising import lifecycle as tournaments
from stichkampf_platform.tournaments.organising import rulings
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import rounds

pytestmark = pytest.mark.database

FIELD = ("thumb", "glimpse", "worrier", "random", "timid")


@pytest.fixture
def played(make_tournament, play_out):
    """A finished tournament of five bots."""
    return play_out(make_tournament(*FIELD, blocks=10))


@pytest.fixture
def ladder(played):
    return played.ladder


def test_published_ratings_are_those_of_the_results(played, ladder):
    snapshot = services.publish(ladder=ladder)
    rows = [
        (result.seat.table.block_id, result.seat.number, result.seat.entrant.version_id, result.score)
        for result in Result.objects.select_related("seat__table", "seat__entrant")
    ]
    assert len(snapshot.anchors) == 3
    expected = rate(Results.from_rows(rows), anchors=snapshot.anchors)
    assert {rating.version_id: rating.elo for rating in snapshot.ratings.all()} == {
        line.entrant: line.elo for line in expected
    }
    anchors = [rating.elo for rating in snapshot.ratings.filter(anchor=True)]
    assert len(anchors) == 3
    assert sum(anchors) / 3 == pytest.approx(1500)


@pytest.mark.slow
def test_a_snapshot_is_recomputed_whatever_came_later(played, ladder, make_tournament, play_out, capsys):
    snapshot = services.publish(ladder=ladder)
    play_out(make_tournament(*FIELD, name="Another", blocks=5))
    later = services.publish(ladder=ladder)
    assert later.blocks == 15
    assert services.is_repeated(snapshot)
    assert snapshot.digest != later.digest
    assert services.is_repeated(later)
    call_command("verify_ratings")
    assert capsys.readouterr().out == "2 snapshots are equal to the ratings that their results give.\n"
    Snapshot.objects.filter(pk=later.pk).update(digest="0" * 64)
    with pytest.raises(CommandError, match="1 of 2 snapshots differ from their results"):
        call_command("verify_ratings")
    Snapshot.objects.filter(pk=later.pk).update(forfeit_rule=ForfeitRule.VOID)
    call_command("verify_ratings")
    out = capsys.readouterr().out.splitlines()[-2:]
    assert out[0].startswith("1 were made by an earlier rule for forfeits")
    assert out[1] == "1 snapshots are equal to the ratings that their results give."


def test_a_snapshot_is_recomputed_from_a_block_that_has_been_made_void_since(played, ladder):
    before = services.publish(ladder=ladder)
    rulings.run_again(block=played.blocks.first())
    after = services.publish(ladder=ladder)
    assert (before.blocks, after.blocks) == (10, 9)
    assert services.is_repeated(before)
    assert before.digest != after.digest
    assert services.is_repeated(after)


def test_a_snapshot_is_recomputed_from_results_in_any_order(played, ladder):
    snapshot = services.publish(ladder=ladder)
    results = list(Result.objects.all())
    random.Random(7).shuffle(results)
    Result.objects.all().delete()
    for result in results:
        result.pk = None
    Result.objects.bulk_create(results)
    assert services.is_repeated(snapshot)


def test_a_changed_result_shows_in_the_recomputation(played, ladder):
    snapshot = services.publish(ladder=ladder)
    best = Result.objects.filter(seat__number=0).order_by("-score").first()
    Result.objects.filter(pk=best.pk).update(score=-1000)
    assert not services.is_repeated(snapshot)


@pytest.mark.parametrize(("by", "same"), [(7e-13, True), (1e-4, False)])
def test_another_processor_gives_the_same_ratings_and_another_rating_shows(
    played, ladder, monkeypatch, by, same
):
    """Kinds of processors add in another order, by which Elo differs from the twelfth decimal on."""
    snapshot = services.publish(ladder=ladder)
    monkeypatch.setattr(rating_table, "ELO_PER_STRENGTH", rating_table.ELO_PER_STRENGTH * (1 + by))
    assert services.is_repeated(snapshot) == same


def test_a_published_rating_that_was_changed_by_a_bit_shows(played, ladder):
    snapshot = services.publish(ladder=ladder)
    line = snapshot.ratings.first()
    snapshot.ratings.filter(pk=line.pk).update(elo=math.nextafter(line.elo, 0))
    assert not services.is_repeated(snapshot)


def test_few_blocks_are_provisional_and_have_no_rank(played, ladder):
    snapshot = services.publish(ladder=ladder)
    assert all(rating.provisional and rating.rank is None for rating in snapshot.ratings.all())


def test_a_block_counts_only_when_it_is_whole(make_tournament, land):
    tournament = make_tournament(*FIELD, blocks=2)
    tournaments.start(tournament=tournament)
    first, second = tournament.blocks.all()
    for table in leases.take(block_id=first.pk, owner="w1"):
        land(table)
    half = leases.take(block_id=second.pk, owner="w1")
    land(half[0])
    tournament.refresh_from_db()
    ladder = tournament.ladder
    assert services.publish(ladder=ladder).blocks == 1
    tournaments.cancel(tournament=tournament)
    assert services.publish(ladder=ladder).blocks == 1


def test_an_unrated_tournament_has_standings_but_moves_no_ladder(make_tournament, play_out):
    tournament = play_out(make_tournament(*FIELD, blocks=3, rated=False))
    ladder = tournament.ladder
    assert services.publish(ladder=ladder) is None
    assert services.publish(ladder=ladder, tournament=tournament).blocks == 3


def test_a_seat_beyond_its_allowance_loses_every_comparison_on_its_hands(make_tournament, play_out, house):
    offender = house["random"]
    tournament = make_tournament("thumb", "random", "timid", blocks=4, fault_allowance=1)
    play_out(tournament, faulting=[offender])
    services.publish(ladder=tournament.ladder)
    pairs = Pairing.objects.all()
    against = [p for p in pairs if offender in (p.first, p.second)]
    assert [pair.shares[pair.second == offender] for pair in against] == [0, 0]
    # what the others played stands, with each other and with its seats, at every table
    assert all(pair.comparisons == 12 for pair in pairs)
    assert len(pairs) == 3
    others = {line.version: line.elo for line in Rating.objects.exclude(version=offender)}
    Result.objects.update(forfeited=False)
    services.publish(ladder=tournament.ladder)
    again = Snapshot.objects.first().ratings.exclude(version=offender)
    assert {line.version: line.elo for line in again} == others


def test_residuals_are_published_with_the_ratings(played, ladder):
    snapshot = services.publish(ladder=ladder)
    table = services.rated(ladder, _rows(played).results(), snapshot.anchors)
    assert snapshot.cyclic_share == cyclic_share(table)
    stored = {frozenset((pair.first_id, pair.second_id)): pair for pair in snapshot.pairings.all()}
    for residual in pair_residuals(table):
        pair = stored.pop(frozenset((residual.first, residual.second)))
        turned = pair.first_id != residual.first
        z = -residual.z if turned and residual.z is not None else residual.z
        assert (pair.z, pair.blocks, pair.comparisons) == (z, residual.blocks, residual.comparisons)
    assert stored == {}


@pytest.mark.slow
def test_of_two_versions_only_the_one_that_holds_the_place_is_ranked(
    person, submitted, make_tournament, play_out, house
):
    ann = person()
    old, new = submitted(ann), submitted(ann)
    put_forward(version=new, by=ann)
    field = [house[bot] for bot in FIELD]
    tournament = play_out(make_tournament(versions=[old, new, *field], blocks=14))
    table = services.rated(tournament.ladder, _rows(tournament).results(), [])
    assert {old.pk, new.pk} <= {line.entrant for line in table}
    assert old.pk not in services._ranked_versions(table, tournament.ladder)


def _rows(tournament):
    ladder = tournament.ladder
    return rating_rows.rows_of(rating_rows.counted_spans(ladder), ladder)


def test_the_order_of_results_does_not_matter(played, ladder):
    rows = _rows(played)
    shuffled = rows.taken(np.random.default_rng(7).permutation(len(rows)))
    straight, turned = (
        services._ratings(services.rated(ladder, r.results(), []), r, []) for r in (rows, shuffled)
    )
    assert services._digest(straight) == services._digest(turned)
    seen = [(line.version_id, line.deals, line.median_ms, line.fault_permille) for line in straight]
    assert seen == [(line.version_id, line.deals, line.median_ms, line.fault_permille) for line in turned]


def test_nothing_is_published_where_no_two_versions_held_the_same_hand(make_tournament, land):
    tournament = make_tournament(*FIELD[:3], blocks=1)
    ladder = ladder_of(game="stiche-raten", seats=3, options={"length": "deals:1"})
    block = rounds.add_block(tournament, 0, 0, [list(tournament.entrants.all())])
    Tournament.objects.filter(pk=tournament.pk).update(state="running", ladder=ladder)
    (table,) = leases.take(block_id=block.pk, owner="w1")
    assert land(table)
    assert services.publish(ladder=ladder) is None


def test_a_tournament_that_compares_no_entrants_needs_no_ratings(make_tournament, land):
    alone = make_tournament(*FIELD[:3], name="One table", blocks=1)
    block = rounds.add_block(alone, 0, 0, [list(alone.entrants.all())])
    Tournament.objects.filter(pk=alone.pk).update(state="running")
    cancelled = make_tournament(*FIELD, name="Cancelled", blocks=2)
    tournaments.start(tournament=cancelled)
    for one in (block, cancelled.blocks.first()):
        assert land(leases.take(block_id=one.pk, owner="w1")[0])
    tournaments.cancel(tournament=cancelled)
    assert due_steps.advance_tournaments() == 1
    assert not queries.unsettled_tournaments().exists()


def test_no_result_is_read_if_no_block_counts(played, ladder, monkeypatch):
    read = []
    within = rating_rows._within
    monkeypatch.setattr(
        rating_rows, "_within", lambda blocks, spans: read.extend(blocks) or within(blocks, spans)
    )
    assert not len(rating_rows.rows_of([], ladder))
    assert not read


def test_a_publication_is_due_after_the_last_block_and_not_again(played, ladder):
    assert queries.due(ladder)
    services.publish(ladder=ladder)
    assert not queries.due(ladder)
    assert Snapshot.objects.get().final


def test_while_play_goes_on_a_publication_waits_for_enough_news(played, ladder, make_tournament, land):
    services.publish(ladder=ladder)
    running = make_tournament(*FIELD, name="Running", blocks=2)
    tournaments.start(tournament=running)
    for table in leases.take(block_id=running.blocks.first().pk, owner="w1"):
        land(table)
    assert not queries.due(ladder), "a moment after the last publication"
    Snapshot.objects.update(at="2026-01-01T00:00Z")
    assert queries.due(ladder)
    assert not services.publish(ladder=ladder).final
    Tournament.objects.filter(pk=running.pk).update(state="cancelled")
    assert queries.due(ladder)


def test_blocks_are_counted_only_where_there_may_be_a_tenth_more(played, ladder, make_tournament, land):
    services.publish(ladder=ladder)
    running = make_tournament(*FIELD, name="Running", blocks=2)
    tournaments.start(tournament=running)
    for table in leases.take(block_id=running.blocks.first().pk, owner="w1"):
        land(table)
    Snapshot.objects.update(at=clock.now() - timedelta(minutes=1), blocks=1)
    with CaptureQueriesContext(connection) as asked:
        assert queries.due(ladder)
    counting = [query["sql"] for query in asked if "COUNT(*)" in query["sql"]]
    assert len(counting) == 1
    Snapshot.objects.update(blocks=1000)
    with CaptureQueriesContext(connection) as asked:
        assert not queries.due(ladder)
    assert not [query for query in asked if query["sql"] in counting]


def test_without_the_whole_panel_the_mean_of_all_is_1500(make_tournament, play_out):
    tournament = play_out(make_tournament("thumb", "random", "timid", blocks=4))
    ratings = services.publish(ladder=tournament.ladder).ratings.all()
    assert sum(rating.elo for rating in ratings) / 3 == pytest.approx(1500)
    assert all(rating.plus_minus > 0 for rating in ratings)


def test_of_a_day_long_ago_the_last_snapshot_is_kept(played, ladder):
    noon = clock.now().replace(hour=12, minute=0)

    def published(days, hour, tournament=None):
        pk = services.publish(ladder=ladder, tournament=tournament).pk
        Snapshot.objects.filter(pk=pk).update(at=noon - timedelta(days=days) + timedelta(hours=hour))
        return pk

    of_the_tournament = published(60, hour=-4, tournament=played)
    snapshots = {(days, hour): published(days, hour) for days in (61, 60, 2) for hour in (-2, 0, 1)}
    assert services.thin_snapshots() == 4
    kept = {pk for (days, hour), pk in snapshots.items() if days == 2 or hour == 1}
    assert set(Snapshot.objects.values_list("pk", flat=True)) == kept | {of_the_tournament}


class Broken(Exception):
    """The database went away."""


def test_ratings_show_once_they_are_whole(played, ladder, monkeypatch):
    before = services.publish(ladder=ladder)
    insert = services.insert_rows
    written = []

    def dying(model, columns, rows):
        if written:
            raise Broken
        insert(model, columns, rows)
        written.extend(rows)

    monkeypatch.setattr(services, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(services, "insert_rows", dying)
    with pytest.raises(Broken):
        services.publish(ladder=ladder)
    assert len(written) == 3
    assert queries.newest_snapshot(ladder) == before
    assert before.pairings.count() == 10
    monkeypatch.undo()
    after = services.publish(ladder=ladder)
    assert queries.newest_snapshot(ladder) == after
    assert after.pairings.count() == Pairing.objects.count() == 10


def test_half_written_ratings_go_after_a_day(played, ladder):
    services.publish(ladder=ladder)
    Snapshot.objects.update(published=False)
    services.thin_snapshots()
    assert Snapshot.objects.count() == 1
    Snapshot.objects.update(at=clock.now() - timedelta(days=2))
    services.thin_snapshots()
    assert not Snapshot.objects.exists()


def test_half_written_ratings_are_neither_final_nor_searched(played, ladder):
    services.publish(ladder=ladder, tournament=played)
    assert not queries.unsettled_tournaments().exists()
    assert len(collusion_watch.due_snapshots()) == 1
    Snapshot.objects.update(published=False)
    assert queries.unsettled_tournaments().get() == played
    assert collusion_watch.due_snapshots() == []


@pytest.fixture
def statements():
    """Record the writes: by table, with the number of statements begun when it was committed."""
    seen = []

    def note(execute, sql, params, many, context):
        if sql.startswith(("INSERT", "DELETE", "UPDATE")):
            statement = [sql.split('"')[1]]
            seen.append(statement)
            transaction.on_commit(lambda: statement.append(len(seen)))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_publishing_never_holds_the_database_for_more_than_a_portion(played, ladder, monkeypatch, statements):
    services.publish(ladder=ladder)
    monkeypatch.setattr(services, "ROWS_AT_ONCE", 3)
    statements.clear()
    services.publish(ladder=ladder)
    # four portions are deleted and four inserted; those that PostgreSQL copies in are no statements
    expected = 4 if connection.vendor == "postgresql" else 8
    assert [name for name, _ in statements].count("ratings_pairing") == expected
    # each was written for good before the next one began
    assert [written for _, written in statements] == list(range(1, len(statements) + 1))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_old_snapshots_go_one_by_one(played, ladder, statements):
    for _ in range(4):
        services.publish(ladder=ladder)
    Snapshot.objects.update(at=clock.now() - timedelta(days=60))
    statements.clear()
    assert services.thin_snapshots() == 3
    written = [written for name, written in statements if name == "ratings_snapshot"]
    assert len(set(written)) == len(written) == 3
