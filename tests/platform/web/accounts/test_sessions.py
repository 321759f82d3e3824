"""Open sessions: listed with browser and network, ended one by one or together."""

import pytest
from django.test import Client
from stichkampf_platform.people.access import open_sessions
from stichkampf_platform.people.models import AuditEntry, OpenSession

PASSWORD = "correct horse battery"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"


def sign_in(agent=FIREFOX, address="192.0.2.1"):
    client = Client(headers={"user-agent": agent}, REMOTE_ADDR=address)
    assert client.post("/login/", {"username": "ada", "password": PASSWORD}).status_code == 302
    return client


def test_sessions_are_listed_with_browser_and_network_and_no_address(ada):
    here, _ = sign_in(), sign_in(PHONE, "198.51.100.7")
    page = here.get("/account/sessions/").content.decode()
    assert "Firefox, Linux" in page
    assert "this one" in page
    assert "Safari, iPhone" in page
    assert "from another network" in page
    assert "192.0.2.1" not in page
    assert "198.51.100.7" not in page


def test_a_person_ends_one_session_or_all_others(ada):
    here, phone, third = sign_in(), sign_in(PHONE), sign_in()
    on_phone = ada.open_sessions.get(browser="Safari, iPhone")
    here.post(f"/account/sessions/{on_phone.pk}/end/")
    assert phone.get("/account/").status_code == 302
    assert third.get("/account/").status_code == 200
    assert "1 other session is ended." in here.post("/account/sessions/end/", follow=True).content.decode()
    assert third.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200


def test_sessions_of_others_cannot_be_ended(ada, person):
    here = sign_in()
    person("eve")
    eve = Client()
    eve.login(username="eve", password="trumpf-sticht-alles")
    answer = eve.post(f"/account/sessions/{ada.open_sessions.get().pk}/end/", follow=True)
    assert "You have no session with the number" in answer.content.decode()
    assert here.get("/account/").status_code == 200


def test_a_changed_password_leaves_the_present_session_alone_in_the_list(ada):
    here, phone = sign_in(), sign_in(PHONE)
    new = "trumpf sticht alles"
    here.post("/account/password/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    here.get("/account/")
    ada.refresh_from_db()
    (left,) = open_sessions.open_sessions(ada)
    assert left.browser == "Firefox, Linux"
    assert phone.get("/account/").status_code == 302


def test_signing_out_takes_the_session_off_the_list(ada):
    here = sign_in()
    here.post("/logout/")
    assert open_sessions.open_sessions(ada) == []
    assert list(ada.audit_entries.values_list("action", flat=True)) == ["signed-out", "signed-in"]


def test_a_password_set_by_an_administrator_ends_all_sessions(ada):
    sign_in()
    ada.set_password("trumpf sticht alles")
    ada.save()
    assert open_sessions.open_sessions(ada) == []


@pytest.mark.django_db
def test_what_is_known_of_sessions_that_are_over_is_forgotten(ada):
    here = sign_in()
    here.session.flush()
    assert OpenSession.objects.count() == 1
    open_sessions.forget_old()
    assert OpenSession.objects.count() == 0


def test_the_audit_log_keeps_digests_for_their_days_only(ada, settings):
    sign_in()
    entry = AuditEntry.objects.get()
    assert entry.digest
    assert "192.0.2.1" not in str(vars(entry))
