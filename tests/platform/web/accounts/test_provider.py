"""Sign-in with an outside provider: a real one by OpenID Connect, on this machine."""

import subprocess
import sys
from urllib.parse import quote

import pytest
import requests
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from stichkampf_platform.people.models import User
from stichkampf_platform.settings.provider import origin_of, provider_settings
from support import free_port, wait_until

pytestmark = pytest.mark.machine

PASSWORD = "correct horse battery"
START = "/login/with/provider/"


@pytest.fixture(scope="module")
def server():
    """A program of its own, as the real ones are."""
    port = free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        address = f"http://localhost:{port}"
        wait_until(lambda: answers(address), goal="the provider answers")
        yield address
        running.terminate()


def answers(address):
    try:
        return requests.get(f"{address}/.well-known/openid-configuration", timeout=10).ok
    except requests.ConnectionError:
        return False


@pytest.fixture
def environment(server, settings):
    """The variables that an operator sets, of which the settings are made."""
    given = {
        "STICHKAMPF_PROVIDER_URL": server,
        "STICHKAMPF_PROVIDER_CLIENT": "stichkampf",
        "STICHKAMPF_PROVIDER_SECRET": "secret",
        "STICHKAMPF_PROVIDER_NAME": "The School",
    }
    settings.SOCIALACCOUNT_PROVIDERS = provider_settings(given)
    return given


def through(client, server, *, who, start=START, **fields):
    """Go to the provider, sign in there, and come back; the answer of the site."""
    requests.put(f"{server}/users/{quote(who)}", json={"email": who, "email_verified": True}, timeout=10)
    leave = client.post(start, fields)
    assert leave.status_code == 302, leave.content.decode()
    assert leave.url.startswith(server)
    back = requests.post(leave.url, data={"sub": who}, allow_redirects=False, timeout=10)
    return client.get(back.headers["location"].removeprefix("http://testserver"))


def sign_in(client):
    return client.post("/login/", {"username": "ada", "password": PASSWORD})


def test_a_newcomer_chooses_a_name_and_is_known_the_next_time(server, environment, db):
    client = Client()
    assert "Go on with The School" in client.get("/login/").content.decode()
    assert through(client, server, who="lea@school.example").url == "/join/with/"
    answer = client.post("/join/with/", {"username": "house", "email": "lea@school.example"})
    assert "reserved" in answer.content.decode()
    client.post("/join/with/", {"username": "lea", "email": "lea@school.example"})
    assert client.get("/account/").status_code == 200
    lea = User.objects.get(username="lea")
    assert not lea.has_usable_password()
    again = Client()
    through(again, server, who="lea@school.example")
    assert again.get("/account/").context["user"] == lea
    acts = set(lea.audit_entries.values_list("action", "credential"))
    assert ("signed-in", "provider") in acts


def test_no_account_is_found_by_its_mail_address(server, environment, ada):
    ada.email = "ada@example.org"
    ada.save()
    client = Client()
    assert through(client, server, who="ada@example.org").url == "/join/with/"
    assert client.get("/account/").status_code == 302


def test_connecting_asks_who_it_is_and_then_signs_in_with_the_second_factor(server, environment, ada):
    client = Client()
    sign_in(client)
    asked = client.post(START, {"process": "connect"})
    assert asked.url.startswith("/account/again/")
    client.post("/account/again/", {"password": PASSWORD})
    through(client, server, who="ada@school.example", process="connect")
    assert SocialAccount.objects.get().user == ada
    assert ada.audit_entries.filter(action="connected").exists()
    with_provider = Client()
    through(with_provider, server, who="ada@school.example")
    assert with_provider.get("/account/").status_code == 200
    TOTP.activate(ada, "JBSWY3DPEHPK3PXP")
    with_factor = Client()
    assert through(with_factor, server, who="ada@school.example").url == "/login/code/"
    assert with_factor.get("/account/").status_code == 302


def test_a_forged_answer_signs_no_person_in(server, environment, db):
    client = Client()
    client.post(START)
    page = client.get(f"{START}callback/?code=guess&state=forged")
    assert "The provider did not sign you in" in page.content.decode()
    assert client.get("/account/").status_code == 302


def test_without_the_setting_there_is_no_provider(client, db):
    assert "Go on with" not in client.get("/login/").content.decode()
    assert client.post(START).status_code == 404
    assert (provider_settings({}), origin_of({})) == ({}, [])


def test_a_setting_without_secret_or_https_stops_the_start(environment):
    with pytest.raises(ImproperlyConfigured, match="STICHKAMPF_PROVIDER_SECRET"):
        provider_settings({**environment, "STICHKAMPF_PROVIDER_SECRET": ""})
    with pytest.raises(ImproperlyConfigured, match=r"'http://login\.example'; give an address"):
        provider_settings({**environment, "STICHKAMPF_PROVIDER_URL": "http://login.example"})
    assert origin_of(environment) == [environment["STICHKAMPF_PROVIDER_URL"]]
