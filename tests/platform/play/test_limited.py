"""Limits of how many tables a person or a network address opens in an hour, and what is told beyond them."""

from datetime import timedelta
from itertools import cycle, islice

import pytest
from documents import words_of
from stichkampf.rulebook.examples import examples
from stichkampf_platform.core.errors import MatchFailed
from stichkampf_platform.people import rates
from stichkampf_platform.play import matches, services
from stichkampf_platform.play.models import PlayedTable
from stichkampf_platform.settings.base import RATES

pytestmark = pytest.mark.django_db

OF_ACCOUNT, OF_ADDRESS = (RATES["tables"][who][0] for who in ("account", "address"))
SPAN = timedelta(seconds=RATES["tables"]["address"][1])
SCHOOL, HOME = "192.0.2.7", "192.0.2.8"
PAGES = {
    "/play/": {"game": "sticheln"},
    "/play/together/": {"game": "sticheln", "seats": "4", "level": "even", "minutes": "3"},
    "/play/daily/sticheln/": {},
    f"/play/on/sticheln/{next(iter(examples('sticheln')))}/": {},
}


@pytest.fixture(autouse=True)
def limited(settings, monkeypatch):
    """Limits of tables as they are shipped, and an arbiter that takes every table."""
    settings.RATES = {**settings.RATES, "tables": RATES["tables"]}
    monkeypatch.setattr(matches, "begin", lambda *_of: None)


def opened(people, tables, address):
    """Let people open so many tables one after the other; none of them is refused."""
    for account in islice(cycle(people), tables):
        services.count_table(account, address)


def assert_refused(client, address):
    for page, fields in PAGES.items():
        answer = client.post(page, fields, REMOTE_ADDR=address)
        assert answer.status_code == 429
        assert "Too many tables. Try again in " in answer.content.decode()
        assert 0 < int(answer["Retry-After"]) <= SPAN.total_seconds()
    assert not PlayedTable.objects.exists()


def test_an_account_opens_so_many_tables_in_an_hour_and_is_told_when_it_may_again(
    client, person, monkeypatch
):
    ann, ben = person("ann"), person("ben")
    opened([ann], OF_ACCOUNT, "")
    client.force_login(ann)
    assert_refused(client, HOME)
    client.force_login(ben)
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=HOME).status_code == 302
    later = rates.clock.now() + SPAN
    monkeypatch.setattr(rates.clock, "now", lambda: later)
    client.force_login(ann)
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=HOME).status_code == 302


def test_guests_of_an_address_open_so_many_tables_in_an_hour(client):
    opened([None], OF_ADDRESS, HOME)
    assert_refused(client, HOME)
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=SCHOOL).status_code == 302


def test_two_to_a_home_or_thirty_guests_of_a_school_do_not_meet_the_limit(client, person):
    opened([person(name) for name in ("ann", "ben")], 2 * OF_ACCOUNT, HOME)
    assert OF_ADDRESS >= 30 * 10
    opened([None], 30 * 10 - 1, SCHOOL)
    for address in (HOME, SCHOOL):
        assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=address).status_code == 302


def test_pupils_with_accounts_of_a_class_share_no_limit(client, person):
    pupils = [person(f"pupil-{number}", shares_address=True) for number in range(10)]
    opened(pupils, 10 * OF_ACCOUNT - 1, SCHOOL)
    client.force_login(pupils[-1])
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=SCHOOL).status_code == 302
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=SCHOOL).status_code == 429


def test_a_table_that_cannot_begin_by_our_fault_is_not_counted(client, monkeypatch):
    opened([None], OF_ADDRESS - 1, HOME)
    with monkeypatch.context() as patch:

        def taken(*_of):
            raise MatchFailed("no room")

        patch.setattr(matches, "begin", taken)
        for _ in range(2):
            answer = client.post("/play/", PAGES["/play/"], REMOTE_ADDR=HOME)
            assert "Too many" not in answer.content.decode()
            assert answer.status_code == 400
    assert client.post("/play/", PAGES["/play/"], REMOTE_ADDR=HOME).status_code == 302


def test_the_guide_of_players_tells_both_limits():
    told = words_of("docs/playing.md")
    assert f"an account opens {OF_ACCOUNT}, and guests of one network address {OF_ADDRESS} together" in told
