"""Tournaments that several people organise, and pages that only those who organise them open."""

import secrets

import pytest
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import Notice
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.entry import sharing
from stichkampf_platform.tournaments.models import Ruling, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings

pytestmark = pytest.mark.django_db


@pytest.fixture
def organisers(person, make_organiser):
    made = [person("olga"), person("otto")]
    for each in made:
        make_organiser(each)
    return made


@pytest.fixture
def draft(make_tournament, organisers):
    return make_tournament(name="Secret cup", created_by=organisers[0], entry="organiser")


def bearer(owner):
    _, token = create_token(owner=owner, name=secrets.token_hex(4), scope="organiser")
    return {"authorization": f"Bearer {token}"}


def test_who_organises_opens_the_page_of_a_draft_and_nobody_else_does(client, draft, organisers, person):
    olga = organisers[0]
    address = draft.get_absolute_url()
    sharing.share(tournament=draft, by=olga, name="otto")
    for one in organisers:
        client.force_login(one)
        page = client.get(address)
        assert "only those who organise it see this page" in page.content.decode()
        assert page["Cache-Control"].startswith("private")
        for below in ("schedule/", "screen/"):
            assert client.get(address + below).status_code == 200
        assert "Secret cup" in client.get("/organise/").content.decode()
        assert "Secret cup" not in client.get("/tournaments/").content.decode()
    client.force_login(person("ann"))
    assert client.get(address).status_code == 404
    assert not Tournament.objects.opened_by(None).filter(pk=draft.pk).exists()


def test_a_co_organiser_acts_on_it_by_api_and_administration_as_who_made_it_does(client, draft, organisers):
    olga, otto = organisers
    own = f"/api/v1/organiser/tournaments/{draft.slug}/"
    assert client.get(own, headers=bearer(otto)).status_code == 404
    answer = client.post(f"{own}share/", {"person": "otto"}, "application/json", headers=bearer(olga))
    assert answer.json()["organisers"] == ["olga", "otto"]
    assert Notice.objects.get(person=otto).title == "Secret cup: you organise it, too"
    answer = client.patch(own, {"name": "Open cup"}, "application/json", headers=bearer(otto))
    assert answer.json()["name"] == "Open cup"
    lifecycle.start(tournament=Tournament.objects.get(pk=draft.pk))
    block = draft.blocks.first()
    client.force_login(otto)
    assert client.get(f"/admin/tournaments/tournament/{draft.pk}/change/").status_code == 200
    rulings.rule(Ruling.Kind.VOID, on=block, by=otto, reason="The room had no power.")
    assert draft.rulings.get().role == Ruling.Role.ORGANISER
    assert "Open cup: a ruling" in Notice.objects.filter(person=olga).values_list("title", flat=True)
    answer = client.post(f"{own}unshare/", {"person": "otto"}, "application/json", headers=bearer(otto))
    assert client.get(own, headers=bearer(otto)).status_code == 404


def test_who_made_it_alone_says_who_organises_it_and_one_who_was_asked_may_leave(draft, organisers, person):
    olga, otto = organisers
    sharing.share(tournament=draft, by=olga, name=" otto ")
    for refused in (
        {"by": otto, "name": "olga"},
        {"by": olga, "name": "otto"},
        {"by": olga, "name": "olga"},
        {"by": olga, "name": "nobody"},
        {"by": olga, "name": person("ann").username},
    ):
        with pytest.raises(RequestRefused):
            sharing.share(tournament=draft, **refused)
    for refused in ({"by": otto, "name": "olga"}, {"by": olga, "name": "ann"}):
        with pytest.raises(RequestRefused):
            sharing.unshare(tournament=draft, **refused)
    sharing.unshare(tournament=draft, by=otto, name="otto")
    assert draft.organisers == [olga]


def test_ten_are_asked_to_organise_at_most(draft, organisers, person, make_organiser):
    for number in range(sharing.MOST_ORGANISERS):
        one = person(f"one{number}")
        make_organiser(one)
        sharing.share(tournament=draft, by=organisers[0], name=one.username)
    with pytest.raises(RequestRefused, match="no more"):
        sharing.share(tournament=draft, by=organisers[0], name="otto")


def test_what_one_organises_with_others_stays_apart_from_what_they_organise_alone(
    client, draft, organisers, make_tournament
):
    olga, otto = organisers
    make_tournament(name="Olga alone", created_by=olga)
    sharing.share(tournament=draft, by=olga, name="otto")
    listed = client.get("/api/v1/organiser/tournaments/", headers=bearer(otto)).json()["results"]
    assert [one["name"] for one in listed] == ["Secret cup"]


def test_a_tournament_of_the_installation_is_shared_with_nobody(draft, organisers):
    olga, _ = organisers
    Tournament.objects.filter(pk=draft.pk).update(created_by=None)
    olga.is_superuser = True
    olga.save()
    with pytest.raises(RequestRefused, match="superusers organise it"):
        sharing.share(tournament=draft, by=olga, name="otto")
