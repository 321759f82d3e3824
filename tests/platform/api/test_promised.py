"""Promises of the API: its description changes only by additions."""

import json

from drf_spectacular.generators import SchemaGenerator
from golden.openapi import GOLDEN, kept, promised


def test_every_operation_and_schema_is_as_it_was_promised():
    described = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
    lines = map(json.loads, GOLDEN.read_text().splitlines())
    golden = {name: told for line in lines for name, told in line.items()}
    assert len(golden) > 200
    assert kept(golden, promised(described), "") == []


def test_what_is_taken_away_or_changed_is_told_and_an_addition_is_not():
    before = {"GET /a/": {"operationId": "a", "parameters": {"query q": {"schema": {"type": "string"}}}}}
    assert kept(before, {**before, "GET /b/": {}}, "") == []
    assert kept(before, {}, "") == ["/GET /a/"]
    other = {"GET /a/": {"operationId": "b", "parameters": {}}}
    assert sorted(kept(before, other, "")) == [
        "/GET /a//operationId: 'a', now 'b'", "/GET /a//parameters/query q"
    ]  # fmt: skip


def test_a_closed_set_of_values_that_loses_one_is_told():
    assert kept({"enum": ["one", "two"]}, {"enum": ["one"]}, "") == ["/enum: two"]
