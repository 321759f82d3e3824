"""Small things on the pages of tournaments: numbers, names and states that say what is meant."""

import re
from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling import rounds

pytestmark = [pytest.mark.slow, pytest.mark.queries]


@pytest.fixture
def play_blocks(land):
    """Play the blocks of a tournament that are not over, and let it go on."""

    def played(tournament):
        for block in tournament.blocks.filter(over_at=None):
            assert all(land(table) for table in leases.take(block_id=block.pk, owner="w1"))
        due_steps.advance_tournaments()

    return played


def text_of(client, address):
    page = client.get(address).content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def play_to_its_end(cup, play_blocks):
    lifecycle.start(tournament=cup)
    while cup.blocks.filter(over_at=None).exists():
        play_blocks(cup)


def test_bots_of_one_name_are_told_apart_in_the_table_of_pairs(
    client, make_tournament, play_out, person, submitted, house
):
    bots = [submitted(person(f"pupil-{number}"), "schlaubot") for number in range(2)]
    cup = play_out(make_tournament(name="Cup", versions=[*bots, house["thumb"]], blocks=2))
    ratings.publish(ladder=cup.ladder, tournament=cup)
    pairs = text_of(client, "/tournaments/cup/").split("Percent of same-hand points against")[1]
    for number in range(2):
        assert pairs.count(f"schlaubot pupil-{number} v1") == 2  # a row and a column


def test_whoever_shares_a_place_of_the_podium_stands_on_it_and_many_are_counted(client, make_tournament):
    for count, named, rest in ((5, 5, ""), (10, 8, "and 2 others that share a place with them")):
        bots = (
            "thumb",
            "random",
            "timid",
            "bold",
            "flat",
            "rival",
            "gambler",
            "glimpse",
            "worrier",
            "search",
        )
        cup = make_tournament(*bots[:count], name=f"Cup {count}", format="swiss", rounds=1)
        cup.entrants.update(place=1, points=1)
        Tournament.objects.filter(pk=cup.pk).update(
            state="finished", started_at=clock.now(), finished_at=clock.now(), rounds_over=1
        )
        page = client.get(f"/tournaments/cup-{count}/").content.decode()
        (podium,) = re.findall(r'<ol class="podium">(.*?)</ol>', page, re.S)
        assert (
            podium.count("<b>1.</b>") == podium.count('<li class="winner">') == podium.count("<li") == named
        )
        assert rest in words_in(page)
        assert ("share a place" in page) is bool(rest)


@pytest.mark.parametrize("format", ["swiss", "knock-out", "round-robin", "gauntlet"])
def test_bots_and_versions_of_one_name_are_told_apart_wherever_they_stand(
    client, make_tournament, play_blocks, person, submitted, format
):
    pupils = [person(f"pupil-{number}") for number in range(6)]
    twice = [] if format == "knock-out" else [pupils[5]]  # a knock-out takes one version of each author
    bots = [submitted(pupil, "schlaubot") for pupil in [*pupils, *twice]]
    cup = make_tournament(
        name="Cup", versions=bots, format=format, rounds=2 if format == "swiss" else None, rated=False,
        blocks=7 if format in ("round-robin", "gauntlet") else 1,
    )  # fmt: skip
    play_to_its_end(cup, play_blocks)
    ratings.publish(ladder=cup.ladder, tournament=cup)
    page = client.get("/tournaments/cup/").content.decode()
    lists = {
        "podium": re.findall(r'<ol class="podium">(.*?)</ol>', page, re.S),
        "groups": re.findall(r'<ul class="group">(.*?)</ul>', page, re.S),
        "table": re.findall(r'<span class="scores">(.*?)</li>', page, re.S),
        "rows": re.findall(r"<tbody>(.*?)</tbody>", page, re.S),
        "columns": re.findall(r'<table class="sheet cross">\s*<thead>(.*?)</thead>', page, re.S),
    }
    item = {"podium": "li", "groups": "li", "table": "span", "rows": 'th scope="row"', "columns": "th"}
    for place, parts in lists.items():
        assert parts or (place == "groups" and format not in ("swiss", "knock-out")), place
        for part in parts:
            kind = item[place].split()[0]
            items = re.findall(rf"<{kind}\b[^>]*>(.*?)</{kind}>", part, re.S)
            names = [name_in(text) for text in items if "schlaubot" in text]
            assert len(names) > 1, place
            assert len({*names}) == len(names), (place, names)
            assert all(re.search(r"pupil-\d", name) and re.search(r"v\d", name) for name in names), names
    if resting := re.search(r"(?:No table in this round|Bye): (.*?) Percent", words_in(page)):
        assert re.search(r"pupil-\d/schlaubot v\d", resting[1])
    lines = client.get("/api/v1/tournaments/cup/standings/").json()["standings"]
    assert len({(line["bot"], line["version"]) for line in lines}) == len(lines) == len(bots)
    assert len({*client.get("/api/v1/tournaments/cup/").json()["entrants"]}) == len(bots)
    for name in ("standings.csv", "results.csv"):
        rows = b"".join(client.get(f"/tournaments/cup/export/{name}").streaming_content).decode()
        assert len({*re.findall(r"pupil-\d/schlaubot(?: v|,)\d", rows)}) == len(bots), name


def words_in(markup):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))


def name_in(markup):
    """Return the author and version in a part of a page, without its numbers."""
    return " ".join(re.findall(r"pupil-\d|schlaubot|\bv\d", words_in(markup)))


def test_right_after_the_end_the_page_says_that_ratings_follow(client, make_tournament, play_blocks):
    six = ("thumb", "random", "timid", "bold", "flat", "rival")
    cup = make_tournament(*six, name="Cup", format="swiss", rounds=1, blocks=1)
    play_to_its_end(cup, play_blocks)
    cup.refresh_from_db()
    assert cup.state == "finished"
    told = "Ratings and the numbers of blocks follow within a minute."
    page = text_of(client, "/tournaments/cup/")
    assert told in page
    assert "6 entrants" in page
    ratings.publish(ladder=cup.ladder, tournament=cup)
    assert told not in text_of(client, "/tournaments/cup/")


def test_an_outcome_that_is_known_is_not_said_to_be_still_awaited(client, make_tournament, play_blocks):
    cup = make_tournament("thumb", "random", "timid", "bold", name="Cup", blocks=1)
    play_to_its_end(cup, play_blocks)
    awaited = "The result stands here as soon as the final ratings are computed."
    for outcome in ("", "Thumb v2 wins."):
        type(cup).objects.filter(pk=cup.pk).update(outcome=outcome, outcome_parts=None)
        page = text_of(client, "/tournaments/cup/")
        assert (awaited in page) == (not outcome)
        assert outcome in page
    assert outcome not in text_of(client, cup.blocks.first().get_absolute_url())


def test_the_list_parts_what_can_be_entered_runs_comes_and_is_over(client, make_tournament, person, played):
    soon = clock.now() + timedelta(days=3)
    olga = {"entry": "anybody", "starts_at": soon, "created_by": person("olga")}
    make_tournament(name="Open cup", places=16, **olga)
    closed = make_tournament(name="Closed cup", **olga)
    type(closed).objects.filter(pk=closed.pk).update(entry_until=clock.now() - timedelta(days=1))
    lifecycle.start(tournament=make_tournament(name="Running cup", blocks=4))
    over = played.whole(blocks=1)
    page = text_of(client, "/tournaments/")
    order = [
        "Open for entry",
        "Open cup",
        "0 of 16 taken",
        "Running cup",
        "0%",
        "Coming",
        "Closed cup",
        "Over",
        over.name,
    ]
    places = [page.index(word) for word in order]
    assert places == sorted(places)
    found = text_of(client, "/tournaments/?q=closed")
    assert "Closed cup" in found
    assert "Open cup" not in found
    assert "No tournament was found." in text_of(client, "/tournaments/?q=none-of-this-name")
    assert "Open cup" not in text_of(client, "/tournaments/?game=mue")


def test_the_list_shows_coming_starts_and_no_percentage_of_what_never_ends(client, make_tournament, person):
    soon = clock.now() + timedelta(days=3)
    make_tournament(name="Coming", entry="anybody", starts_at=soon, created_by=person("olga"))
    ladder = make_tournament(name="Endless", format="ladder", blocks=4)
    lifecycle.start(tournament=ladder)
    rows = text_of(client, "/tournaments/")
    assert re.search(rf"Coming .* starts {soon:%-d} ", rows)
    assert "%" not in rows
    page = client.get("/tournaments/endless/").content.decode()
    assert "<progress" not in page
    assert "organised by" in text_of(client, "/tournaments/coming/")


def test_a_tournament_of_one_has_one_entrant(client, make_tournament, person, house):
    make_tournament(name="Coming", entry="anybody", versions=[house["thumb"]], created_by=person("olga"))
    page = text_of(client, "/tournaments/coming/")
    assert "1 entrant ·" in page


def test_a_bot_of_which_no_version_may_play_is_not_offered(person, submitted):
    submitted(person("ann"), "bumms", state="suspended")
    with pytest.raises(RequestRefused, match="no version of bumms may play"):
        versions_listed("bumms")


def test_the_sentence_of_the_result_names_bots_as_the_table_does(make_tournament, house):
    cup = make_tournament(name="Cup")
    asked = rounds.competition(cup, [house["thumb"]])
    assert asked.names[0] == house["thumb"].label
    assert asked.names[0].startswith("Thumb v")


def test_a_round_of_one_group_and_a_bye_is_not_called_the_final(client, make_tournament, play_blocks):
    names = ("thumb", "random", "timid", "bold", "flat", "rival", "glimpse", "gambler")
    cup = make_tournament(*names, name="Cup", format="knock-out", seats=3, blocks=1, beat="press")
    lifecycle.start(tournament=cup)
    for number in (1, 2):
        while cup.rounds_over < number:
            play_blocks(cup)
            cup.refresh_from_db()
        assert (cup.state, cup.rounds_over) == (Tournament.State.RUNNING, number)
        if number == 1:
            lifecycle.next_round(tournament=cup)
            due_steps.advance_tournaments()
    # of the two that went out with the group the better one fills the final
    assert cup.entrants.filter(round_reached=2).count() == 1
    standings = text_of(client, "/tournaments/cup/").split("Standings")[1].split("Ranked by")[0]
    assert standings.count("round 2") == 1
    assert "final" not in standings


def test_a_final_that_is_played_again_with_another_is_called_the_final(client, make_tournament, play_blocks):
    names = ("thumb", "random", "timid", "bold", "flat", "rival")
    cup = make_tournament(*names, name="Cup", format="knock-out", seats=3, blocks=1)
    lifecycle.start(tournament=cup)
    while not cup.rounds_over:
        play_blocks(cup)
        cup.refresh_from_db()
    rulings.disqualify(entrant=cup.entrants.get(place=1), reason="It reads the clock.")
    due_steps.advance_tournaments()
    while cup.blocks.filter(over_at=None).exists():
        play_blocks(cup)
    cup.refresh_from_db()
    assert cup.state == Tournament.State.FINISHED
    standings = text_of(client, "/tournaments/cup/").split("Standings")[1].split("Ranked by")[0]
    assert standings.count(" final ") == 3
