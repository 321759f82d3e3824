"""Superusers have tournaments of organisers counted on public ladders, and take them out again."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ratings import queries, services
from stichkampf_platform.tournaments.organising import releases

pytestmark = pytest.mark.database


@pytest.fixture
def own(make_tournament, play_out):
    """A tournament of the installation."""
    return play_out(make_tournament(name="Own", blocks=4))


@pytest.fixture
def cup(own, make_tournament, play_out, person, make_organiser):
    """A tournament of an organiser on the same ladder."""
    make_organiser(olga := person("olga"))
    return play_out(make_tournament(name="Cup", created_by=olga, blocks=2))


def sources(*words):
    said = StringIO()
    call_command("ladder_sources", *words, stdout=said)
    return said.getvalue()


def test_a_superuser_releases_a_tournament_and_the_ladder_says_so(client, own, cup, person):
    before = services.publish(ladder=own.ladder)
    client.force_login(person("chief", is_superuser=True, is_staff=True))
    page = "/admin/tournaments/tournament/"
    client.post(page, {"action": "release", "_selected_action": [cup.pk]})
    own.ladder.refresh_from_db()
    assert queries.due(own.ladder)
    assert services.publish(ladder=own.ladder).blocks == before.blocks + 2
    assert not queries.due(own.ladder)
    shown = client.get(own.ladder.get_absolute_url()).content.decode()
    assert "Cup was counted: its blocks are in." in shown
    german = client.get(f"/de{own.ladder.get_absolute_url()}").content.decode()
    assert "Cup wurde gezählt: Die Blöcke zählen mit." in german


def test_an_organiser_cannot_release(client, cup):
    cup.created_by.is_staff = True
    cup.created_by.save()
    client.force_login(cup.created_by)
    client.post("/admin/tournaments/tournament/", {"action": "release", "_selected_action": [cup.pk]})
    cup.refresh_from_db()
    assert not cup.released


def test_blocks_that_bent_a_ladder_are_shown_and_taken_out(own, cup):
    straight = services.publish(ladder=own.ladder)
    releases.release(tournament=cup)
    bent = services.publish(ladder=own.ladder)
    first, last = (cup.blocks.order_by("pk").values_list("pk", flat=True)[at] for at in (0, 1))
    assert sources() == f"{own.ladder}: cup of olga, 2 blocks ({first}-{last})\n"
    assert sources(own.ladder.slug, "--take-out", "cup").endswith("taken out, and published again.\n")
    newest = queries.newest_snapshot(own.ladder)
    assert (bent.blocks, newest.blocks, newest.digest) == (6, 4, straight.digest)
    own.ladder.refresh_from_db()
    assert own.ladder.log[-1]["text"] == "Cup was taken out: its 2 blocks count no more."
    assert sources() == "No block of an organiser's tournament counts.\n"


def test_a_ladder_of_nothing_else_shows_no_ratings_any_more(cup, own):
    own.released = False
    own.save()
    releases.release(tournament=cup)
    services.publish(ladder=cup.ladder)
    sources("--take-out", "all")
    assert queries.newest_snapshot(cup.ladder) is None


def test_what_is_not_an_organisers_is_named(own, cup):
    with pytest.raises(CommandError, match="No organiser's tournament own counts; there are: none"):
        sources("--take-out", "own")
    with pytest.raises(CommandError, match="no public ladder 'chess'"):
        sources("chess")
    with pytest.raises(RequestRefused, match="is the installation's own"):
        releases.take_out(tournament=own)
    with pytest.raises(RequestRefused, match="Cup does not count"):
        releases.take_out(tournament=cup)
