"""Every page in German: no English is left, and plural forms, numbers and times are German."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from english import english_in
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.classes.enrolment import create_class
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.models import Block
from stichkampf_platform.web.discovery.sitemaps import TOPICS


@pytest.fixture
def german_pages(played, first_table, ada, client):
    """The addresses of German pages, of a site on which a tournament was played."""
    tournament = played.whole("stiche-raten", 3, blocks=2, options={"length": "deals:1"})
    table = first_table(tournament)
    bot = Bot.objects.get(slug="thumb")
    client.force_login(ada)
    lists = ("home", "ladders", "tournaments", "bots", "people", "games", "remote", "submit", "connect")
    own = ("account", "tokens", "notice-choices", "experiments", "new-experiment", "code")
    return [
        *(reverse(f"web:{name}") for name in (*lists, *own, "status")),
        *(reverse(name) for name in ("sessions", "account_email", "account_change_password", "leave")),
        *(reverse("web:ladder", args=[game]) for game in ("stiche-raten", "mue")),
        reverse("web:pairs", args=["stiche-raten"]),
        *(reverse(f"web:{name}", args=["sticheln"]) for name in ("rules", "rules-summary", "rules-bots")),
        *(reverse("web:docs", args=[topic]) for topic in TOPICS),
        tournament.get_absolute_url(),
        reverse("web:schedule", args=[tournament.slug]),
        Block.objects.filter(tournament=tournament).first().get_absolute_url(),
        table.get_absolute_url(),
        f"{table.get_absolute_url()}1",
        f"{table.get_absolute_url()}9?view=1",
        reverse("web:deal", args=[table.block_id, 0]),
        bot.get_absolute_url(),
        f"{bot.get_absolute_url()}v/1/",
        f"{bot.get_absolute_url()}vs/house/random/",
        f"{bot.get_absolute_url()}matches/",
        f"{bot.get_absolute_url()}matches/?order=costliest",
        reverse("web:marks", args=[table.pk]),
        reverse("web:embed-at", args=[table.pk, 9]),
        reverse("web:person", args=["house"]),
        "/r/999999/",
        "/bots/ann/missing/",
    ]


STRANGERS = [
    "/login/",
    "/join/",
    "/join/sent/",
    "/password/reset/",
    "/password/reset/sent/",
    "/password/new/",
]


@pytest.mark.django_db
@pytest.mark.parametrize("page", STRANGERS)
def test_no_english_is_left_on_a_german_page_of_a_stranger(client, page):
    answer = client.get(f"/de{page}")
    assert answer.status_code == 200
    assert english_in(answer.content.decode(), []) == []


@pytest.fixture
def class_pages(house, person, client):
    """The addresses of the pages of a class, for its teacher."""
    tina = person("tina")
    tina.user_permissions.add(Permission.objects.get(codename="add_schoolclass"))
    key = new_key()
    made = create_class(teacher=tina, name="10b", games=["stiche-raten"], names=[ListedName("Ada")], key=key)
    client.force_login(tina)
    pupil = made.pupils.get()
    own = [f"/classes/{made.pk}/{page}" for page in ("", "add/", "end/", f"people/{pupil.pk}/")]
    return ["/classes/", "/classes/new/", "/account/", "/code/", *own]


def test_no_english_is_left_on_a_german_page_of_a_class(class_pages, client):
    names = [*User.objects.values_list("username", flat=True), "10b"]
    found = {page: english_in(client.get(f"/de{page}").content.decode(), names) for page in class_pages}
    assert {page: texts for page, texts in found.items() if texts} == {}


@pytest.mark.slow
def test_no_english_is_left_on_a_german_page(german_pages, client):
    names = list(Bot.objects.values_list("slug", flat=True))
    found = {}
    for page in german_pages:
        answer = client.get(f"/de{page}")
        assert answer.status_code in (200, 404), page
        if texts := english_in(answer.content.decode(), names):
            found[page] = texts
    assert found == {}
