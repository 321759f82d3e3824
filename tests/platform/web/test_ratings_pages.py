"""Pages of ratings: history, two bots against each other, unexpected pairs, rulings."""

from __future__ import annotations

import csv
import gzip
import json
import re
from datetime import timedelta
from math import sqrt
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf.rating import standard_error_of
from stichkampf_platform import web
from stichkampf_platform.api.management.commands.describe_actions import with_tables
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.figures import FIGURES, Figure
from stichkampf_platform.ratings.models import Pairing, Rating, Snapshot
from stichkampf_platform.tournaments.models import Result, Tournament, ended_with
from stichkampf_platform.tournaments.organising import lifecycle, rulings


def text_of(client, address, status=200):
    answer = client.get(address)
    assert answer.status_code == status, address
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.fixture
def ended(played):
    """A finished tournament of the first four house bots, two blocks."""
    return played.whole(blocks=2)


def test_two_bots_are_compared_on_the_same_hands(client, ended):
    first, second = (entrant.version.bot for entrant in ended.entrants.all()[:2])
    page = text_of(client, f"{first.get_absolute_url()}vs/{second.full_name}/")
    pairing = Pairing.objects.get(
        snapshot__tournament=None, first__bot__in=[first, second], second__bot__in=[first, second]
    )
    share = pairing.half_points / pairing.comparisons / 2
    shown = share if pairing.first.bot == first else 1 - share
    superiority = pairing.superiority if pairing.first.bot == first else 1 - pairing.superiority
    assert f"{100 * shown:.1f}% <small>" in page
    assert f"<b>{100 * superiority:.1f}%</b>" in page
    assert f"{pairing.comparisons} <small>{pairing.blocks}</small>" in page
    blocks = re.findall(r">([\d½]+) of 4</td>", page)
    assert len(blocks) == 2
    won = sum(float(points.replace("½", ".5")) for points in blocks)
    assert won / 8 == pytest.approx(shown)


def test_the_other_side_sees_the_complement(client, ended):
    first, second = (entrant.version.bot.slug for entrant in ended.entrants.all()[:2])

    def stronger(one, other):
        return float(
            re.search(r"<b>([\d.]+)%</b>", text_of(client, f"/bots/house/{one}/vs/house/{other}/"))[1]
        )

    assert stronger(first, second) + stronger(second, first) == pytest.approx(100, abs=0.11)
    assert f'href="/bots/house/{first}/vs/house/{second}/"' in text_of(client, f"/bots/house/{first}/")


@pytest.mark.slow
def test_void_hidden_and_running_blocks_do_not_count_between_two_bots(client, played, ended):
    first, second = (entrant.version.bot.slug for entrant in ended.entrants.all()[:2])
    address = f"/bots/house/{first}/vs/house/{second}/"
    running = played.tournament(blocks=1)
    for table in running.blocks.get().tables.select_related("block__tournament")[:3]:
        played.play(table)
    assert text_of(client, address).count(" of 4</td>") == 2
    unplayed = played.tournament(blocks=1)
    rulings.disqualify(entrant=unplayed.entrants.first(), reason="asked the dealer")
    assert text_of(client, address).count(" of 4</td>") == 2
    rulings.run_again(block=ended.blocks.first())
    assert text_of(client, address).count(" of 4</td>") == 1
    rulings.hide(tournament=ended)
    assert " of 4</td>" not in text_of(client, address)


def test_a_forfeited_hand_is_lost_between_two_bots_despite_its_score(client, ended):
    loser, winner = (entrant.version for entrant in ended.entrants.all()[:2])
    Result.objects.filter(seat__entrant__version=loser).update(forfeited=True, score=10_000)
    page = text_of(client, f"{loser.bot.get_absolute_url()}vs/{winner.bot.full_name}/")
    assert page.count(">0 of 4</td>") == 2


def test_no_bot_is_compared_with_itself_or_with_a_hidden_bot(client, ended, submission):
    assert client.get("/bots/house/bold/vs/house/bold/").status_code == 404
    assert client.get(f"/bots/house/bold/vs/{submission.version.bot.full_name}/").status_code == 404
    assert client.get("/bots/house/bold/vs/house/unknown/").status_code == 404


def test_a_ladder_lists_pairs_that_its_ratings_do_not_explain(client, played):
    played.whole(blocks=4)  # by chance alone, in two blocks most pairs may differ by as much in each
    snapshot = Snapshot.objects.get(tournament=None)
    assert "Too few blocks so far to tell: 4 of" in text_of(client, "/ladders/sticheln/pairs/")
    Snapshot.objects.filter(pk=snapshot.pk).update(cyclic_share=0.123, blocks=20)
    page = text_of(client, "/ladders/sticheln/pairs/")
    assert "<b>12.3%</b>" in page
    pairs = Pairing.objects.filter(snapshot=snapshot, z__isnull=False)
    assert page.count("<tr>") == 1 + pairs.count() > 2
    shown = [float(z) for z in re.findall(r'</td>\s*<td class="number">(\d+\.\d)</td>', page)]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(max(abs(pair.z) for pair in pairs), abs=0.05)
    beyond = sum(abs(pair.z) > 2 for pair in pairs)
    said = f"{beyond} of {pairs.count()} pairs {'is' if beyond == 1 else 'are'} beyond two standard errors"
    assert said in page
    assert 'href="/ladders/sticheln/pairs/"' in text_of(client, "/ladders/sticheln/")


@pytest.mark.django_db
def test_a_ladder_without_results_lists_no_pairs(client):
    assert "nothing to show" in text_of(client, "/ladders/mue/pairs/")
    assert client.get("/ladders/poker/pairs/").status_code == 404


def test_the_history_of_a_bot_follows_its_newest_version(client, ended):
    bot = Bot.objects.get(slug="bold")
    old = bot.ranked_version
    new = bot.versions.create(number=2, digest="2" * 64, games=old.games, state=Version.State.APPROVED)
    first = Snapshot.objects.get(tournament=None)
    rating = Rating.objects.get(snapshot=first, version=old)
    for hour in range(1, 4):
        snapshot = Snapshot.objects.get(pk=first.pk)
        snapshot.pk = None
        snapshot.save()
        Snapshot.objects.filter(pk=snapshot.pk).update(at=first.at + timedelta(hours=hour))
        for version in (old, new) if hour > 1 else (old,):
            rating.pk, rating.snapshot, rating.version, rating.elo = None, snapshot, version, 1500 + hour
            rating.save()
    page = text_of(client, "/bots/house/bold/")
    (chart,) = re.findall(r'<svg class="chart history".*?</svg>', page)
    assert re.findall(r'class="label"[^>]*>(\w+)<', chart) == ["v1", "v2"]
    assert len(re.search(r'class="line" points="(.*?)"', chart)[1].split()) == 4
    assert 'class="band"' in chart


@pytest.mark.slow
def test_a_long_history_is_drawn_with_few_points(client, ended):
    first = Snapshot.objects.get(tournament=None)
    rating = Rating.objects.filter(snapshot=first, version__bot__slug="bold").get()
    snapshots = [
        Snapshot(
            ladder=first.ladder, block_spans=[], blocks=1, tables=1, comparisons=1, digest="x", final=False
        )
        for _ in range(500)
    ]
    Snapshot.objects.bulk_create(snapshots)
    later = list(Snapshot.objects.exclude(pk=first.pk).filter(tournament=None).order_by("pk"))
    for hour, snapshot in enumerate(later, start=1):
        snapshot.at = first.at + timedelta(hours=hour)
    Snapshot.objects.bulk_update(later, ["at"])
    Rating.objects.bulk_create(
        Rating(snapshot=snapshot, version=rating.version, elo=1500, blocks=1, comparisons=1, provisional=True)
        for snapshot in later
    )
    page = text_of(client, "/bots/house/bold/")
    points = re.search(r'class="line" points="(.*?)"', page)[1].split()
    assert 80 < len(points) <= 122
    assert "<circle" not in re.search(r'<svg class="chart history".*?</svg>', page)[0]


def test_only_the_drawn_part_of_a_long_history_is_read(client, ended):
    bot = Bot.objects.get(slug="bold")
    first = Snapshot.objects.get(tournament=None)
    new = {"digest": "2" * 64, "games": ["sticheln"], "state": Version.State.APPROVED}
    versions = [
        bot.ranked_version,
        bot.versions.create(number=2, **new),
        Version.objects.get(bot__slug="thumb"),
    ]
    count = {"blocks": 1, "comparisons": 1}
    snapshots = Snapshot.objects.bulk_create(
        Snapshot(ladder=first.ladder, block_spans=[], tables=1, digest="x", **count) for _ in range(300)
    )
    Rating.objects.bulk_create(
        Rating(snapshot=snapshot, version=version, elo=1500, provisional=True, **count)
        for snapshot in snapshots
        for version in versions
    )
    with CaptureQueriesContext(connection) as captured:
        text_of(client, "/bots/house/bold/")
    asked = [query["sql"] for query in captured if 'FROM "ratings_rating"' in query["sql"]]
    assert len(asked) == 4
    with connection.cursor() as cursor:
        rows = [cursor.execute(f"SELECT COUNT(*) FROM ({sql})").fetchone()[0] for sql in asked]
    assert rows[0] == 0  # of its versions those with a rank
    assert rows[1] == 2
    assert rows[2] == 301
    assert 80 < rows[3] <= 122


@pytest.mark.slow
def test_the_overall_interval_follows_from_standard_errors(client, played):
    played.whole("sticheln", blocks=2)
    played.whole("stiche-raten", blocks=6, options={"length": "deals:3"})
    Rating.objects.filter(snapshot__ladder__game="sticheln").update(plus_minus=200, blocks=20)
    Rating.objects.filter(snapshot__ladder__game="stiche-raten").update(plus_minus=30, blocks=60)
    errors = [standard_error_of(200, 20), standard_error_of(30, 60)]
    half = 1.959964 * sqrt(sum(error**2 for error in errors)) / 2
    assert f"±{half:.0f}</small>" in text_of(client, "/ladders/")
    told = client.get("/api/v1/ladders/overall/").json()
    assert told["count"] == len(told["results"])
    first = told["results"][0]
    assert sorted(first["ladders"]) == ["stiche-raten", "sticheln"]
    assert first["elo"] == pytest.approx(sum(first["ladders"].values()) / 2)
    assert first["plus_minus"] == pytest.approx(half)


def test_the_administration_shows_what_a_rank_needs_in_place_of_an_interval(admin_client, played):
    played.whole("sticheln", blocks=2)
    snapshot = Snapshot.objects.order_by("-pk").first()
    Rating.objects.filter(snapshot=snapshot).update(plus_minus=1338, blocks=19)
    address = f"/admin/ratings/snapshot/{snapshot.pk}/change/"
    page = admin_client.get(address).content.decode()
    assert "1 block to go" in page
    assert not re.search(r"\b1338\b", page)
    Rating.objects.filter(snapshot=snapshot).update(plus_minus=85, blocks=20)
    assert "±85" in admin_client.get(address).content.decode()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"blocks": 1}, "1 block ·"),
        ({"blocks": 6}, "6 blocks ·"),
        ({"blocks": 40, "stopping": "decided"}, "at most 40 blocks"),
        ({"format": "swiss", "rounds": 3, "blocks": 2}, "3 rounds with 2 blocks for each group"),
        ({"format": "knock-out", "blocks": 2}, "2 blocks for each group of a round"),
        ({"format": "ladder", "blocks": 2}, "without an end"),
    ],
)
def test_the_length_of_a_tournament_is_given_in_its_formats_unit(client, make_tournament, settings, words):
    tournament = make_tournament("thumb", "random", "timid", "bold", **settings)
    lifecycle.start(tournament=tournament)
    assert words in text_of(client, tournament.get_absolute_url())


def test_a_replaced_block_is_void_on_every_page(client, ended):
    old = ended.blocks.first()
    new = rulings.run_again(block=old)
    page = text_of(client, f"/blocks/{old.pk}/")
    assert f'This block is void. <a href="/blocks/{new.pk}/">' in page
    assert "made all of its moves itself" not in page
    assert f'in place of <a href="/blocks/{old.pk}/">' in text_of(client, f"/blocks/{new.pk}/")
    assert f'played again as <a href="/blocks/{new.pk}/">' in text_of(
        client, f"{ended.get_absolute_url()}schedule/"
    )
    page = text_of(client, ended.get_absolute_url())
    assert "4 of 8 tables played" in page
    assert "1 of 2 blocks finished · 4 tables void" in page


def test_a_disqualification_is_shown_with_its_reason(client, played):
    tournament = played.tournament(blocks=2)
    entrant = tournament.entrants.first()
    rulings.disqualify(entrant=entrant, reason="asked the dealer")
    page = text_of(client, tournament.get_absolute_url())
    assert "disqualified: asked the dealer" in page
    block = tournament.blocks.first()
    assert "was disqualified: asked the dealer" in text_of(client, f"/blocks/{block.pk}/")
    assert '<span class="mark">void</span>' in text_of(client, f"{tournament.get_absolute_url()}schedule/")


def test_the_outcome_is_shown_on_the_page_of_a_tournament(client, ended):
    won = Sentence("{name} wins the knock-out.", name="Bold")
    Tournament.objects.filter(pk=ended.pk).update(**ended_with(won))
    address = ended.get_absolute_url()
    assert "Bold wins the knock-out." in text_of(client, address)
    assert "Bold gewinnt" in text_of(client, f"/de{address}")


def test_no_page_shows_a_table_of_a_hidden_tournament(client, played):
    tournament = played.tournament(blocks=1)
    table = tournament.blocks.get().tables.first()
    assert client.get(f"/r/{table.pk}/").status_code == 403
    rulings.hide(tournament=tournament)
    for address in (f"/r/{table.pk}/", f"/r/{table.pk}/3"):
        assert client.get(address).status_code == 404


def test_a_running_block_does_not_count_between_two_bots(client, played):
    tournament = played.tournament(blocks=2)
    for table in tournament.blocks.first().tables.select_related("block__tournament"):
        played.play(table)
    half = tournament.blocks.last().tables.select_related("block__tournament").first()
    played.play(half)
    ratings.publish(ladder=tournament.ladder)
    assert Snapshot.objects.get().blocks == 1
    first, second = (entrant.version.bot.slug for entrant in tournament.entrants.all()[:2])
    assert text_of(client, f"/bots/house/{first}/vs/house/{second}/").count(" of 4</td>") == 1


@pytest.mark.django_db
def test_the_page_on_ratings_shows_the_packaged_study(client):
    page = text_of(client, "/docs/ratings/")
    found = json.loads(Path(web.__file__).with_name("rating_study.json").read_text())
    for game in found["games"]:
        blocks, deals, elo, _, weng_lin = game["ways"]
        row = re.search(rf'href="/ladders/{game["game"]}/">.*?</tr>', page)[0]
        errors = [f"{way['error']:.1f}" for way in (blocks, deals, elo, weng_lin)]
        tables = [f"{way['tables_to_separate']:,.0f}" for way in (blocks, deals)]
        shown = re.findall(r'number">([\d.,%]+)<', row)
        assert shown == [*errors, f"{100 * blocks['coverage']:.1f}%", *tables]
    assert page.count('<svg class="chart dots"') == 4
    assert f"{found['repetitions']} seasons of {found['tables']:,} tables" in page


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/ladders/", "/ladders/mue/"])
def test_ladders_link_to_the_page_on_ratings(client, played, address):
    played.whole("mue", blocks=1, options={"length": "deals:1"})
    assert 'href="/docs/ratings/"' in text_of(client, address)


@pytest.mark.slow
def test_each_page_of_a_long_ladder_stays_within_the_size_budget(client, ended):
    snapshot = Snapshot.objects.get(tournament=None)
    owner = Bot.objects.first().owner
    for number in range(130):
        bot = Bot.objects.create(owner=owner, slug=f"bot-number-{number}", name=f"Bot number {number}")
        version = bot.versions.create(number=1, digest=f"{number:064}", state=Version.State.APPROVED)
        bot.ranked_version = version
        bot.save()
        Rating.objects.create(
            snapshot=snapshot,
            version=version,
            elo=1300 + number,
            plus_minus=44.4,
            blocks=200,
            deals=800,
            comparisons=2400,
            provisional=False,
            rank=1 + number,
            rank_best=1 + number,
            rank_worst=9 + number,
        )
    pages = [client.get(f"/ladders/sticheln/?page={number}").content for number in (1, 2, 3)]
    assert [page.count(b'class="chart whisker"') for page in pages] == [60, 60, 10]
    assert all(len(page) <= 80_000 for page in pages)
    assert all(len(gzip.compress(page)) <= 20_000 for page in pages)
    assert b'href="?page=3"' in pages[1]
    assert b'href="?versions=all&amp;page=2"' in client.get("/ladders/sticheln/?versions=all").content


@pytest.mark.slow
def test_ladder_bot_page_and_api_show_the_weight_class(client, ended):
    bot = Bot.objects.get(slug="bold")
    assert "weight class" not in text_of(client, "/ladders/sticheln/") + text_of(client, "/bots/house/bold/")
    Version.objects.filter(pk=bot.ranked_version_id).update(weight="net")
    for address in ("/ladders/sticheln/", "/bots/house/bold/"):
        assert text_of(client, address).count("weight class net") == 1
    rows = client.get("/api/v1/ladders/sticheln/").json()["ratings"]
    assert {row["bot"]: row["weight"] for row in rows if row["weight"]} == {"house/bold": "net"}
    assert client.get("/api/v1/bots/house/bold/versions/1/").json()["weight"] == "net"


def test_a_figure_is_one_row_for_pages_api_file_and_document(client, ended, monkeypatch):
    row = Figure(
        "Its number among all.", "Number", "of all", below="blocks", written=lambda number: f"#{number}"
    )
    monkeypatch.setitem(FIGURES, "id", row)
    rating = Rating.objects.filter(snapshot__tournament=None).order_by("-snapshot", "-blocks").first()
    ladder = rating.snapshot.ladder
    for address in (ladder.get_absolute_url(), rating.version.bot.get_absolute_url()):
        page = text_of(client, address)
        assert re.search(r"Number\s*<small>of all</small>", page), address
        assert f"#{rating.pk} <small>{rating.blocks}</small>" in page, address
    told = client.get(f"/api/v1/ladders/{ladder.slug}/").json()["ratings"]
    assert rating.pk in [line["id"] for line in told]
    lines = list(
        csv.DictReader(client.get(f"/api/v1/ladders/{ladder.slug}.csv").content.decode().splitlines())
    )
    assert str(rating.pk) in [line["id"] for line in lines]
    document = Path(__file__).parents[3] / "docs" / "rating-model.md"
    assert "| `id` | Its number among all. |" in with_tables(document.read_text())
