import re

import pytest
from django.core.files.storage import storages
from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments import seat_results
from stichkampf_platform.tournaments.models import Entrant, Result, Table
from stichkampf_platform.tournaments.queries import shown_results
from stichkampf_platform.web import thinking_times as times
from stichkampf_platform.web.thinking_times import thinking_times

pytestmark = pytest.mark.django_db


def results_of(slug):
    return shown_results().filter(seat__entrant__version__bot__slug=slug).order_by("-pk")


def newest(slug):
    return seat_results.newest_results(
        Entrant.objects.filter(version__bot__slug=slug).values_list("pk", flat=True)
    )


def test_mean_ranks_by_seat_follow_from_the_results(played):
    played.whole("sticheln", blocks=2)
    (line,) = seat_results.by_seat(newest("bold"))
    assert (line.game, line.seats, line.matches) == ("sticheln", 4, 8)
    for seat, mean in enumerate(line.mean_ranks):
        ranks = Result.objects.filter(seat__number=seat, seat__entrant__version__bot__slug="bold")
        assert mean == pytest.approx(sum(ranks.values_list("rank", flat=True)) / 2)


def test_numbers_of_seats_stand_apart_and_the_page_names_them(played, client):
    played.whole("stiche-raten", 4, blocks=1, options={"length": "deals:3"})
    played.whole("stiche-raten", 3, blocks=1, options={"length": "deals:3"})
    three, four = seat_results.by_seat(newest("bold"))
    assert (three.seats, len(three.mean_ranks), four.seats, len(four.mean_ranks)) == (3, 3, 4, 4)
    page = " ".join(client.get("/bots/house/bold/").content.decode().split())
    told = page.partition('id="seats"')[2].partition("</section>")[0]
    assert re.findall(r"(\d) seats, \d match", told) == ["3", "4"]
    assert told.count("<td") == 8
    german = " ".join(client.get("/de/bots/house/bold/").content.decode().split())
    assert "3 Spieler, " in german


def test_the_api_has_them(played, client):
    played.whole("stiche-raten", 3, blocks=1, options={"length": "deals:3"})
    (line,) = client.get("/api/v1/bots/house/bold/seats/").json()
    (expected,) = seat_results.by_seat(newest("bold"))
    assert line == expected._asdict()


def test_the_best_and_the_worst_match_are_those_furthest_from_the_mean_of_their_hands(played, client):
    played.whole("sticheln", blocks=3)
    played.whole("stiche-raten", 3, blocks=1, options={"length": "deals:3"})
    matches = {"sticheln": {}, "stiche-raten": {}}
    for result in results_of("bold").select_related("seat__table__block__tournament"):
        table = result.seat.table
        same = Result.objects.filter(seat__table__block=table.block, seat__number=result.seat.number)
        scores = same.values_list("score", flat=True)
        ahead = result.score - sum(scores) / len(scores)
        matches[table.block.tournament.game][table.pk, result.seat.number] = ahead
    lines = client.get("/api/v1/bots/house/bold/best-and-worst/").json()
    assert [(line["game"], line["seats"]) for line in lines] == [("stiche-raten", 3), ("sticheln", 4)]
    page = client.get("/bots/house/bold/").content.decode()
    for line in lines:
        found = matches[line["game"]]
        for which, ahead in (("best", max(found.values())), ("worst", min(found.values()))):
            assert line[which]["ahead"] == pytest.approx(ahead)
            assert found[line[which]["table"], line[which]["seat"]] == pytest.approx(ahead)
        assert f'href="/r/{line["best"]["table"]}/?view={line["best"]["seat"] + 1}"' in page
        worst = line["worst"]
        assert f'href="/r/{worst["table"]}/seat/{worst["seat"] + 1}/costliest/"' in page
    assert "Schlechteste" in client.get("/de/bots/house/bold/").content.decode()


def test_a_hand_that_was_played_at_one_table_is_compared_with_nothing(played):
    tournament = played.whole("sticheln", blocks=1)
    whole = newest("bold")
    assert len(seat_results.best_and_worst(whole)) == 1
    Table.objects.filter(block__tournament=tournament).exclude(pk=whole[0].table).update(state="void")
    assert seat_results.best_and_worst(whole[:1]) == []


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
    monkeypatch.setattr(seat_results, "BLOCKS_LOOKED_AT", 1)
    monkeypatch.setattr(seat_results, "RESULTS_READ", 8)
    assert newest("bold") == whole


def test_only_decisions_of_the_bots_own_seats_are_counted(played):
    played.whole("sticheln", blocks=1)
    seconds, _ = thinking_times(newest("bold"))
    assert len(seconds) == sum(result.decisions for result in results_of("bold"))


def test_the_number_of_records_read_is_bounded(played, django_assert_num_queries, monkeypatch):
    played.whole("sticheln", blocks=3)
    results = newest("bold")
    assert len(results) > times.RECORDS_READ
    read = []
    really = storages["records"].read_many
    monkeypatch.setattr(storages["records"], "read_many", lambda names: read.extend(names) or really(names))
    with django_assert_num_queries(3):
        thinking_times(results)
    assert len(read) == times.RECORDS_READ


def test_decisions_of_a_running_block_are_not_counted(played):
    running = played.tournament(blocks=1)
    table = Table.objects.filter(block__tournament=running).select_related("block__tournament").first()
    played.play(table)
    rows = Result.objects.filter(seat__table=table).values_list(*seat_results.COLUMNS)
    results = [seat_results.SeatResult(*row, "sticheln", 4) for row in rows]
    assert results
    assert thinking_times(results) == ([], 0)
