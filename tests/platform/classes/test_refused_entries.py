"""Refusals that leave nothing behind, and addresses of private tournaments that cannot be guessed."""

import pytest
from stichkampf.errors import RecordError
from stichkampf_platform.classes import enrolment
from stichkampf_platform.classes.models import Pupil
from stichkampf_platform.core import clock
from stichkampf_platform.marks import services as marks
from stichkampf_platform.marks.models import Analysis
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.models import Membership, Table, Tournament

JSON = "application/json"


@pytest.fixture
def cup(make_tournament, person):
    return make_tournament(
        *("thumb", "random"), name="Cup", private=True, code="k3mf-97pq-wtzh", entry="members",
        created_by=person("olga"),
    )  # fmt: skip


@pytest.mark.parametrize("wrong", [{"bot": "nothing"}, {"bot": "karl", "version": 7}, {"bot": "otto"}])
def test_a_refused_entry_makes_nobody_a_member(client, token, cup, submitted, wrong):
    headers = token("ann")
    ann = cup.created_by.__class__.objects.get(username="ann")
    submitted(ann, "karl")
    submitted(ann, "otto", games=("sticheln",))
    address = f"/api/v1/tournaments/{cup.slug}/entries/"
    answer = client.post(address, {**wrong, "code": cup.code}, JSON, headers=headers)
    assert 400 <= answer.status_code < 500
    assert not Membership.objects.exists()
    assert client.post(address, {"bot": "karl", "code": cup.code}, JSON, headers=headers).status_code == 201
    assert Membership.objects.get().person == ann


def test_who_comes_to_a_full_class_is_a_member_of_nothing(client, token, cup, make_class, monkeypatch):
    made, _ = make_class("Ada")
    made.ladders.add(cup)
    type(made).objects.filter(pk=made.pk).update(code=cup.code)
    monkeypatch.setattr(enrolment, "NAMES_AT_MOST", 1)
    answer = client.post("/api/v1/me/memberships/", {"code": cup.code}, JSON, headers=token("bob"))
    assert answer.status_code == 400
    assert not Membership.objects.filter(person__username="bob").exists()
    assert not Pupil.objects.filter(person__username="bob").exists()


def test_a_draft_that_becomes_private_gets_another_address(client, person, make_tournament, make_organiser):
    olga = person("olga")
    make_organiser(olga)
    draft = make_tournament(name="Open cup", created_by=olga)
    _, text = create_token(owner=olga, name="desk", scope="organiser")
    headers = {"authorization": f"Bearer {text}"}
    private = {"private": True, "with_code": True}
    answer = client.patch(f"/api/v1/organiser/tournaments/{draft.slug}/", private, JSON, headers=headers)
    assert answer.status_code == 200, answer.json()
    slug = Tournament.objects.get().slug
    assert slug.startswith("open-cup-")
    assert len(slug) == len("open-cup-") + 10
    again = client.patch(f"/api/v1/organiser/tournaments/{slug}/", {"name": "X"}, JSON, headers=headers)
    assert (again.status_code, Tournament.objects.get().slug) == (200, slug)


def test_marks_of_a_record_of_other_rules_fail_at_once(make_tournament, play_out, monkeypatch):
    play_out(make_tournament(blocks=1))
    analysis = Analysis.objects.create(
        table=Table.objects.first(), requested_at=clock.now(), reason=Analysis.Reason.REQUEST
    )

    def other_rules(record):
        raise RecordError("the record is of other rules")

    monkeypatch.setattr(marks, "analyse_match", other_rules)
    assert not marks.make(analysis_id=analysis.pk)
    analysis.refresh_from_db()
    assert (analysis.state, analysis.attempts) == ("failed", 1)
