"""Wrong input to every address of pages and API never causes an error of the server.

The suite sends each wrong request to every eighth address, so that each address gets an eighth of them from
anybody and another eighth from its owner; `make nightly` sends all to all (STICHKAMPF_WRONG_INPUT=all).
"""

import os
import re
import sqlite3
from contextlib import closing, contextmanager
from threading import enumerate as enumerate_threads
from time import monotonic

import pytest
from django.contrib.auth import SESSION_KEY
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLResolver, get_resolver
from django.utils.http import urlencode
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.classes.enrolment import create_class
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.access import audit
from stichkampf_platform.people.models import AuditAction, AuditEntry
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.settings.base import CACHES
from stichkampf_platform.settings.database import SQLITE_OPTIONS
from stichkampf_platform.tournaments.models import Table
from support import wait_until

NUL = "ab\0cdefgh"
VALUES = ("abc", "-1", "9" * 5000, "²", NUL, "a\r\nb: c")
WORDS = ("page", "limit", "offset", "view", "versions", "bot", "next", "lang", "version")
FIELDS = ("username", "password", "email", "name", "slug", "description", "games", "next")
JSON_BODIES = (
    b"",
    b"[]",
    b"3",
    b'"\\u0000"',
    b"{",
    b"[" * 100_000,
    b"\xff\xfe",
    b'{"games": {"a": 1}}',
    b'{"name": "a\\u0000b"}',
    b'{"slug": "\\ud800"}',
    b'{"\\ud800": 1}',
    b'{"slug": "a\\u0000b", "games": ["a\\u0000b"]}',
    b'{"name": 1e999}',
    b'{"games": [[[]]]}',
)
HUGE = 10**30
SHARES = 1 if os.environ.get("STICHKAMPF_WRONG_INPUT") == "all" else 8
COOKIES = 'sessionid="{0}"; csrftoken="{0}"; messages="{0}"'.format(8 * "\\000")
"""Eight NUL characters as a cookie spells them."""


def routes(patterns, before=""):
    for each in patterns:
        route = before + str(each.pattern)
        if route == "api/":  # the same as below api/v1/
            continue
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        elif not route.startswith("admin/"):
            yield route


@pytest.fixture
def there(person, make_tournament, play_out):
    """A person with a bot, token and notice, and existing values for the parts of addresses."""
    owner = person("ann", is_staff=True, is_superuser=True)
    tournament = play_out(make_tournament(blocks=2))
    ratings.publish(ladder=tournament.ladder)
    submission, _ = create_remote_version(owner=owner, slug="karl", games=["sticheln"])
    token, _ = create_token(owner=owner, name="laptop")
    school_class = create_class(
        teacher=owner, name="10b", games=["stiche-raten"], names=[ListedName("Ada")], key=new_key()
    )
    table = Table.objects.filter(block__tournament=tournament).first()
    return owner, {
        "bots": "karl",
        "vs": "thumb",
        "tournaments": tournament.slug,
        "games": "mue",
        "docs": "api",
        "ladders": tournament.ladder.slug,
        "r": table.pk,
        "tables": table.pk,
        "blocks": table.block_id,
        "submissions": submission.pk,
        "tokens": token.pk,
        "classes": school_class.pk,
        "people": school_class.pupils.get().pk,
    }


def address_of(route, known, number, slug):
    """Return an address with this number and name in every part; without them, an existing address."""

    def fill(match):
        value = number if match["kind"] in ("int", "counted_from_one") else slug
        return f"{match['word']}/{known.get(match['word'], 1) if value is None else value}"

    return "/" + re.sub(r"(?P<word>[\w-]*)/<((?P<kind>\w+):)?\w+>", fill, route)


def requests(address):
    """Yield wrong requests to an address: method, query, body, content type, headers."""
    for value in VALUES:
        yield "GET", f"?{urlencode(dict.fromkeys(WORDS, value))}", b"", "", {}
        fields = {
            **dict.fromkeys(FIELDS, value),
            "archive": SimpleUploadedFile("x" * 300 + "\0", b"no archive"),
        }
        yield "POST", "", encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT, {}
    yield "GET", "?format=nonsense", b"", "", {"accept": "nonsense/*, \xff"}
    yield "GET", "", b"", "", {"accept": "nonsense/*, \xff", "last-event-id": "\xff", "x-fragment": "\xff"}
    yield "GET", "", b"", "", {"cookie": COOKIES}
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "NONSENSE"):
        yield method, "", b"\xff\0", "application/json", {}
    for kind in ("multipart/form-data", "multipart/form-data; boundary=\xff", "x/y"):
        yield "POST", "", b"\xff\0", kind, {}
    if address.startswith("/api/"):
        for body in JSON_BODIES:
            yield "POST", "", body, "application/json", {}
        yield "POST", "", b"{}", "application/json; charset=zlib", {}
        yield "POST", "", b"{}", "application/json; charset=rot13", {}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)  # a stream of events closes its connection
@pytest.mark.parametrize("area", ["pages", "api"])
@pytest.mark.parametrize("visitor", ["anybody", "owner"])
def test_no_address_answers_a_server_error(client, there, area, visitor):
    client.raise_request_exception = False
    owner, known = there
    broken = []
    for turn, route in enumerate(routes(get_resolver().url_patterns)):
        if route.startswith("api/") != (area == "api"):
            continue
        for number, slug in [(None, None), (0, "unknown"), (2**31, "karl"), (HUGE, "x" * 3000)]:
            if number is not None and "<" not in route:
                continue
            address = address_of(route, known, number, slug)
            mine = slice((turn + (visitor == "owner")) % SHARES, None, SHARES)
            wrong = list(requests(address))[mine] if number is None else [("GET", "", b"", "", {})]
            for method, query, body, kind, headers in wrong:
                if visitor == "owner" and SESSION_KEY not in client.session:  # it was logged out
                    client.force_login(owner)
                answer = client.generic(method, address + query, body, kind, headers=headers)
                if answer.status_code >= 500:
                    broken.append((method, address[:60] + query[:20], body[:20], kind, headers))
    assert not broken


READABLE = {301, 302, 303, 304, 400, 403, 404, 405, 406, 410, 200, 204}


@pytest.fixture
def hold_locked(monkeypatch):
    """Hold the database locked, as a long write of another program does, in a `with` block."""
    monkeypatch.setattr(audit, "PAUSES_SECONDS", [0.01] * 1000)

    @contextmanager
    def held():
        if connection.vendor != "sqlite":
            yield  # its writers wait for rows alone
            return
        with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE people_user SET first_name = 'held'")
            yield
            other.execute("ROLLBACK")
        wait_until(lambda: not any(thread.name == "audit" for thread in enumerate_threads()))

    return held


@pytest.fixture
def locked(hold_locked):
    with hold_locked():
        yield


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("visitor", ["anybody", "session", "token"])
def test_reading_needs_no_write_while_the_database_is_locked(client, there, visitor, settings, request):
    client.raise_request_exception = False
    settings.CACHES = {**settings.CACHES, "default": CACHES["default"]}
    call_command("createcachetable")
    owner, known = there
    headers = {}
    for name in ("old", "figures"):  # rows that have run out, which reading once deleted
        caches["default"].set(name, 1, timeout=0.001)
    if visitor == "session":
        client.force_login(owner)
    elif visitor == "token":
        headers = {"authorization": f"Bearer {create_token(owner=owner, name='locked')[1]}"}
    request.getfixturevalue("locked")
    slow, broken = [], []
    for route in routes(get_resolver().url_patterns):
        of_others = (visitor == "token") != route.startswith("api/") and visitor != "anybody"
        if "logout" in route or of_others:
            continue
        address = address_of(route, known, None, None)
        begun = monotonic()
        answer = client.get(address, headers=headers)
        if answer.streaming:
            b"".join(answer)
        if answer.status_code not in {*READABLE, 401, 501}:
            broken.append((address, answer.status_code))
        if monotonic() - begun > 0.5 * SQLITE_OPTIONS["timeout"]:
            slow.append((address, monotonic() - begun))
    assert (broken, slow) == ([], [])


@pytest.mark.django_db(transaction=True)
def test_a_copy_of_ones_data_is_sent_while_the_database_is_locked_and_audited_afterwards(
    client, person, hold_locked
):
    client.force_login(person())
    with hold_locked():
        answer = client.get("/account/data/")
        assert (answer.status_code, answer.json()["account"]["username"]) == (200, "ann")
        if connection.vendor == "sqlite":
            assert not AuditEntry.objects.filter(action=AuditAction.DATA_TAKEN).exists()
    assert AuditEntry.objects.filter(action=AuditAction.DATA_TAKEN, person__username="ann").exists()


@pytest.mark.parametrize("query", ["state__exact=%00", "slug=%00", "q=%00"])
def test_the_administration_refuses_to_filter_by_nul(client, person, query):
    client.force_login(person(is_staff=True, is_superuser=True))
    assert client.get(f"/admin/tournaments/tournament/?{query}").status_code == 400
    assert client.get("/admin/tournaments/tournament/?q=100%2500").status_code == 200
