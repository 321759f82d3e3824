"""Languages: that of an address, the choice that a visitor made, and the hints to search engines."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils.translation import override

pytestmark = pytest.mark.django_db

GERMAN_BROWSER = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(answer):
    return re.search(r'<html lang="(\w+)"', answer.content.decode())[1]


def test_english_pages_keep_their_addresses_and_german_ones_begin_with_de(client):
    for path, language in (
        ("/ladders/", "en"),
        ("/de/ladders/", "de"),
        ("/login/", "en"),
        ("/de/login/", "de"),
    ):
        answer = client.get(path, headers=GERMAN_BROWSER)
        assert (answer.status_code, language_of(answer)) == (200, language)
        assert answer["Content-Language"] == language
        assert "Accept-Language" not in answer.get("Vary", "")


def test_links_of_a_german_page_lead_to_german_pages(client):
    text = client.get("/de/").content.decode()
    links = set(re.findall(r'<a [^>]*href="(/[^"]*)"', text))
    assert "/de/ladders/" in links
    assert [link for link in links if not link.startswith(("/de/", "/api/"))] == []


def test_only_the_front_page_follows_the_browser(client):
    answer = client.get("/", headers=GERMAN_BROWSER)
    assert (answer.status_code, answer["Location"]) == (302, "/de/")
    for page in (answer, client.get("/", headers={"accept-language": "en"}), client.get("/")):
        assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))
    assert language_of(client.get("/", headers={"accept-language": "fr, en;q=0.1"})) == "en"


@pytest.mark.parametrize(
    ("page", "language", "same"),
    [
        ("/ladders/", "de", "/de/ladders/"),
        ("/de/bots/?q=karl", "en", "/bots/?q=karl"),
        ("/", "de", "/de/"),
        ("/de/", "en", "/"),
        ("/admin/", "de", "/admin/"),
        ("//evil.example/", "de", "/de//evil.example/"),
        ("/de//evil.example/", "en", "/"),
        ("https://evil.example/", "en", "/"),
    ],
)
def test_the_switch_leads_to_the_same_page_in_the_other_language(client, page, language, same):
    answer = client.post("/language/", {"language": language, "next": page})
    assert (answer.status_code, answer["Location"]) == (302, same)
    assert answer.cookies["language"].value == language


def test_a_choice_is_remembered(client):
    client.post("/language/", {"language": "en", "next": "/de/"})
    assert language_of(client.get("/", headers=GERMAN_BROWSER)) == "en"
    client.post("/language/", {"language": "de", "next": "/"})
    assert client.get("/", headers={"accept-language": "en"})["Location"] == "/de/"
    assert language_of(client.get("/ladders/")) == "en"
    assert language_of(client.get("/admin/login/")) == "de"


def test_the_administration_has_an_address_below_the_german_pages(client):
    answer = client.get("/de/admin/login/?next=/admin/bots/")
    assert (answer.status_code, answer["Location"]) == (302, "/admin/login/?next=/admin/bots/")
    assert language_of(client.get(answer["Location"])) == "de"


@pytest.mark.parametrize(
    ("headers", "language"),
    [
        ({"referer": "http://testserver/de/account/"}, "de"),
        ({"referer": "http://testserver/account/"}, "en"),
        ({"referer": "http://elsewhere.example/de/account/"}, "en"),
        (GERMAN_BROWSER, "de"),
        ({"accept-language": "fr"}, "en"),
    ],
)
def test_the_administration_keeps_the_language_of_the_page_that_led_to_it(client, headers, language):
    assert language_of(client.get("/admin/login/", headers=headers)) == language
    remembered = "accept-language" not in headers
    assert language_of(client.get("/admin/login/")) == (language if remembered else "en")


def test_a_choice_goes_before_the_page_that_led_to_the_administration(client):
    client.post("/language/", {"language": "en", "next": "/"})
    german = {**GERMAN_BROWSER, "referer": "http://testserver/de/account/"}
    assert language_of(client.get("/admin/login/", headers=german)) == "en"


def test_a_language_that_does_not_exist_is_named(client):
    answer = client.post("/language/", {"language": "xx"})
    assert answer.status_code == 404
    assert "There is no language &#x27;xx&#x27;; choose en or de." in answer.content.decode()


def test_the_switch_stands_on_the_page_with_its_present_address(client):
    text = client.get("/ladders/?all=1").content.decode()
    assert '<input type="hidden" name="next" value="/ladders/?all=1">' in text
    assert re.search(r'<button[^>]*\sname="language"\s+value="de"\s+lang="de"', text)


def test_a_page_names_its_address_in_each_language(client):
    for path in ("/ladders/", "/de/ladders/"):
        text = client.get(path).content.decode()
        assert f'<link rel="canonical" href="http://testserver{path}">' in text
        found = dict(re.findall(r'<link rel="alternate" hreflang="([\w-]+)" href="([^"]+)">', text))
        english, german = "http://testserver/ladders/", "http://testserver/de/ladders/"
        assert found == {"en": english, "de": german, "x-default": english}


def test_the_site_map_has_every_page_in_both_languages(client):
    text = client.get("/sitemap-pages.xml").content.decode()
    assert "<loc>http://testserver/de/ladders/</loc>" in text
    assert 'hreflang="de" href="http://testserver/de/ladders/"' in text
    assert "Disallow: /de/account/" in client.get("/robots.txt").content.decode()


def test_the_api_is_english_whatever_the_browser_and_the_choice(client, house):
    client.post("/language/", {"language": "de", "next": "/"})
    answer = client.get("/api/v1/bots/", headers=GERMAN_BROWSER).json()
    assert {bot["page"].split("/")[1] for bot in answer["results"]} == {"bots"}
    assert (
        client.get("/api/v1/nowhere/", headers=GERMAN_BROWSER)
        .json()["detail"]
        .startswith("There is no address")
    )


def test_files_have_one_address_in_all_languages(client):
    with override("de"):
        assert reverse("files:record", args=[1]) == "/r/1/record.json"
        assert reverse("web:ladders") == "/de/ladders/"
    assert client.get("/health/").status_code == 200
    assert client.get("/de/robots.txt").status_code == 404
