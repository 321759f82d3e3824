"""The page of the API: everything that the OpenAPI description names, and no link into nothing."""

from __future__ import annotations

import re

import pytest
from django.test import Client


@pytest.fixture
def description(client, db):
    return client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()


@pytest.fixture
def page(client, db):
    answer = client.get("/api/v1/docs/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_shows_every_address_method_and_shape_of_the_description(page, description):
    for path, methods in description["paths"].items():
        assert f"<code>{path}</code>" in page
        for told in methods.values():
            assert f'<h3 id="{told["operationId"]}">' in page
    for shape, told in description["components"]["schemas"].items():
        section = page.partition(f'<h3 id="shape-{shape}">')[2].partition("</section>")[0]
        missing = [field for field in told.get("properties", {}) if f"<code>{field}</code>" not in section]
        assert missing == [], shape


def test_every_link_within_the_page_has_its_place(page):
    places = re.findall(r' id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert {*re.findall(r'href="#([^"]+)"', page)} <= {*places}


def test_the_page_needs_no_script_or_style_of_its_own_and_nothing_from_outside(client, page):
    policy = client.get("/api/v1/docs/")["Content-Security-Policy"]
    assert policy == client.get("/games/")["Content-Security-Policy"]
    assert "https://" not in page.replace('"https://example.org"', "")


def test_the_page_has_one_address_and_no_switch_of_languages(client, page, db):
    assert client.get("/api/v1/docs/").content.decode() == page
    assert 'hreflang="' not in page
    assert 'action="/language/"' not in page
    assert Client().post("/api/v1/docs/").status_code == 405
