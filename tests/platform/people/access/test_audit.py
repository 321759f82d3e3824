"""The audit log: acts with their credential, no secret in it, and no entry that changes."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import InternalError
from django.db.models import F
from psycopg.errors import ReadOnlySqlTransaction
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, AuditEntry
from stichkampf_platform.people.services import create_token
from support import PASSWORD


@pytest.fixture
def staff(person, client):
    made = person("ann", is_staff=True, is_superuser=True)
    client.post("/login/", {"username": "ann", "password": PASSWORD}, REMOTE_ADDR="192.0.2.9")
    return made


def newest():
    entry = AuditEntry.objects.first()
    return entry.action, entry.credential, entry.subject


def test_acts_of_staff_are_in_the_log_with_the_credential(staff, client, person, make_tournament):
    eve, ben = person("eve"), person("ben")
    client.post(f"/admin/people/user/{eve.pk}/delete/", {"post": "yes"})
    assert newest() == ("administered", "password", "user eve: Deletion")
    more = [person("tim").pk, person("tom").pk]
    chosen = {"action": "delete_selected", "_selected_action": more, "post": "yes"}
    client.post("/admin/people/user/", chosen)
    assert newest()[2] == f"deleted of /admin/people/user/: {more[0]}, {more[1]}"
    tournament = make_tournament()
    _, text = create_token(owner=staff, name="desk", scope="organiser")
    header = {"authorization": f"Bearer {text}"}
    assert (
        client.post(f"/api/v1/organiser/tournaments/{tournament.slug}/start/", headers=header).status_code
        == 200
    )
    assert newest() == ("organised", "token", "tournament A test: Started.")
    assert AuditEntry.objects.filter(person=ben).count() == 0


def test_an_entry_is_never_changed_not_even_by_a_superuser(staff, client):
    entry = AuditEntry.objects.get()
    entry.subject = "nothing"
    with pytest.raises(TypeError):
        entry.save()
    assert client.get("/admin/people/auditentry/").status_code == 200
    address = f"/admin/people/auditentry/{entry.pk}"
    assert client.post(f"{address}/change/", {"subject": "nothing"}).status_code == 403
    assert client.post(f"{address}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/people/auditentry/add/").status_code == 403


def test_the_log_holds_no_address_password_or_token(staff, client):
    client.logout()
    client.post("/login/", {"username": "ann", "password": "my secret"}, REMOTE_ADDR="192.0.2.9")
    client.post("/login/", {"username": "trumpf-sticht-allex", "password": "ann"})
    _, text = create_token(owner=staff, name="laptop")
    stored = str(list(AuditEntry.objects.values()))
    assert "wrong password" in stored
    for secret in ("192.0.2.9", "my secret", "trumpf-sticht-allex", text, text[8:]):
        assert secret not in stored


def test_entries_and_digests_are_forgotten_after_their_days(staff, settings):
    AuditEntry.objects.update(at=F("at") - timedelta(days=settings.ADDRESS_DAYS + 1))
    audit.forget_old()
    assert AuditEntry.objects.get().digest == ""
    AuditEntry.objects.update(at=F("at") - timedelta(days=settings.AUDIT_DAYS))
    audit.note(AuditAction.SIGNED_OUT, person=staff)
    audit.forget_old()
    assert newest()[:2] == ("signed-out", "system")
    assert AuditEntry.objects.count() == 1


def test_an_entry_of_a_reading_waits_for_a_database_that_is_for_reading_only(staff, monkeypatch):
    pauses, really = [], AuditEntry.objects.create

    def create(**fields):
        if len(pauses) < 2:
            raise InternalError(
                "cannot execute INSERT in a read-only transaction"
            ) from ReadOnlySqlTransaction()
        return really(**fields)

    monkeypatch.setattr(AuditEntry.objects, "create", create)
    monkeypatch.setattr(audit, "sleep", pauses.append)
    monkeypatch.setattr(audit, "connection", SimpleNamespace(close=list))
    monkeypatch.setattr(
        audit, "Thread", lambda target, args, name: SimpleNamespace(start=lambda: target(*args))
    )
    audit.note_reading(AuditAction.SIGNED_OUT, person=staff)
    assert pauses == [1.0, 5.0]
    assert newest()[0] == "signed-out"
