"""Rate limits of one person or address."""

import json
import re
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused, TooMany, duration
from stichkampf_platform.people import network_addresses, rates, tasks
from stichkampf_platform.people.models import ApiToken, KnownAddress, RateCount, User
from stichkampf_platform.people.services import create_token
from support import PASSWORD

pytestmark = pytest.mark.database

HOUR = 3600
CROWD = 24


def join(client, name, **extra):
    return client.post("/join/", {"username": name, "password": PASSWORD}, **extra)


def sign_in(client, name, password, address="192.0.2.1", page="/login/"):
    return client.post(page, {"username": name, "password": password}, REMOTE_ADDR=address)


def at_once(act):
    """Act in many threads at the same moment, each with its own connection; return the results."""
    start, results = threading.Barrier(CROWD), [None] * CROWD

    def one(number):
        try:
            start.wait(60)
            results[number] = act(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=one, args=[number]) for number in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_concurrent_sign_ups_do_not_exceed_the_limit(settings):
    settings.RATES = {**settings.RATES, "sign-up": {"address": (10, 24 * HOUR)}}
    statuses = at_once(lambda number: join(Client(), f"syb-{number}").status_code)
    assert sorted(statuses) == [302] * 10 + [422] * 14
    assert User.objects.count() == 10
    assert RateCount.objects.get().times == 10


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_concurrent_token_requests_do_not_exceed_the_limit(settings, token):
    header = token("ann")
    settings.RATES = {**settings.RATES, "tokens": {"account": (9, 24 * HOUR)}}

    def make(number):
        body = json.dumps({"name": f"race-{number}"})
        return Client().post("/api/v1/me/tokens/", body, "application/json", headers=header).status_code

    assert sorted(at_once(make)) == [201] * 9 + [429] * 15
    assert ApiToken.objects.count() == 10


@pytest.mark.django_db(transaction=True)
def test_a_crowd_does_not_get_more_live_tokens_than_one_person_may_have(person):
    ann = person("ann")
    for number in range(15):
        create_token(owner=ann, name=f"old-{number}")

    def make(number):
        try:
            return bool(create_token(owner=ann, name=f"race-{number}"))
        except RequestRefused:
            return False

    assert sum(at_once(make)) == 5
    assert ann.api_tokens.count() == 20


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_concurrent_password_guesses_do_not_exceed_the_limit(settings, person):
    person("ann")
    settings.RATES = {**settings.RATES, "passwords": {"account at address": (10, 24 * HOUR)}}
    pages = at_once(lambda n: sign_in(Client(), "ann", f"wrong-{n}").content.decode())
    assert sum("Too many wrong passwords. Try again in " in page for page in pages) == 14


def test_an_address_that_a_visitor_only_claims_is_not_counted(client, db, settings):
    settings.RATES = {**settings.RATES, "sign-up": {"address": (2, 24 * HOUR)}}
    statuses = []
    for number in range(3):
        answer = join(client, f"ann-{number}", headers={"X-Forwarded-For": f"192.0.2.{number}"})
        statuses.append(answer.status_code)
        client.logout()
    assert statuses == [302, 302, 422]
    assert "Too many accounts from this address. Try again in " in answer.content.decode()


@pytest.mark.parametrize(
    ("addresses", "made"),
    [
        (["2001:db8:1:2::1", "2001:db8:1:2:ffff::7"], 1),
        (["2001:db8:1:2::1", "2001:db8:1:3::1"], 2),
        (["::ffff:192.0.2.7", "192.0.2.7"], 1),
    ],
)
def test_a_household_is_one_address(db, settings, addresses, made):
    settings.RATES = {**settings.RATES, "sign-up": {"address": (1, 24 * HOUR)}}
    for number, address in enumerate(addresses):
        join(Client(), f"ann-{number}", REMOTE_ADDR=address)
    assert User.objects.count() == made


def test_a_sign_up_that_is_refused_for_another_reason_is_not_counted(client, db, person, settings):
    person("ann")
    settings.RATES = {**settings.RATES, "sign-up": {"address": (1, 24 * HOUR)}}
    assert join(client, "ann").status_code == 422
    assert join(client, "bob").status_code == 302


def test_a_new_span_counts_from_nothing_and_old_counts_are_deleted(db, settings, monkeypatch):
    settings.RATES = {"tokens": {"account": (1, HOUR)}}
    rates.count("tokens", account="1")
    with pytest.raises(TooMany):
        rates.count("tokens", account="1")
    rates.count("tokens", account="2")
    later = clock.now() + timedelta(hours=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    rates.count("tokens", account="1")
    tasks.forget()
    assert RateCount.objects.count() == 1


def test_the_table_of_counts_holds_no_names(db, settings):
    settings.RATES = {"sign-up": {"address": (1, HOUR)}}
    rates.count("sign-up", address="192.0.2.77")
    assert "192.0.2" not in str(list(RateCount.objects.values()))


@pytest.mark.parametrize("page", ["/login/", "/admin/login/"])
def test_passwords_are_not_guessed_for_long(client, person, settings, page):
    settings.RATES = {**settings.RATES, "passwords": {"address": (2, 24 * HOUR)}}
    chief = person("chief", is_staff=True)
    for guess in ("stich", "trumpf"):
        assert "enter a correct" in sign_in(client, "chief", guess, page=page).content.decode()
    refused = sign_in(client, "chief", PASSWORD, page=page).content.decode()
    assert "Too many wrong passwords. Try again in " in refused
    assert "sessionid" not in client.cookies
    sign_in(client, "chief", PASSWORD, address="192.0.2.9", page=page)
    assert client.session["_auth_user_id"] == str(chief.pk)


def test_a_right_password_is_not_counted(client, person, settings):
    person("ann")
    settings.RATES = {**settings.RATES, "passwords": {"account at address": (1, 24 * HOUR)}}
    for _ in range(3):
        assert sign_in(client, "ann", PASSWORD).status_code == 302
        client.logout()


def test_guessing_from_many_addresses_is_limited_without_locking_out_the_owner(person, settings):
    ann = person("ann")
    settings.RATES = {**settings.RATES, "passwords": {"account": (2, 24 * HOUR)}}
    assert sign_in(Client(), "ann", PASSWORD, "203.0.113.5").status_code == 302
    pages = [sign_in(Client(), "ann", f"guess-{n}", f"198.51.100.{n}").content.decode() for n in range(3)]
    assert ["Too many wrong passwords" in page for page in pages] == [False, False, True]
    assert sign_in(Client(), "ann", PASSWORD, "198.51.100.77").status_code == 200
    owner = Client()
    assert sign_in(owner, "ann", PASSWORD, "203.0.113.5").status_code == 302
    assert owner.session["_auth_user_id"] == str(ann.pk)


def test_the_address_of_a_sign_up_is_known_again_but_not_kept(client, db):
    join(client, "ann", REMOTE_ADDR="2001:db8:1:2::1")
    join(Client(), "bob", REMOTE_ADDR="2001:db8:1:2:9::9")
    join(Client(), "cid", REMOTE_ADDR="192.0.2.1")
    ids = {person.username: person.pk for person in User.objects.all()}
    known = network_addresses.sign_up_addresses(ids.values())
    assert known[ids["ann"]] == known[ids["bob"]] != known[ids["cid"]]
    stored = str(list(KnownAddress.objects.values()))
    assert not re.search(r"\b(2001|192\.0)\b", stored)


def test_an_address_is_forgotten_when_it_was_not_used_for_long(person, settings):
    ann = person("ann")
    network_addresses.remember(person=ann, address="192.0.2.1", signed_up=True)
    network_addresses.remember(person=ann, address="192.0.2.2")
    long_ago = clock.now() - timedelta(days=settings.ADDRESS_DAYS + 1)
    KnownAddress.objects.filter(signed_up=True).update(seen_at=long_ago)
    tasks.forget()
    assert not KnownAddress.objects.get().signed_up


def test_accounts_of_one_address_stay_a_group_while_their_bots_play_and_nobody_signs_in(
    person, submitted, settings
):
    people = [person("ann"), person("bob")]
    for one in people:
        network_addresses.remember(person=one, address="192.0.2.1", signed_up=True, named=True)
    KnownAddress.objects.update(seen_at=clock.now() - timedelta(days=settings.ADDRESS_DAYS + 1))
    bots = [submitted(one, "karl") for one in people]
    tasks.forget()
    known = network_addresses.sign_up_addresses([one.pk for one in people], named=True)
    assert len(known) == 2
    assert len(set(known.values())) == 1
    for version in bots:  # without what keeps it they are strangers to each other
        version.state = version.State.SUSPENDED
        version.save()
    tasks.forget()
    assert not network_addresses.sign_up_addresses([one.pk for one in people], named=True)


def test_an_address_at_sign_up_stays_one_when_it_is_used_again(person):
    ann = person("ann")
    network_addresses.remember(person=ann, address="192.0.2.1", signed_up=True)
    network_addresses.remember(person=ann, address="192.0.2.1")
    assert list(network_addresses.sign_up_addresses([ann.pk])) == [ann.pk]


def test_a_request_without_an_address_is_counted_by_account_only(db, settings):
    settings.RATES = {"tokens": {"address": (1, HOUR), "account": (2, HOUR)}}
    rates.count("tokens", account="1", address="")
    rates.count("tokens", account="1", address="")
    with pytest.raises(TooMany, match="Too many tokens"):
        rates.count("tokens", account="1", address="")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (34, "34 seconds"), (120, "120 seconds"), (121, "3 minutes"), (86_399, "24 hours")],
)
def test_a_wait_is_told_in_words(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("forwarded", "connected", "named"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("198.51.100.1, 192.0.2.7", "192.0.2.7", True),
        ("2001:db8::7", "2001:db8::8", True),  # one customer's network
        ("192.0.2.7", "10.0.0.5", False),  # a proxy that the installation does not know
        ("", "192.0.2.7", False),
    ],
)
def test_an_address_is_a_visitors_own_where_a_trusted_proxy_named_it(client, db, forwarded, connected, named):
    """The connected address is here what uvicorn puts in where it trusts the proxy."""
    answer = join(client, "ada", REMOTE_ADDR=connected, HTTP_X_FORWARDED_FOR=forwarded)
    assert answer.status_code == 302
    assert KnownAddress.objects.get(signed_up=True).named_by_proxy is named
