"""Every number has a bound: each numeric field of operations and forms, as the program itself lists them."""

import json
import re
import resource
from time import process_time

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from stichkampf_platform.desk.tournaments.form import form_for
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.forms import TournamentForm

pytestmark = pytest.mark.slow

HOSTILE = {
    "zero": "0", "minus one": "-1", "32 bits": str(2**31), "64 bits": str(2**63 - 1), "huge": str(10**30),
    "infinite": "1e999", "no number": "NaN", "a million": "1000000", "just too many": "10001",
}  # fmt: skip
SECONDS, KILOBYTES = 1.0, 50 * 1024
MAKE = "/api/v1/organiser/tournaments/"


def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def resolved(part, whole):
    while "$ref" in part or "allOf" in part or "oneOf" in part:
        if "$ref" in part:
            part = whole["components"]["schemas"][part["$ref"].rpartition("/")[2]]
        else:
            part = {**part, **resolved((part.get("allOf") or part.get("oneOf"))[0], whole)}
            part.pop("allOf", None)
            part.pop("oneOf", None)
    return part


def is_number(part):
    return part.get("type") in ("integer", "number")


def operations():
    """Yield path, method, the fields that the operation takes as JSON, and its numeric parameters."""
    whole = schema()
    for path, methods in whole["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {}).get("content", {})
            body = resolved(content.get("application/json", {}).get("schema", {}), whole)
            parts = {name: resolved(part, whole) for name, part in body.get("properties", {}).items()}
            fields = {name: part for name, part in parts.items() if not part.get("readOnly")}
            numbers = [each for each in operation.get("parameters", []) if is_number(each["schema"])]
            yield path, method, fields, numbers


def sample(part):
    kinds = {"string": "thumb", "integer": 1, "number": 1, "boolean": True, "array": ["thumb"], "object": {}}
    return (part.get("enum") or [kinds.get(part.get("type", "string"), "thumb")])[0]


def filled(path):
    """Fill in the parts of an address with names that exist."""
    return re.sub(r"\{.*?\}", "1", path.replace("{slug}", "numbers").replace("{author}", "olga"))


@pytest.fixture
def organiser(client, person, house):
    """Headers of a superuser's token for organisers, and a draft of theirs."""
    olga = person("olga", is_staff=True, is_superuser=True)
    _, text = create_token(owner=olga, name="numbers", scope="organiser")
    headers = {"authorization": f"Bearer {text}"}
    client.raise_request_exception = False
    made = client.post(MAKE, settings(), content_type="application/json", headers=headers)
    assert made.status_code == 201, made.json()
    return client, headers


def settings(**more):
    return {
        "name": "Numbers", "game": "stiche-raten", "seats": 3, "options": {"length": "deals:1"},
        "format": "round-robin", "blocks_planned": 2, "entrants": ["thumb", "random", "timid"], **more,
    }  # fmt: skip


def send(client, method, path, body, headers):
    """Send a body as it stands; return status and answer, and see that it costs little."""
    began, memory = process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = client.generic(method.upper(), path, body, "application/json", headers=headers)
    if answer.streaming:
        b"".join(answer)
    assert process_time() - began < SECONDS, (method, path, body)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory <= KILOBYTES, (method, path, body)
    assert answer.status_code < 500, (method, path, body, answer.content[:300])
    return answer


def test_every_number_that_the_api_takes_has_bounds_in_its_description():
    unbounded = [
        f"{method} {path} {name}"
        for path, method, fields, numbers in operations()
        for name, part in [*fields.items(), *((each["name"], each["schema"]) for each in numbers)]
        if is_number(part) and not ("minimum" in part and "maximum" in part)
    ]
    assert unbounded == []


def test_no_number_in_a_body_is_too_much_for_an_operation(organiser):
    client, headers = organiser
    for path, method, fields, _ in operations():
        for name in (name for name, part in fields.items() if is_number(part)):
            address = filled(path)
            fine = settings() if path == MAKE else {other: sample(part) for other, part in fields.items()}
            for label, value in HOSTILE.items():
                rest = json.dumps({other: given for other, given in fine.items() if other != name})[1:-1]
                body = f'{{"{name}": {value}{", " if rest else ""}{rest}}}'
                answer = send(client, method, address, body, headers)
                low, high = fields[name]["minimum"], fields[name]["maximum"]
                if label in ("infinite", "no number") or not low <= float(value) <= high:
                    assert 400 <= answer.status_code < 500, (method, address, body)
                    assert answer["Content-Type"] == "application/json"


def test_no_number_in_an_address_is_too_much_for_an_operation(organiser):
    client, headers = organiser
    for path, method, _, numbers in operations():
        for number in numbers:
            for value in HOSTILE.values():
                named = f"{{{number['name']}}}"
                query = f"?{number['name']}={value}" if number["in"] == "query" else ""
                address = filled(path if query else path.replace(named, value))
                send(client, method, address + query, b"{}" if method != "get" else b"", headers)


@pytest.mark.parametrize(
    "option", ["deals:10001", "deals:1000000", "points:1000000000", "deals:0", "deals:-1"]
)
def test_options_have_bounds_as_other_numbers_have(organiser, option):
    client, headers = organiser
    body = json.dumps(settings(game="sticheln", options={"length": option}))
    answer = send(client, "post", MAKE, body, headers)
    assert (answer.status_code, "from 1 to 10000" in answer.json()["options"][0]) == (400, True)
    body = json.dumps(settings(game="mue", seats=4, options={"max_deals": 10**30}))
    assert "from 1 to 10000" in send(client, "post", MAKE, body, headers).json()["options"][0]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "regression", "swiss", "knock-out"])
def test_a_plan_that_is_too_large_is_refused_by_arithmetic_in_every_format(organiser, format):
    client, headers = organiser
    fields = settings(
        name="Large", format=format, blocks_planned=10_000, rounds=100 if format == "swiss" else None
    )
    fields |= {"entrants": ["thumb", "random", "timid", "bold", "glimpse", "flat"], "rated": False}
    if format == "regression":
        fields |= {
            "entrants": ["thumb", "random"],
            "stopping": "decided",
            "options": {"length": "deals:10000"},
        }
    for blocks in (10_000, 10_001, 10**8):
        answer = send(client, "post", MAKE, json.dumps({**fields, "blocks_planned": blocks}), headers)
        if answer.status_code == 201:  # ten thousand blocks of few tables are allowed, and drawn by a worker
            assert blocks == 10_000
            Tournament.objects.filter(slug=answer.json()["slug"]).delete()
        else:
            assert {"blocks_planned", "options"} & answer.json().keys(), answer.json()


def numeric_fields():
    """Yield form and field of every numeric field of every form there is, those of the administration too."""
    get_resolver().url_patterns  # noqa: B018  loads the modules of all views
    found, waiting = set(), [forms.Form, forms.ModelForm]
    while waiting:
        waiting += (more := waiting.pop()).__subclasses__()
        found.add(more)
    for form in [*sorted(found, key=lambda form: form.__qualname__), form_for("mue", 4, None)]:
        if form.__module__.startswith("stichkampf"):
            fields = form().fields if issubclass(form, TournamentForm) else form.base_fields
            numbers = {name: field for name, field in fields.items() if isinstance(field, forms.IntegerField)}
            yield from ((form, name, field) for name, field in numbers.items())


def test_every_number_that_a_form_takes_has_bounds_and_refuses_what_lies_beyond(db, house):
    checked = 0
    for form, name, field in numeric_fields():
        assert None not in (field.min_value, field.max_value), f"{form.__name__}.{name}"
        for label, value in HOSTILE.items():
            number = label not in ("infinite", "no number")
            if not (number and field.min_value <= float(value) <= field.max_value):
                with pytest.raises(ValidationError):
                    field.clean(value)
        checked += 1
    assert checked > 5


def test_the_bounds_stand_under_the_fields(client, person, house):
    client.force_login(person(is_staff=True, is_superuser=True))
    page = client.get("/admin/tournaments/tournament/add/").text
    assert "From 1 to 10000." in page
    assert "From 0.05 to 600." in page
    german = client.get("/de/admin/tournaments/tournament/add/", follow=True).text
    assert "Von 0,05 bis 600." in german


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", "half a character \ud800"),
        ("name", "\udfff"),
        ("entrants", ["a" * 131_073]),
        ("entrants", ["\ud800"]),
        ("invited", ["b" * 200_000]),
        ("starts_at", "9999-12-31T23:59:59-12:00"),
        ("starts_at", "0001-01-01T00:00:00+14:00"),
        ("entry_until", "9999-12-31T23:59:59Z"),
        ("options", {"length": "deals:" + "9" * 5000}),
        ("options", {"\ud800": 1}),
        ("blocks_planned", "9" * 5000),
        ("move_seconds", "1e999"),
        ("time_zone", "../etc/passwd"),
    ],
    ids=lambda value: ascii(value)[:30],
)
@pytest.mark.parametrize("method", ["post", "patch"])
def test_a_value_that_no_library_takes_is_refused_under_its_field(organiser, method, field, value):
    client, headers = organiser
    address = MAKE if method == "post" else f"{MAKE}numbers/"
    fields = settings(entry="anybody") if method == "post" else {}
    answer = send(client, method, address, json.dumps({**fields, field: value}), headers)
    assert answer.status_code == 400
    assert field in answer.json(), answer.json()
    assert answer["Content-Type"] == "application/json"
