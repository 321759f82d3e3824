"""Accounts: passwords changed and reset, mail addresses changed and confirmed, signing out."""

import re
import smtplib

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from stichkampf_platform.people import network_addresses
from stichkampf_platform.people.models import User

OLD, NEW = "correct horse battery", "trumpf sticht alles"


def sign_in(client, name="ada", password=OLD, **more):
    return client.post("/login/", {"username": name, "password": password, **more})


def link_in(message):
    return re.search(r"http://testserver(/\S+)", message.body)[1]


@pytest.fixture(autouse=True)
def mails_leave(settings):
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def mailed(ada):
    ada.email = "ada@example.org"
    ada.save()
    return ada


@pytest.fixture
def confirmed_first(settings):
    """Makes the site ask for a confirmed mail address before the first sign-in."""
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]


def test_signing_in_redirects_to_the_wanted_page_of_this_site_only(client, ada):
    assert sign_in(client, next="/submit/").url == "/submit/"
    client.logout()
    assert sign_in(client, next="https://example.org/").url == "/"
    assert sign_in(Client(), password="wrong password").status_code == 200


def test_the_sign_in_page_keeps_the_wanted_address(client, db):
    page = client.get("/login/?next=/submit/").content.decode()
    assert '<input type="hidden" name="next" value="/submit/">' in page


def test_signing_out_needs_a_form_and_ends_the_session(client, ada):
    sign_in(client)
    cookie = client.cookies["sessionid"].value
    assert client.get("/logout/").status_code == 200
    assert client.get("/account/").status_code == 200
    assert client.post("/logout/").url == "/"
    assert client.get("/account/").status_code == 302
    assert not Session.objects.filter(session_key=cookie).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["/join/", "/login/", "/logout/", "/account/password/", "/account/email/"])
def test_a_form_without_its_csrf_token_changes_nothing(page, ada):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    assert client.post(page, {"username": "eve", "password": OLD}).status_code == 403


def test_signing_in_starts_a_new_session(client, ada):
    client.get("/login/")
    session = client.session
    session["known"] = "to a stranger"
    session.save()
    client.cookies["sessionid"] = session.session_key
    sign_in(client)
    assert client.cookies["sessionid"].value != session.session_key


def test_a_changed_password_ends_the_other_sessions(client, ada):
    elsewhere = Client()
    sign_in(client)
    sign_in(elsewhere)
    form = {"oldpassword": OLD, "password1": NEW, "password2": NEW}
    answer = client.post("/account/password/", {**form, "password2": OLD})
    assert "same password each time" in answer.content.decode()
    assert client.post("/account/password/", form).status_code == 302
    assert client.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    assert sign_in(Client()).status_code == 200
    assert sign_in(Client(), password=NEW).status_code == 302


def test_passwords_cannot_be_guessed_from_an_open_session(client, ada, settings):
    settings.RATES = {**settings.RATES, "passwords": {"account at address": (2, 24 * 3600)}}
    client.force_login(ada)
    form = {"password1": NEW, "password2": NEW}
    for _ in range(2):
        client.post("/account/password/", {**form, "oldpassword": "guess"})
    answer = client.post("/account/password/", {**form, "oldpassword": OLD})
    assert "Too many wrong passwords. Try again in " in answer.content.decode()


@pytest.mark.parametrize("host", ["", "mail.example.org"])
@pytest.mark.parametrize("address", ["/password/reset/", "/account/email/"])
def test_a_mail_is_promised_only_where_mail_is_set_up(client, ada, settings, host, address):
    settings.EMAIL_HOST = host
    if address == "/account/email/":
        client.force_login(ada)
    page = client.get(address).content.decode()
    assert ("Mail is not set up" in page) is not bool(host)
    assert ('name="email"' in page) is bool(host)


def test_a_mail_resets_a_forgotten_password_once(client, mailed):
    assert client.post("/password/reset/", {"email": "ada@example.org"}).url == "/password/reset/sent/"
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    assert "Stichkampf: " in message.subject
    link = link_in(message)
    form = client.get(link, follow=True).redirect_chain[-1][0]
    assert "key" not in form
    assert client.post(form, {"password1": "short", "password2": "short"}).status_code == 200
    client.post(form, {"password1": NEW, "password2": NEW})
    assert client.get("/account/").status_code == 200
    assert network_addresses.is_known(name="ada", address="127.0.0.1")
    assert sign_in(Client(), password=NEW).status_code == 302
    assert "This link is no longer valid" in Client().get(link).content.decode()


def test_no_answer_reveals_whether_an_address_has_an_account(client, mailed):
    answers = [
        client.post("/password/reset/", {"email": to}) for to in ("ada@example.org", "eve@example.org")
    ]
    assert answers[0].url == answers[1].url
    assert len(mail.outbox) == 1


def test_a_stranger_cannot_fill_a_mailbox(client, mailed, settings):
    settings.RATES = {**settings.RATES, "mails": {"account": (2, 24 * 3600)}}
    answers = [client.post("/password/reset/", {"email": "ada@example.org"}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 422]
    assert "Too many mails requested. Try again in " in answers[-1].content.decode()
    assert len(mail.outbox) == 2


def test_a_mail_that_cannot_be_sent_is_reported(client, mailed, monkeypatch):
    def refuse(self, messages):
        raise smtplib.SMTPServerDisconnected("gone")

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    answer = client.post("/password/reset/", {"email": "ada@example.org"})
    assert answer.status_code == 503
    assert "The mail could not be sent" in answer.content.decode()


def test_a_new_mail_address_needs_the_password(client, mailed):
    client.force_login(mailed)
    answer = client.post(
        "/account/email/", {"email": "eve@example.net", "password": "guess", "action_add": ""}
    )
    assert "current password" in answer.content.decode()
    assert User.objects.get().email == "ada@example.org"
    client.post("/account/email/", {"email": "ada@example.net", "password": OLD, "action_add": ""})
    assert User.objects.get().email == "ada@example.net"
    assert client.post("/password/reset/", {"email": "ada@example.net"}).status_code == 302
    assert mail.outbox[-1].to == ["ada@example.net"]


def test_a_new_address_takes_effect_after_its_confirmation(client, mailed, confirmed_first):
    EmailAddress.objects.create(user=mailed, email=mailed.email, primary=True, verified=True)
    client.force_login(mailed)
    client.post("/account/email/", {"email": "ada@example.net", "password": OLD, "action_add": ""})
    assert User.objects.get().email == "ada@example.org"
    assert "ada@example.net replaces it" in client.get("/account/email/").content.decode()
    (message,) = mail.outbox
    assert message.to == ["ada@example.net"]
    client.post(link_in(message))
    assert User.objects.get().email == "ada@example.net"


def test_joining_without_confirmation_signs_in_and_needs_no_address(client, db):
    answer = client.post("/join/", {"username": "ada", "password": OLD}, follow=True)
    assert answer.redirect_chain == [("/account/tokens/", 302)]
    assert mail.outbox == []


def test_joining_with_confirmation_signs_in_after_it(client, db, confirmed_first):
    form = {"username": "ada", "password": OLD}
    assert "This field is required" in client.post("/join/", form).content.decode()
    answer = client.post("/join/", {**form, "email": "ada@example.org"})
    assert answer.url == "/join/sent/"
    assert "Check your mail" in client.get("/join/sent/").content.decode()
    assert client.get("/account/").status_code == 302
    assert sign_in(Client()).url == "/join/sent/"
    link = link_in(mail.outbox[0])
    assert "ada@example.org is the address of ada" in client.get(link).content.decode()
    client.post(link)
    assert client.get("/account/").status_code == 200
    assert sign_in(Client()).url == "/"


def test_with_confirmation_an_address_gets_no_second_account(client, mailed, confirmed_first):
    answer = client.post("/join/", {"username": "eve", "password": OLD, "email": "ada@example.org"})
    assert answer.url == "/join/sent/"
    assert not User.objects.filter(username="eve").exists()
    assert [message.to for message in mail.outbox] == [["ada@example.org"]]


def test_with_confirmation_the_administration_still_opens(person, client, confirmed_first):
    person("chief", is_staff=True)
    form = {"username": "chief", "password": "trumpf-sticht-alles"}
    assert client.post("/admin/login/?next=/admin/", form).url == "/admin/"


@pytest.mark.django_db
def test_joining_reports_all_errors_at_once(client):
    page = client.post("/join/", {"username": "house", "password": "short", "email": "x"}).content.decode()
    for complaint in ("is reserved", "too short", "valid email"):
        assert complaint in page
