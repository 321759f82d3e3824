"""The content of the pages, who is shown it, and the number of queries for it."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf.games import GAMES
from stichkampf.match.verify import verify
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.services import suspend
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ladders.services import ladder_of, seed_main_ladders
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.tournaments.models import Block, Table, Tournament
from stichkampf_platform.web.games.cards import face

QUIET = [
    *("/", "/ladders/", "/ladders/sticheln/", "/tournaments/", "/games/", "/docs/", "/login/", "/join/"),
    "/health/",
    *(f"/games/{name}/{page}" for name in GAMES for page in ("", "summary/", "bots/")),
    *(
        f"/docs/{topic}/"
        for topic in ("write-a-bot", "submit", "limits", "ratings", "records", "api", "researchers")
    ),
]


@pytest.mark.django_db
@pytest.mark.parametrize("address", QUIET)
def test_every_page_works_on_an_empty_platform(client, address):
    assert client.get(address).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/ladders/sticheln/", "/ladders/", "/tournaments/", "/"])
def test_an_empty_page_suggests_the_next_step(client, address):
    page = client.get(address).content.decode()
    assert 'href="/submit/"' in page or 'href="/docs/"' in page
    assert "yet" in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address", ["/nowhere/", "/ladders/poker/", "/games/poker/", "/docs/poker/", "/r/77/", "/bots/ann/x/"]
)
def test_an_unknown_address_gets_a_page_with_status_404(client, address):
    answer = client.get(address)
    assert answer.status_code == 404
    assert 'href="/ladders/"' in answer.content.decode()


@pytest.mark.django_db
def test_a_ladder_without_results_says_so(client):
    seed_main_ladders()
    page = client.get("/ladders/mue/").content.decode()
    assert "No bot is rated in Mü yet" in page
    assert client.get("/ladders/mue.csv").content.decode().count("\n") == 1
    assert client.get("/").status_code == 200


@pytest.mark.slow
def test_the_ladder_shows_rank_range_and_interval_from_the_twentieth_block_on(client, played):
    played.whole(blocks=20)
    page = client.get("/ladders/sticheln/").content.decode()
    assert page.count('class="chart whisker"') == 4
    assert "to go" not in page
    assert "±" in page
    assert page.index("Elo") < page.index("Trend") < page.index("Deals")


@pytest.mark.slow
def test_a_bot_with_few_blocks_shows_how_many_are_to_go_and_no_elo(client, played):
    played.whole(blocks=2)
    ladder, home = (client.get(address).content.decode() for address in ("/ladders/sticheln/", "/"))
    bot = client.get(Rating.objects.first().version.bot.get_absolute_url()).content.decode()
    assert [page.count("18 blocks to go") for page in (ladder, bot)] == [4, 1]
    assert all("±" not in page for page in (home, bot))
    assert 'class="chart whisker"' not in ladder
    assert "No bot is rated yet" in home


def test_a_ladder_leads_to_the_others_of_its_game(client, played):
    played.whole(blocks=2)
    main = Ladder.objects.get(slug__startswith="sticheln-")
    other = ladder_of(game="sticheln", seats=5, options={"length": "deals:2"}, move_seconds=60)
    Snapshot.objects.create(ladder=other, block_spans=[], blocks=1, tables=1, comparisons=1, digest="")
    switch = f'<a href="{other.get_absolute_url()}">5 seats, length: 2 deals, slow</a>'
    page = client.get(main.get_absolute_url()).content.decode()
    assert page.index(switch) < page.index("<table")
    told = client.get(other.get_absolute_url()).content.decode()
    assert "(the main ladder)" in told
    head = told.partition("</header>")[2].partition("</header>")[0]
    assert "5 seats, length: 2 deals, slow" in head
    assert re.search(r'href="/ladders/sticheln/"\s+aria-current="true"', told)


def test_a_ladder_shows_a_trend_only_beyond_its_intervals(client, played):
    played.whole(blocks=2)
    newest = Snapshot.objects.get(tournament=None)
    steady, rising, *_, new = Rating.objects.filter(snapshot=newest).order_by("pk")
    Rating.objects.filter(snapshot=newest).update(provisional=False, blocks=20, elo=1600, plus_minus=40)
    before = Snapshot.objects.get(pk=newest.pk)
    before.pk = None
    before.save()
    Snapshot.objects.filter(pk=before.pk).update(at=newest.at - timedelta(days=1))
    for rating, elo in ((steady, 1570), (rising, 1550)):
        rating.pk, rating.snapshot, rating.elo = None, before, elo
        rating.provisional, rating.blocks, rating.plus_minus = False, 20, 30
        rating.save()
    rows = client.get("/ladders/sticheln/").content.decode().split("<tr>")
    row = {
        version: next(each for each in rows if f"/{version.bot.slug}/" in each)
        for version in (steady.version, rising.version, new.version)
    }
    assert 'class="chart spark"' not in row[steady.version]
    assert "+30" not in row[steady.version]
    assert 'class="chart spark"' in row[rising.version]
    assert "+50" in row[rising.version]
    assert ">new<" in row[new.version]


def test_a_ladder_has_no_column_in_which_every_row_says_the_same(client, played):
    def heads():
        page = client.get("/ladders/sticheln/").content.decode()
        head = page.partition("<thead>")[2].partition("</thead>")[0]
        return [name for name in ("Trend", "Faults") if name in head]

    played.whole(blocks=2)
    newest = Snapshot.objects.get(tournament=None)
    Rating.objects.filter(snapshot=newest).update(provisional=False, blocks=20, fault_permille=0)
    assert heads() == ["Trend"]  # all are new
    before = Snapshot.objects.get(pk=newest.pk)
    before.pk = None
    before.save()
    Snapshot.objects.filter(pk=before.pk).update(at=newest.at - timedelta(days=1))
    for rating in Rating.objects.filter(snapshot=newest):
        rating.pk, rating.snapshot = None, before
        rating.save()
    assert heads() == []
    Rating.objects.filter(pk=Rating.objects.filter(snapshot=newest).first().pk).update(fault_permille=2.0)
    assert heads() == ["Faults"]


def test_the_csv_of_a_ladder_lists_every_version(client, played):
    played.whole(blocks=2)
    lines = client.get("/ladders/sticheln.csv").content.decode().splitlines()
    assert lines[0].startswith("rank,bot,version,elo,plus_minus")
    assert len(lines) == 1 + 4
    assert all("house/" in line for line in lines[1:])


def test_older_versions_are_shown_only_on_request(client, played):
    played.whole(blocks=2)
    Version.objects.filter(pk=Version.objects.order_by("bot__slug")[0].pk).update(state="suspended")
    page = client.get("/ladders/sticheln/").content.decode()
    assert page.count("18 blocks to go") == 3
    assert "Show 1 other version" in page
    assert client.get("/ladders/sticheln/?versions=all").content.decode().count("18 blocks to go") == 4


@pytest.mark.parametrize(
    ("cause", "english", "german"),
    [
        ("faults", "suspended: too many faults", "gesperrt: zu viele Fehler"),
        ("staff", "suspended: by staff", "gesperrt: von der Betreuung"),
        ("away", "suspended: was not connected", "gesperrt: war für die neue Prüfung nicht verbunden"),
        ("rules", "suspended: fails under new rules", "gesperrt: besteht unter neuen Regeln nicht"),
    ],
)
def test_a_ladder_and_a_bot_say_what_a_version_is_suspended_for(client, played, cause, english, german):
    played.whole(blocks=2)
    version = Version.objects.order_by("bot__slug")[0]
    suspend(version=version, reason="What its log told.", cause=cause)
    for address in ("/ladders/sticheln/?versions=all", version.get_absolute_url()):
        for language, told in ("", english), ("/de", german):
            page = client.get(f"{language}{address}").content.decode()
            assert told in page
            assert "What its log told." not in page


@pytest.mark.slow
def test_the_overall_ladder_shows_the_number_of_games_of_each_mean(client, played):
    played.whole("sticheln", blocks=2)
    played.whole("stiche-raten", blocks=2, options={"length": "deals:3"})
    assert "of 2" not in client.get("/ladders/").content.decode(), "two blocks say nothing"
    Rating.objects.update(blocks=20, provisional=False)
    assert client.get("/ladders/").content.decode().count("2 of 2") == 4


def test_a_draft_of_a_tournament_is_hidden(client, played):
    tournament = played.tournament()
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.DRAFT)
    block = tournament.blocks.first()
    for address in (
        tournament.get_absolute_url(),
        block.get_absolute_url(),
        f"/tournaments/{tournament.slug}/schedule/",
    ):
        assert client.get(address).status_code == 404


@pytest.mark.slow
def test_a_block_stays_hidden_until_its_last_table_has_ended(client, played):
    tournament = played.tournament(blocks=1)
    block = tournament.blocks.get()
    tables = list(Table.objects.filter(block=block).select_related("block__tournament"))
    for table in tables[:-1]:
        played.play(table, fault=True)
    seed = bytes(block.seed).hex()
    for address in (
        "/",
        block.get_absolute_url(),
        tournament.get_absolute_url(),
        "/bots/house/bold/",
        "/ladders/sticheln/",
    ):
        page = client.get(address).content.decode()
        assert seed not in page
        assert f'href="/r/{tables[0].pk}/' not in page
        assert "timeout" not in page
    for address in (f"/r/{tables[0].pk}/", f"/r/{tables[0].pk}/3"):
        closed = client.get(address)
        assert closed.status_code == 403
        assert "card s" not in closed.content.decode()
    assert client.get(f"/r/{tables[0].pk}/record.json").status_code == 404
    played.play(tables[-1])
    shown = client.get(block.get_absolute_url()).content.decode()
    assert seed in shown
    first = tables[0].seats.get(number=0).entrant.version
    assert f"Table 1, {first.bot.name} v{first.number}: " in shown
    assert client.get(f"/r/{tables[0].pk}/").status_code == 200


@pytest.mark.slow
def test_a_fault_links_to_its_decision_counted_from_1(client, played, first_table):
    tournament = played.tournament(blocks=1)
    for number, table in enumerate(
        Table.objects.filter(block__tournament=tournament).select_related("block__tournament")
    ):
        played.play(table, fault=number == 0)
    table = first_table(tournament)
    fault = table.seats.get(number=0).result.fault_list.get()
    link = f"/r/{table.pk}/{fault.decision}"
    assert link in client.get(table.block.get_absolute_url()).content.decode()
    assert "timeout" in client.get(link).content.decode()


@pytest.mark.slow
def test_the_server_draws_the_replay_at_any_decision(client, played, first_table):
    tournament = played.whole(blocks=1)
    table = first_table(tournament)
    record = client.get(f"/r/{table.pk}/record.json").json()
    moves = [move for deal in record["deals"] for move in deal["moves"]]
    page = client.get(f"/r/{table.pk}/{len(moves)}").content.decode()
    assert f"Decision {len(moves)} of {len(moves)}" in page
    assert client.get(f"/r/{table.pk}/{len(moves) + 1}").status_code == 404
    assert client.get(f"/r/{table.pk}/3?view=5").status_code == 404
    assert client.get(f"/r/{table.pk}/3?view=x").status_code == 404


def test_a_step_is_kept_by_the_browser_and_never_taken_for_the_page(client, played, first_table):
    table = first_table(played.whole(blocks=1))
    step = client.get(f"/r/{table.pk}/5", headers={"X-Fragment": "scene"})
    assert re.fullmatch(r"private, max-age=[1-9]\d+", step["Cache-Control"])
    assert {"X-Fragment", "X-Known"} <= set(step["Vary"].split(", "))
    assert "<html" not in step.content.decode()


@pytest.mark.slow
def test_the_view_of_a_seat_contains_no_hidden_card(client, played, first_table):
    tournament = played.whole(blocks=1)
    table = first_table(tournament)
    record = client.get(f"/r/{table.pk}/record.json").json()
    own = set(record["deals"][0]["hands"][1])
    for step in (0, 1, 2, 3):
        for headers in ({}, {"X-Fragment": "scene"}):
            page = client.get(f"/r/{table.pk}/{step}?view=2", headers=headers).content.decode()
            hidden = [
                card
                for hand in record["deals"][0]["hands"]
                for card in hand
                if card not in own and f'aria-label="{face(card).name}"' in page
            ]
            assert hidden == []
    assert "card back" in page


def test_the_record_of_a_replay_equals_the_stored_record(client, played, first_table):
    table = first_table(played.whole(blocks=1))
    answer = client.get(f"/r/{table.pk}/record.json")
    assert "attachment" in answer["Content-Disposition"]
    verify(answer.json())


def test_a_validation_log_is_shown_to_its_owner_only(client, played, ada, submission, django_user_model):
    address = submission.get_absolute_url()
    assert client.get(address).status_code == 302
    client.force_login(django_user_model.objects.create_user("eve", password="x"))
    assert client.get(address).status_code == 404
    client.force_login(ada)
    assert "the archive is valid" in client.get(address).content.decode()


@pytest.mark.slow
def test_standard_error_is_shown_to_owner_and_staff_only(client, played, django_user_model):
    tournament = played.tournament(blocks=1)
    for table in Table.objects.filter(block__tournament=tournament).select_related("block__tournament"):
        played.play(table, stderr="my secret plan")
    table = Table.objects.filter(block__tournament=tournament).first()
    bot = table.seats.get(number=0).entrant.version.bot
    assert "my secret plan" not in client.get(bot.get_absolute_url()).content.decode()
    client.force_login(django_user_model.objects.create_user("eve", password="x"))
    assert "my secret plan" not in client.get(bot.get_absolute_url()).content.decode()
    client.force_login(django_user_model.objects.create_user("boss", password="x", is_staff=True))
    assert "my secret plan" in client.get(bot.get_absolute_url()).content.decode()


def test_a_bot_before_its_validation_is_shown_to_its_owner_only(client, ada, submission):
    address = submission.version.bot.get_absolute_url()
    assert client.get(address).status_code == 404
    client.force_login(ada)
    assert client.get(address).status_code == 200
    assert client.get(submission.version.get_absolute_url()).status_code == 200
    assert client.get(f"{address}v/9/").status_code == 404


@pytest.mark.slow
def test_pages_have_a_strict_policy_and_no_inline_script_or_style(client, played, first_table):
    table = first_table(played.whole(blocks=1))
    for address in ("/", "/ladders/sticheln/", f"/r/{table.pk}/9", "/games/sticheln/", "/docs/", "/join/"):
        answer = client.get(address)
        page = answer.content.decode()
        assert " style=" not in page
        assert "<style" not in page
        assert "<script>" not in page
        assert " onclick=" not in page
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert "default-src 'none'" in answer["Content-Security-Policy"]


@pytest.fixture
def busy(played):
    """A platform with two games and several tournaments, one of them running."""
    whole = played.whole("sticheln", blocks=3)
    played.whole("stiche-raten", 3, blocks=3, options={"length": "deals:3"})
    running = played.tournament("sticheln", blocks=3)
    for table in Table.objects.filter(block__tournament=running).select_related("block__tournament")[:5]:
        played.play(table, fault=True, stderr="x")
    return whole


MOST_QUERIES = {
    "/": 6,
    "/watch/": 26,
    "/ladders/": 6,
    "/ladders/sticheln/": 10,
    "/ladders/sticheln/pairs/": 7,
    "/ladders/sticheln.csv": 5,
    "/tournaments/": 6,
    "/tournaments/cup-1/": 21,
    "/tournaments/cup-1/schedule/": 6,
    "/api/v1/tournaments/cup-1/tables/": 6,
    "/api/v1/tournaments/cup-1/blocks/": 6,
    "/blocks/{block}/": 12,
    "/bots/house/bold/": 22,
    "/bots/house/bold/vs/house/flat/": 14,
    "/bots/house/bold/matches/": 4,
    "/api/v1/bots/house/bold/matches/": 4,
    "/r/{table}/5": 12,
    "/games/": 0,
    "/games/sticheln/": 0,
    "/docs/": 0,
}


@pytest.mark.slow
def test_the_number_of_queries_of_a_page_is_bounded(client, busy, first_table, django_assert_max_num_queries):
    table = first_table(busy)
    for page, queries in MOST_QUERIES.items():
        address = page.format(table=table.pk, block=table.block_id)
        client.get(address)
        with django_assert_max_num_queries(queries, info=address):
            assert client.get(address).status_code == 200


@pytest.mark.slow
def test_the_number_of_queries_does_not_grow_with_played_blocks(client, played):
    def queries(address):
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address).status_code == 200
        return len(seen)

    addresses = ["/ladders/sticheln/", "/tournaments/", "/bots/house/bold/", "/ladders/"]
    played.whole(blocks=2)
    before = [queries(address) for address in addresses]
    for _ in range(3):
        played.whole(blocks=3)
    assert [queries(address) for address in addresses] == before
    assert Block.objects.count() == 2 + 9


@pytest.mark.django_db
def test_an_error_of_the_server_gets_a_page(client, monkeypatch):
    def broken(*_args):
        raise RuntimeError("broken")

    monkeypatch.setattr("stichkampf_platform.web.discovery.tournaments.Paginator", broken)
    client.raise_request_exception = False
    answer = client.get("/tournaments/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()


def test_no_script_names_the_storage_of_a_browser_that_may_keep_nothing():
    scripts = Path(finders.find("web/site.js")).parent.glob("*.js")
    assert [each.name for each in scripts if "localStorage" in each.read_text("utf-8")] == ["site.js"]
