import pytest
from django.core.files.storage import storages
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments.models import Entrant, Result, Table
from stichkampf_platform.tournaments.queries import revealed_results
from stichkampf_platform.web import bot_statistics

pytestmark = pytest.mark.django_db


def results_of(slug):
    return revealed_results().filter(seat__entrant__version__bot__slug=slug).order_by("-pk")


def newest(slug):
    return bot_statistics.newest_results(
        Entrant.objects.filter(version__bot__slug=slug).values_list("pk", flat=True)
    )


def test_mean_ranks_by_seat_follow_from_the_results(played):
    played.whole("sticheln", blocks=2)
    (line,) = bot_statistics.by_seat(newest("bold"))
    assert line.game == "Sticheln"
    assert line.matches == 8
    for seat, mean in enumerate(line.mean_ranks):
        ranks = Result.objects.filter(seat__number=seat, seat__entrant__version__bot__slug="bold")
        assert mean == pytest.approx(sum(ranks.values_list("rank", flat=True)) / 2)


def test_mean_ranks_of_smaller_tables_are_filled_up(played):
    played.whole("sticheln", blocks=1)
    played.whole("stiche-raten", 3, blocks=1, options={"length": "deals:3"})
    three, four = sorted(bot_statistics.by_seat(newest("bold")), key=lambda line: line.matches)
    assert len(three.mean_ranks) == len(four.mean_ranks) == 4
    assert three.mean_ranks[3] is None


def test_matches_of_a_bot_with_itself_alone_are_left_out(played, house_bot):
    tournament = played.whole("sticheln", blocks=1)
    whole = results_of("bold")
    assert len(newest("bold")) == whole.count() == 4
    for number, entrant in enumerate(tournament.entrants.all(), start=90):
        Version.objects.filter(pk=entrant.version_id).update(bot=house_bot("bold"), number=number)
    assert whole.count() == 16
    assert newest("bold") == []


def test_results_behind_many_that_do_not_count_are_found_too(played, house_bot, monkeypatch):
    played.whole("sticheln", blocks=2)
    whole = newest("bold")
    assert [result.pk for result in whole] == list(results_of("bold").values_list("pk", flat=True))
    monkeypatch.setattr(bot_statistics, "BLOCKS_LOOKED_AT", 1)
    monkeypatch.setattr(bot_statistics, "RESULTS_READ", 8)
    assert newest("bold") == whole


def test_only_decisions_of_the_bots_own_seats_are_counted(played):
    played.whole("sticheln", blocks=1)
    seconds, _ = bot_statistics.thinking(newest("bold"))
    assert len(seconds) == sum(result.decisions for result in results_of("bold"))


def test_the_number_of_records_read_is_bounded(played, django_assert_num_queries, monkeypatch):
    played.whole("sticheln", blocks=3)
    results = newest("bold")
    assert len(results) > bot_statistics.RECORDS_READ
    read = []
    really = storages["records"].read_many
    monkeypatch.setattr(storages["records"], "read_many", lambda names: read.extend(names) or really(names))
    with django_assert_num_queries(3):
        bot_statistics.thinking(results)
    assert len(read) == bot_statistics.RECORDS_READ


def test_decisions_of_a_running_block_are_not_counted(played):
    running = played.tournament(blocks=1)
    table = Table.objects.filter(block__tournament=running).select_related("block__tournament").first()
    played.play(table)
    rows = Result.objects.filter(seat__table=table).values_list(*bot_statistics.COLUMNS)
    results = [bot_statistics.SeatResult(*row, "sticheln", 4) for row in rows]
    assert results
    assert bot_statistics.thinking(results) == ([], 0)
