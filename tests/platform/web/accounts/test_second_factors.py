"""Second factors: an app with codes and recovery codes, at every way in; staff that must have one."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core import mail
from django.core.management import call_command
from django.test import Client

PASSWORD = "correct horse battery"


def code_of(secret, spans=0):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + spans))


def sign_in(client=None, address="/login/", password=PASSWORD):
    client = client or Client()
    return client, client.post(address, {"username": "ada", "password": password})


@pytest.fixture
def signed_in(ada, django_capture_on_commit_callbacks, settings):
    settings.MFA_TOTP_TOLERANCE = 3  # the code before the present one stays right for a minute
    client = sign_in()[0]
    client.committed = django_capture_on_commit_callbacks
    return client


def set_up(client):
    """Set an app up; the secret that it has, and the recovery codes."""
    page = client.get("/account/two-factor/app/", follow=True)
    assert "Confirm that it is you" in page.content.decode()
    page = client.post("/account/again/?next=/account/two-factor/app/", {"password": PASSWORD}, follow=True)
    secret = re.search(r'<code class="secret"[^>]*>([A-Z2-7]+)</code>', page.content.decode())[1]
    with client.committed(execute=True):
        page = client.post("/account/two-factor/app/", {"code": code_of(secret, -1)}, follow=True)
    return secret, re.findall(r"<code>(\d{8})</code>", page.content.decode())


@pytest.mark.slow
def test_an_app_is_set_up_and_then_asked_for(signed_in):
    elsewhere, _ = sign_in()
    secret, codes = set_up(signed_in)
    assert len(codes) == 10
    assert elsewhere.get("/account/").status_code == 302, "sessions from before are ended"
    client, answer = sign_in()
    assert answer.url == "/login/code/"
    assert client.get("/account/").status_code == 302
    assert "That was not right" in client.post("/login/code/", {"code": "000000"}).content.decode()
    assert client.post("/login/code/", {"code": code_of(secret)}).status_code == 302
    assert client.get("/account/").status_code == 200
    assert signed_in.get("/account/two-factor/codes/").content.decode().count("<code>") == 0


def test_a_code_and_a_recovery_code_are_right_only_once(signed_in):
    secret, codes = set_up(signed_in)
    for code in (code_of(secret), codes[0]):
        assert sign_in()[0].post("/login/code/", {"code": code}).status_code == 302
        again, _ = sign_in()
        assert "used before" in again.post("/login/code/", {"code": code}).content.decode()


def test_codes_are_not_guessed_for_long(signed_in, settings):
    secret, _ = set_up(signed_in)
    settings.RATES = {**settings.RATES, "second factors": {"account": (2, 24 * 3600)}}
    client, _ = sign_in()
    for _ in range(2):
        client.post("/login/code/", {"code": "000000"})
    answer = client.post("/login/code/", {"code": code_of(secret)})
    assert "Too many wrong codes" in answer.content.decode()
    assert client.get("/account/").status_code == 302


def test_no_other_way_in_goes_around_the_second_factor(signed_in, ada):
    ada.email, ada.is_staff = "ada@example.org", True
    ada.save()
    secret, _ = set_up(signed_in)
    client, answer = sign_in(address="/admin/login/?next=/admin/")
    assert answer.url == "/login/code/"
    assert client.get("/admin/").status_code == 302
    assert client.post("/login/code/", {"code": code_of(secret)}).url == "/admin/"
    reset = Client()
    reset.post("/password/reset/", {"email": ada.email})
    link = re.search(r"http://testserver(/\S+)", mail.outbox[-1].body)[1]
    form = reset.get(link, follow=True).redirect_chain[-1][0]
    new = "trumpf sticht alles"
    assert reset.post(form, {"password1": new, "password2": new}).status_code == 302
    assert reset.get("/account/").status_code == 302


def test_secrets_are_encrypted_and_die_with_the_secret_key(signed_in, settings):
    secret, codes = set_up(signed_in)
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    settings.SECRET_KEY = "another"
    client, _ = sign_in()
    answer = client.post("/login/code/", {"code": codes[0]})
    assert answer.status_code == 200
    assert "ask an administrator to remove it" in answer.content.decode()


def test_removing_the_app_asks_who_it_is_and_takes_the_codes_along(signed_in, ada):
    set_up(signed_in)
    stranger = Client()
    stranger.force_login(ada)
    assert "/account/again/" in stranger.post("/account/two-factor/app/remove/").url
    signed_in.post("/account/two-factor/app/remove/")
    assert not Authenticator.objects.exists()
    assert sign_in()[1].url == "/"
    assert set(ada.audit_entries.values_list("action", flat=True)) >= {"factor-added", "factor-removed"}


def test_staff_without_a_second_factor_are_led_to_it_where_it_is_required(signed_in, ada, settings):
    settings.STAFF_NEED_SECOND_FACTOR = True
    assert signed_in.get("/account/").status_code == 200
    ada.is_staff = ada.is_superuser = True
    ada.save()
    for page in ("/admin/", "/account/tokens/", "/de/account/"):
        assert signed_in.get(page).url.endswith("/account/two-factor/")
    assert signed_in.get("/api/v1/me/").status_code == 403
    set_up(signed_in)
    assert signed_in.get("/admin/").status_code == 200


def test_an_administrator_who_lost_the_phone_gets_in_by_the_command(signed_in, ada, capsys):
    ada.is_superuser = True
    ada.save()
    set_up(signed_in)

    call_command("reset_admin_password", username="ada")
    password = re.search(r"Password: (\S+)", capsys.readouterr().out)[1]
    assert sign_in(password=password)[1].url == "/"
