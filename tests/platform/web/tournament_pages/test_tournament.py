"""The page of a tournament while it runs and when it is over, and the organiser's page of own ones."""

import re

import pytest
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.highlights import highlights
from stichkampf_platform.ratings.qualification import make_final
from stichkampf_platform.ratings.standings import StandingsOrder
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.formats import elimination
from stichkampf_platform.tournaments.models import Membership, Result, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps

pytestmark = [pytest.mark.slow, pytest.mark.queries]

SIX = ("thumb", "random", "timid", "glimpse", "bold", "flat")


@pytest.fixture
def play_round(land):
    """Play the blocks that are not over, without the last tables, and let the tournament go on."""

    def play(tournament, *, leave=0):
        left = []
        blocks = list(tournament.blocks.filter(over_at=None))
        for number, block in enumerate(blocks, start=1):
            tables = leases.take(block_id=block.pk, owner="w1")
            stop = len(tables) - (leave if number == len(blocks) else 0)
            left += tables[stop:]
            assert all(land(table) for table in tables[:stop])
        due_steps.advance_tournaments()
        tournament.refresh_from_db()
        ratings.publish(ladder=tournament.ladder, tournament=tournament)
        return left

    return play


@pytest.fixture
def swiss(make_tournament, person):
    made = make_tournament(
        *SIX, name="Swiss cup", format="swiss", rounds=2, blocks=1, created_by=person("olga")
    )
    lifecycle.start(tournament=made)
    made.refresh_from_db()
    return made


def text_of(client, tournament, rest=""):
    page = client.get(f"{tournament.get_absolute_url()}{rest}").content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_a_running_swiss_shows_all_entrants_its_rounds_and_nothing_early(client, swiss, play_round, land):
    before = text_of(client, swiss)
    for bot in SIX:
        assert f" {bot.capitalize()} " in before or f" {bot} " in before
    assert "Places appear when the first blocks are finished" in before
    assert "Round 1 in play" in before
    assert "%" not in before.split(" Rounds ")[1].split("Percent of")[0]

    (last,) = play_round(swiss, leave=1)
    half = text_of(client, swiss)
    assert "of this round left" in half
    assert "Round 2" not in half
    assert "%" not in half.split(" Rounds ")[1].split("Percent of")[0]  # one group has ended, the other not
    assert half.count("Block 1, table") == 3
    assert "Block 2, table" not in half

    assert land(last)
    due_steps.advance_tournaments()
    swiss.refresh_from_db()
    ratings.publish(ladder=swiss.ladder, tournament=swiss)
    over = text_of(client, swiss)
    rounds = over.split(" Rounds ")[1]
    assert "Round 2 in play" in rounds
    assert rounds.split("Round 1")[1].split("Percent of")[0].count("%") == 6
    assert "Elo is shown once every entrant has played 20 blocks" in over

    play_round(swiss)
    ended = text_of(client, swiss)
    assert "wins with" in ended or "share the first place" in ended
    for title in ("Result", "Matches to watch", "Best match", "Closest match", "Clearest win"):
        assert title in ended
    assert "in play" not in ended.split(" Rounds ")[1].split("Newest")[0]


def test_a_knock_out_is_drawn_as_a_bracket_and_leads_back_to_its_qualification(
    client, swiss, play_round, django_assert_max_num_queries, monkeypatch
):
    monkeypatch.setattr(elimination, "FURTHER_BLOCKS", 0)
    play_round(swiss)
    play_round(swiss)
    final = make_final(tournament=swiss, by=swiss.created_by, best=6)
    lifecycle.start(tournament=final)
    final.refresh_from_db()
    play_round(final)
    running = text_of(client, final)
    assert "The best of Swiss cup play here" in running
    assert "The best go on in Swiss cup, knock-out" in text_of(client, swiss)
    bracket = running.split("Bracket")[1].split("Percent of the same-hand")[0]
    assert bracket.index("Round 1") < bracket.index("Final in play")
    assert bracket.count("goes on") == 2  # the winners of both groups, not the one that fills the final
    assert bracket.count("%") == 6
    play_round(final)
    with django_assert_max_num_queries(40):
        ended = text_of(client, final)
    assert "wins the knock-out" in ended or "share the victory" in ended
    assert ended.split("Bracket")[1].split("Percent of")[0].count("goes on") == 2
    winners = final.entrants.filter(place=1).count()
    assert ended.split(" Final ")[1].split("Percent of")[0].count("wins") == winners


def test_the_matches_to_watch_follow_their_rules(swiss, play_round):
    play_round(swiss)
    play_round(swiss)
    order = StandingsOrder(swiss)
    chosen = {str(each.title): each.table for each in highlights(swiss, order)}
    leads = {}
    for table in {result.seat.table for result in Result.objects.select_related("seat__table")}:
        held = [seat.result for seat in table.seats.all()]
        beaten = [result.score for result in held if result.rank > 1]
        if beaten:
            leads[table] = max(result.score for result in held) - max(beaten)
    assert leads[chosen["Closest match"]] == min(leads.values())
    assert leads[chosen["Clearest win"]] == max(leads.values())
    table = chosen["Closest match"]
    Result.objects.filter(seat__table=table).update(faults=1)
    assert table not in [each.table for each in highlights(swiss, order)]


def test_the_files_of_a_tournament_are_there_for_those_who_see_it(client, swiss, play_round, person):
    play_round(swiss, leave=1)
    address = f"{swiss.get_absolute_url()}export/"
    rows = b"".join(client.get(f"{address}results.csv").streaming_content).decode().splitlines()
    assert len(rows) == 1 + 9  # the block that is over
    assert client.get(f"{address}all.zip").status_code == 404
    Tournament.objects.filter(pk=swiss.pk).update(private=True)
    assert client.get(f"{address}results.csv").status_code == 404
    ann = person("ann")
    Membership.objects.create(tournament=swiss, person=ann)
    client.force_login(ann)
    assert client.get(f"{address}standings.csv").status_code == 200


def test_an_organiser_sees_own_tournaments_drafts_too_and_nobody_elses(
    client, swiss, make_tournament, person, make_organiser
):
    assert client.get("/organise/")["Location"].startswith("/login/")
    bob, olga = person("bob"), swiss.created_by
    make_tournament(name="Secret draft", created_by=bob)
    make_tournament(name="My draft", created_by=olga)
    client.force_login(olga)
    assert "for organisers" in client.get("/organise/").content.decode()
    make_organiser(olga)
    page = client.get("/organise/").content.decode()
    assert "Swiss cup" in page
    assert "My draft" in page
    assert "not on the site" in page
    assert "Secret" not in page
    assert 'href="/organise/"' in client.get("/tournaments/").content.decode()


def test_two_versions_of_one_bot_are_told_apart_at_every_table(
    client, person, submitted, make_tournament, land
):
    ann = person("ann")
    versions = [submitted(ann), submitted(ann)]
    made = make_tournament(
        versions=versions, format="regression", stopping="decided", rated=False, blocks=32, seats=4
    )
    lifecycle.start(tournament=made)
    block = made.blocks.first()
    assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
    newest = text_of(client, made).split("Newest tables")[1]
    assert newest.count("ann/karl v1") == newest.count("ann/karl v2") == 4
    tables = text_of(client, block)
    assert tables.count("ann/karl v1") == tables.count("ann/karl v2") == 4
    replay = text_of(client, block.tables.first(), "0")
    assert {"v1", "v2"} <= set(replay.split())
    same = replay.split("The same hands at the other tables")[1]
    assert same.count("karl v1") == same.count("karl v2") == 4
    deal = re.sub(r"<[^>]+>", " ", client.get(f"/deals/{block.pk}/1/").content.decode())
    deal = " ".join(
        deal.partition("What each bot made of the same hand")[2].partition("Table 1, ")[0].split()
    )
    assert deal.count("karl v1") == deal.count("karl v2") == 4
