"""A bot's ratings: those of main ladders first, others folded, and the history of one ladder at a time."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.ratings.models import Rating

User = get_user_model()


@pytest.fixture
def names(played):
    """The names of the main ladders of two games, and of one with other seats."""
    played.whole("sticheln", 4, blocks=1)
    played.whole("meinz", 4, blocks=1)
    return ["meinz", "sticheln", played.whole("sticheln", 3, blocks=1).ladder.slug]


def test_main_ladders_come_first_and_others_stand_in_a_fold_that_says_what_they_are(client, names):
    page = client.get("/bots/house/bold/").content.decode()
    main, _, others = page.partition("1 ladder with other seats or options")
    assert [f"/ladders/{name}/" in main for name in names] == [True, True, False]
    fold = others.partition("</details>")[0]
    assert names[2] in fold
    assert "3 seats" in fold
    assert "deals" in fold


def test_one_history_is_shown_and_a_switch_leads_to_those_of_the_other_ladders(client, names):
    first = client.get("/bots/house/bold/").content.decode()
    assert first.count("history and rivals") == 1
    assert "Meinz: history and rivals" in first
    for name, game in zip(names, ("Meinz", "Sticheln", "Sticheln"), strict=True):
        address = f"?ladder={name}"
        assert f'href="{address}#history"' in first
        page = client.get(f"/bots/house/bold/{address}").content.decode()
        assert f"{game}: history and rivals" in page
        assert re.search(rf'ladder={name}#history"\s+aria-current="true"', page)
        assert "Probably stronger" in page


def test_a_ladder_without_a_rating_is_named_with_those_that_have_one(client, names):
    answer = client.get("/bots/house/bold/?ladder=skat")
    assert answer.status_code == 404
    told = answer.content.decode()
    assert "no rating on a ladder &#x27;skat&#x27;" in told
    assert names[2] in told


def test_each_version_has_its_elo_and_its_owner_compares_it(client, names):
    bot = Bot.objects.get(slug="bold")
    Bot.objects.filter(pk=bot.pk).update(owner=(ann := User.objects.create_user("ann")))
    first = bot.versions.get()
    second = bot.versions.create(number=7, digest="7" * 64, games=first.games, state=first.state)
    main = Rating.objects.filter(snapshot__ladder__main=True, snapshot__tournament=None)
    rating = main.get(version=first, snapshot__ladder__game="sticheln")
    Rating.objects.filter(pk=rating.pk).update(provisional=False, elo=1612.0, plus_minus=40.0)
    rating.pk, rating.version, rating.provisional = None, second, False
    rating.elo, rating.plus_minus = 1733.0, 40.0
    rating.save()

    def rows():
        page = client.get("/bots/ann/bold/").content.decode()
        table = page.partition('id="versions"')[2].partition("</table>")[0]
        return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in table.split("<tr>")[2:]]

    for row, number, elo in zip(rows(), (7, first.number), ("1733", "1612"), strict=True):
        assert row.startswith(f"Version {number}")
        assert f"Sticheln {elo} ±40" in row
        assert "Compare" not in row
    client.force_login(ann)
    assert all(row.endswith("Compare") for row in rows())
