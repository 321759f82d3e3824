"""Two people edit one draft: the second is shown what has changed, and nothing is lost in silence."""

import json
import re
from datetime import timedelta

import pytest
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import ApiToken, Notice
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.entry import entries
from stichkampf_platform.tournaments.models import Ruling, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words

pytestmark = [pytest.mark.slow, pytest.mark.queries]

LIST = "/admin/tournaments/tournament/"


@pytest.fixture
def olga(client, person, make_organiser):
    made = person("olga")
    make_organiser(made)
    client.force_login(made)
    return made


@pytest.fixture
def cup(make_tournament, olga):
    return make_tournament(name="Cup", created_by=olga)


@pytest.fixture
def opened(client):
    """Open the form of a draft; return its fields as a browser sends them."""

    def fields(tournament):
        page = client.get(f"{LIST}{tournament.pk}/change/")
        form = page.context["adminform"].form
        found = {}
        for bound in form:
            value, name = bound.value(), bound.html_name
            if name in ("starts_at", "entry_until"):
                if value:
                    found |= {f"{name}_0": f"{value:%Y-%m-%d}", f"{name}_1": f"{value:%H:%M:%S}"}
            elif value not in (None, False, ""):
                found[name] = value if isinstance(value, list) else str(value).replace("True", "on")
        return found

    return fields


def save(client, tournament, fields, **changes):
    answer = client.post(f"{LIST}{tournament.pk}/change/", {**fields, **changes}, follow=True)
    tournament.refresh_from_db()
    return re.sub(r"\s+", " ", answer.content.decode().replace("&#x27;", "'"))


def test_what_another_has_changed_stays_where_the_second_has_left_it_alone(client, cup, opened, person, olga):
    before = opened(cup)
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    save(client, cup, opened(cup), name="org Grand cup")
    client.force_login(olga)
    page = save(client, cup, before, description="Bring a bot.")
    assert (cup.name, cup.description) == ("org Grand cup", "Bring a bot.")
    assert "Changed meanwhile by chief" in page
    assert "Name: org Grand cup. That is kept." in page
    assert "org Grand cup" in page.split("messagelist")[1]  # no message writes the name in its own way


def test_what_both_have_changed_is_shown_before_it_is_saved(client, cup, opened, person, olga):
    before = opened(cup)
    client.force_login(person("chief", is_staff=True, is_superuser=True))
    save(client, cup, opened(cup), name="Grand cup", blocks_planned="4")
    client.force_login(olga)
    page = save(client, cup, before, name="Small cup")
    assert cup.name == "Grand cup"
    assert "Changed meanwhile by chief" in page
    assert "Name: Grand cup. Save again to put in its place what stands here." in page
    assert 'value="Small cup"' in page
    again = json.loads(re.search(r'name="seen" value="([^"]*)"', page)[1].replace("&quot;", '"'))
    page = save(client, cup, before, name="Small cup", seen=json.dumps(again))
    assert (cup.name, cup.blocks_planned) == ("Small cup", 4)


def test_saving_a_draft_that_has_started_meanwhile_says_so(client, cup, opened):
    before = opened(cup)
    lifecycle.start(tournament=cup)
    page = save(client, cup, before, name="Small cup")
    assert "Cup has started meanwhile: its settings are fixed, and nothing was saved." in page
    assert f'href="{cup.get_absolute_url()}"' in page
    assert "View tournament" in page
    assert cup.name == "Cup"


@pytest.mark.parametrize("way", ["field", "header"])
def test_a_program_changes_only_what_it_has_read(client, cup, olga, way):
    client.logout()
    _, text = create_token(owner=olga, name="script", scope=ApiToken.Scope.ORGANISER)
    headers = {"authorization": f"Bearer {text}"}
    address = "/api/v1/organiser/tournaments/cup/"
    version = client.get(address, headers=headers).json()["version"]

    def patch(version, **fields):
        more = {"if-match": f'"{version}"'} if way == "header" else {}
        sent = fields if way == "header" else {**fields, "version": version}
        return client.patch(address, sent, headers={**headers, **more}, content_type="application/json")

    fresh = patch(version, name="Grand cup")
    assert fresh.status_code == 200
    refused = patch(version, name="Small cup")
    assert refused.status_code == 400
    assert "has been changed meanwhile by olga" in refused.json()["detail"]
    assert Tournament.objects.get().name == "Grand cup"
    assert patch(fresh.json()["version"], name="Small cup").json()["name"] == "Small cup"


def test_another_deadline_needs_a_reason_which_those_who_have_entered_read(
    client, make_tournament, olga, opened, person, submitted
):
    start = (clock.now() + timedelta(days=2)).replace(microsecond=0)
    cup = make_tournament(name="Cup", created_by=olga, entry="anybody", starts_at=start)
    karl = submitted(person("ann"), "karl")
    entries.enter(tournament=cup, bot=karl.bot, by=karl.bot.owner)
    later = start + timedelta(days=1)
    changes = {"starts_at_0": f"{later:%Y-%m-%d}"}
    assert "say why it is another" in save(client, cup, opened(cup), **changes)
    assert cup.starts_at == start
    save(client, cup, opened(cup), **changes, reason="The hall is taken.")
    assert cup.starts_at == later
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.reason) == ("deadline", "The hall is taken.")
    assert ruling.changed == {"starts_at": (start.isoformat(), later.isoformat())}
    told = Notice.objects.get(person=karl.bot.owner, title="Cup: a ruling")
    assert told.text == "There is another deadline: The hall is taken."
    client.logout()
    page = re.sub(r"\s+", " ", client.get("/tournaments/cup/").content.decode())
    assert "Another deadline" in page
    assert "The hall is taken." in page
    assert "organised by" in page
    (line,) = client.get("/api/v1/tournaments/cup/rulings/").json()
    assert line["times"] == {"starts_at": [start.isoformat(), later.isoformat()]}


def test_the_estimate_counts_deals_and_entries(make_tournament, olga, person, submitted, house):
    short = make_tournament(name="Short", blocks=2, options={"length": "deals:4"})
    long = make_tournament(name="Long", game="sticheln", seats=3, blocks=2, options={"length": "deals:400"})
    versions = [house[name] for name in ("thumb", "random", "timid")]
    assert "6 tables, less than a minute at 60 tables a minute" in estimate_in_words(short, versions)
    assert "6 tables, about 10 min at 0.6 tables a minute" in estimate_in_words(long, versions)
    cup = make_tournament(name="Cup", created_by=olga, entry="anybody", versions=versions[:1], blocks=3)
    assert estimate_in_words(cup, versions[:1]) in ("", "0 tables")
    for number in range(3):
        made = submitted(person(f"author-{number}"), "karl")
        entries.enter(tournament=cup, bot=made.bot, by=made.bot.owner)
    assert "9 tables" in estimate_in_words(cup, versions[:1])
    assert "with 3 entries so far" in estimate_in_words(cup, versions[:1])


def test_seats_that_a_game_does_not_have_are_not_replaced_without_a_word(client, cup, opened):
    page = save(client, cup, opened(cup), seats="99", _choose="options")
    assert "99 seats are not possible in stiche-raten; 4 is filled in." in page
