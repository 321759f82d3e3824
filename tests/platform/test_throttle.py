"""How often one person or address may do what costs the platform something."""

import pytest
from django.core.cache import cache
from django.core.management import call_command
from stichkampf_platform.settings import base
from stichkampf_platform.throttle import SignInThrottle, SignUpThrottle


@pytest.fixture
def two_an_hour(monkeypatch):
    monkeypatch.setattr(SignUpThrottle, "THROTTLE_RATES", {"sign-up": "2/hour"})
    cache.clear()


def join(client, number, **headers):
    form = {"username": f"ann-{number}", "password": "trumpf-sticht-alles"}
    status = client.post("/join/", form, headers=headers).status_code
    client.logout()
    return status


def test_who_names_another_address_each_time_is_counted_all_the_same(client, db, two_an_hour):
    forged = [join(client, n, **{"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(3)]
    assert forged == [302, 302, 422]


def test_many_visitors_do_not_push_out_what_was_counted(client, db, settings, two_an_hour):
    settings.CACHES = base.CACHES
    call_command("createcachetable")
    assert [join(client, n) for n in range(2)] == [302, 302]
    for number in range(600):
        cache.set(f"throttle_sign-up_192.0.2.{number}", [0.0], 3600)
    assert join(client, 3) == 422


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_passwords_are_not_guessed_for_long(client, person, monkeypatch, page):
    monkeypatch.setattr(SignInThrottle, "THROTTLE_RATES", {"sign-in": "2/hour"})
    cache.clear()
    chief = person("chief", is_staff=True)
    for guess in ("stich", "trumpf"):
        answer = client.post(page, {"username": "chief", "password": guess})
        assert "enter a correct" in answer.content.decode()
    answer = client.post(page, {"username": "chief", "password": "trumpf-sticht-alles"})
    assert "Too many attempts from here; try again in " in answer.content.decode()
    assert "sessionid" not in client.cookies
    cache.clear()
    client.post(page, {"username": "chief", "password": "trumpf-sticht-alles"})
    assert client.session["_auth_user_id"] == str(chief.pk)
