"""Every form of every page is posted with wrong values: they are refused on a page, never by an error."""

from __future__ import annotations

import os
import re
import resource
from dataclasses import dataclass, field
from html.parser import HTMLParser
from time import process_time

import pytest
from django.contrib.admin import site as administration
from django.contrib.auth import SESSION_KEY
from django.db import transaction
from django.urls import URLResolver, get_resolver, reverse
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.classes.enrolment import create_class
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments.models import Table

pytestmark = pytest.mark.slow

NUMBERS = {
    "zero": "0", "minus one": "-1", "32 bits": str(2**31), "64 bits": str(2**63 - 1), "huge": str(10**30),
    "infinite": "1e999", "no number": "NaN",
}  # fmt: skip
TEXTS = {
    "NUL": "ab\0c", "control characters": "a\r\nb\x1b[2J\x7f\x85", "no character": "\ufffe\uffff",
    "overlong": "x" * 200_000, "digits": "9" * 5000, "other digits": "²٣", "right to left": "\u202eabc",
    "last moment": "9999-12-31T23:59:59", "first moment": "0001-01-01T00:00:00", "no date": "9999-99-99",
    "quotes": "'\"><script>{{7*7}}{%", "list": "[[[[", "line": "a," * 70_000, "spaces": "\u2003\u200b",
}  # fmt: skip
SECONDS, KILOBYTES = 1.0, 50 * 1024
SHARES = 1 if os.environ.get("STICHKAMPF_WRONG_INPUT") == "all" else 8
"""Each form gets an eighth of the wrong texts; `make nightly` posts all of them to all."""
ENDS_THE_SESSION = re.compile(r"logout|delete|/leave|revoke|sessions")


@dataclass
class FoundForm:
    """A form of a page.

    :ivar fields: what it sends as it stands.
    :ivar numbers: the names of its fields for numbers.
    :ivar files: the names of its fields for files.
    :ivar buttons: their values by name.
    """

    page: str
    action: str
    method: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    buttons: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return self.action or self.page


class FormFinder(HTMLParser):
    """Collects the forms of a page with the values that they would send."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page, self.found, self._select, self._area = page, [], "", ""

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        name, value = given.get("name") or "", given.get("value") or ""
        if tag == "form":
            action = "" if (given.get("action") or ".") == "." else given["action"]
            self.found.append(FoundForm(self.page, action, (given.get("method") or "get").lower()))
        if not self.found or "disabled" in given:
            return
        form = self.found[-1]
        if tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in form.fields):
            form.fields[self._select] = [value]
        elif tag == "textarea" and name:
            self._area = name
            form.fields[name] = [""]
            form.texts.append(name)
        elif tag in ("input", "button") and name:
            kind = given.get("type", "text")
            if kind == "file":
                form.files.append(name)
            elif kind in ("checkbox", "radio"):
                if "checked" in given or (kind == "radio" and name not in form.fields):
                    form.fields[name] = [value or "on"]
            elif kind == "submit" or tag == "button":
                form.buttons[name] = value
            else:
                form.fields[name] = [value]
                if kind == "number" or given.get("inputmode") in ("numeric", "decimal"):
                    form.numbers.append(name)
                elif kind != "hidden":
                    form.texts.append(name)

    def handle_endtag(self, tag):
        if tag == "select":
            self._select = ""
        elif tag == "textarea":
            self._area = ""

    def handle_data(self, data):
        if self._area and self.found:
            self.found[-1].fields[self._area] = [self.found[-1].fields[self._area][0] + data]


@pytest.fixture
def owner(person, make_tournament, play_out, client):
    """Somebody who may do everything, with one of everything; signed in."""
    owner = person("ann", is_staff=True, is_superuser=True)
    played = play_out(make_tournament(blocks=2))
    ratings.publish(ladder=played.ladder)
    make_tournament(name="Draft", created_by=owner)
    make_tournament(name="Open", created_by=owner, entry="anybody", published=True)
    create_remote_version(owner=owner, slug="karl", games=["sticheln"])
    create_token(owner=owner, name="laptop")
    create_class(teacher=owner, name="10b", games=["stiche-raten"], names=[ListedName("Ada")], key=new_key())
    client.force_login(owner)
    client.raise_request_exception = False
    return owner


def values(owner):
    table = Table.objects.order_by("pk").first()
    school_class = SchoolClass.objects.get()
    return {
        "bots": "karl", "vs": "thumb", "tournaments": "open", "games": "mue", "docs": "api", "author": "ann",
        "ladders": table.block.tournament.ladder.slug, "r": table.pk, "tables": table.pk,
        "blocks": table.block_id, "submissions": owner.bots.get().versions.get().submission.pk,
        "tokens": owner.api_tokens.get().pk, "classes": school_class.pk,
        "people": school_class.pupils.get().pk,
    }  # fmt: skip


def routes(patterns, before=""):
    for each in patterns:
        route = before + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        else:
            yield route


def pages_of_the_site(owner):
    known = values(owner)

    def fill(match):
        return f"{match['word']}/{known.get(match['word'], 1)}"

    for route in routes(get_resolver().url_patterns):
        if not route.startswith(("api/", "admin/")) and "logout" not in route and "(" not in route:
            yield "/" + re.sub(r"(?P<word>[\w-]*)/<(\w+:)?\w+>", fill, route)


def pages_of_the_administration():
    for model in administration._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{name}_changelist")
        yield reverse(f"{name}_add")
        for row in model._default_manager.order_by("-pk")[:2]:
            yield reverse(f"{name}_change", args=[row.pk])


def forms_of(client, pages):
    """Return the forms of these pages that are sent by POST, each with another address or fields once."""
    found = {}
    for page in pages:
        answer = client.get(page)
        assert answer.status_code < 500, page
        if answer.status_code == 200 and not answer.streaming and "html" in answer["Content-Type"]:
            finder = FormFinder(page)
            finder.feed(answer.text)
            for form in finder.found:
                if form.method == "post" and not ENDS_THE_SESSION.search(form.address):
                    found.setdefault((form.address, *sorted(form.fields), *form.files), form)
    return list(found.values())


def post(client, owner, form, changed, **more):
    """Post a form, and see that it costs little; undo all that it has done."""
    pressed = "_save" if "_save" in form.buttons else next(iter(form.buttons), None)
    data = {**form.fields, **({pressed: [form.buttons[pressed]]} if pressed else {}), **changed}
    if SESSION_KEY not in client.session:
        client.force_login(owner)
    began, memory = process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with transaction.atomic():
        answer = client.post(form.address, data, **more)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    took, more_memory = process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    return answer, took, more_memory


AREAS = {"site": pages_of_the_site, "administration": lambda owner: pages_of_the_administration()}


def wrong_fields(answer):
    """Return the names of the fields under which the page of an answer has errors."""
    found = set()
    for context in answer.context or ():
        for value in context.flatten().values():
            for each in value if isinstance(value, list | tuple) else [value]:
                found |= set(getattr(getattr(each, "form", each), "errors", None) or ())
    return found


@pytest.mark.parametrize("area", AREAS)
def test_a_number_beyond_its_bounds_is_refused_under_its_field_on_every_form(client, owner, area):
    wrong, tried = [], set()
    for form in forms_of(client, AREAS[area](owner)):
        for name in form.numbers:
            if (name, *form.numbers) in tried:
                continue
            tried.add((name, *form.numbers))
            for label, value in NUMBERS.items():
                answer, took, memory = post(client, owner, form, {name: [value]})
                refused = answer.status_code in (200, 422) and name in wrong_fields(answer)
                if not (refused or label == "zero") or took > SECONDS or memory > KILOBYTES:
                    wrong.append((form.address, name, label, answer.status_code, took, memory))
    assert (wrong, bool(tried)) == ([], True)


@pytest.mark.parametrize("area", AREAS)
def test_no_text_in_a_form_is_an_error_of_the_server(client, owner, area):
    wrong = []
    for turn, form in enumerate(forms_of(client, AREAS[area](owner))):
        names = [name for name in form.fields if name not in ("csrfmiddlewaretoken", "action")]
        for label, value in list(TEXTS.items())[turn % SHARES :: SHARES]:
            answer, took, _ = post(client, owner, form, {name: [value] for name in names})
            if answer.status_code >= 500 or took > SECONDS:
                wrong.append((form.address, label, answer.status_code, took))
    assert wrong == []


@pytest.mark.parametrize("options", ["9" * 5000, "[" * 50_000, '{"length": 1e999}', "{" + '"a":{' * 20_000])
def test_options_that_json_cannot_hold_are_refused_under_their_field(client, owner, options):
    (form,) = [
        found
        for found in forms_of(client, ["/admin/tournaments/tournament/add/"])
        if "options" in found.fields
    ]
    answer, *_ = post(client, owner, form, {"options": [options]})
    assert answer.status_code == 200
    assert answer.context["adminform"].form.errors["options"]
