"""The language of a person: chosen with the switch or on the account's page, and that of all mails."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from stichkampf_platform.people import notices
from stichkampf_platform.people.models import User
from support import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def german(person):
    return person(email="ann@cards.example", language="de")


def test_an_account_that_is_made_on_a_german_page_is_written_to_in_german(client):
    client.post("/de/join/", {"username": "ada", "password": PASSWORD})
    assert User.objects.get(username="ada").language == "de"


def test_the_switch_of_a_signed_in_person_chooses_the_language_of_mails(client, person):
    client.force_login(person())
    page = client.post("/language/", {"language": "de", "next": "/account/"}, follow=True).content.decode()
    assert re.search(r'<option value="de"[^>]*selected', page)
    assert User.objects.get().language == "de"
    client.logout()
    client.post("/language/", {"language": "en", "next": "/"})
    assert User.objects.get().language == "de"


def test_a_notice_is_mailed_in_the_language_of_its_person(german):
    evidence = notices.Evidence(
        match="Cup", address="/r/7/", faults={"timeout": 2}, forfeited=True, stderr="oh", stderr_waits=False
    )
    notice = notices.tell(person=german, title="t", text="x", address="/bots/ann/karl/", evidence=[evidence])
    notices.mail(notice_id=notice.pk)
    body = mail.outbox[0].body
    for text in (
        "Zeit überschritten (2)",
        "Hallo ann,",
        "http://localhost:8000/de/bots/ann/karl/",
        "http://localhost:8000/de/r/7/",
    ):
        assert text in body
    assert f"http://localhost:8000/de/account/notices/{notice.pk}/" in body
    assert not re.search(r"\b(?:the|you|read|output)\b", body)


def test_a_link_to_a_new_password_is_mailed_in_the_language_of_its_person(client, german):
    client.post("/password/reset/", {"email": german.email})
    (message,) = mail.outbox
    assert message.subject == "Stichkampf: Ein neues Passwort"
    assert "Hallo ann," in message.body
    assert not re.search(r"\b(?:the|you|was|new)\b", message.body)
