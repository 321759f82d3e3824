"""The administration in German: its lists and forms have no English left that is ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from zoneinfo import available_timezones

import django.contrib.admin
import pytest
from django.conf import settings
from django.contrib import admin
from django.test import RequestFactory
from django.utils.translation import override
from english import english_in
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.desk.model_names import OTHERS, our_models, shown_models
from stichkampf_platform.tournaments.organising.rulings import clone

SCRIPTS = Path(django.contrib.admin.__file__).parent / "static" / "admin" / "js"
TEXT_OF_A_SCRIPT = re.compile(r"""(?<!p)gettext\(\s*(['"])((?:(?!\1).)+)\1""")
HEAD = re.compile(r"<(th(?= scope=.col)|label|h[1-4]|legend|summary|button)\b[^>]*>(.*?)</\1>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
SAME_IN_BOTH = {
    "Name", "Bot", "Bots", "Version", "Elo", "95%", "Block", "Format", "Filter", "Status", "Export", "ID",
    "SHA-256", "Token", "UID", "Person", "Arbiter", "Provider", "Teachers",
}  # fmt: skip


def heads(page):
    """The words of heads, labels and buttons."""
    found = {" ".join(TAG.sub(" ", text).split()).rstrip(":") for _, text in HEAD.findall(page)}
    return {text for text in found if re.search("[A-Za-z]{3}", text)}


def german(text):
    with override("de"):
        return str(text)


def test_every_name_of_a_registered_model_and_its_fields_has_its_german():
    shown = [model for model in shown_models() if model in {*our_models()} or model._meta.label in OTHERS]
    assert len(shown) > 20
    names = set()
    for model in shown:
        names |= {model._meta.verbose_name, model._meta.verbose_name_plural}
        names |= {field.verbose_name for field in model._meta.local_fields}
    assert {str(name) for name in names if str(name) == german(name)} <= {"ID", "SHA-256"}


def test_every_text_that_a_list_of_the_administration_asks_for_has_its_german():
    english, translated = {}, {}
    for page in admin.site._registry.values():
        for row in getattr(page, "rows", {}).values():
            for name, need in row.needs.items():
                if need.kind is str:
                    field = page.action_form.base_fields[name]
                    english[page, name], translated[page, name] = str(field.label), german(field.label)
    assert len(english) > 5
    assert {asked: label for asked, label in translated.items() if label == english[asked]} == {}
    assert {label for label in english.values() if not label[0].isupper()} == set()


@pytest.mark.django_db
def test_pages_of_the_administration_have_no_english_left(admin_client, admin_user, played):
    """Headings, labels, cells, buttons, hints and what is read aloud; names and what was typed aside."""
    whole = played.whole("stiche-raten", 3, blocks=2, options={"length": "deals:1"})
    draft = clone(tournament=whole, by=admin_user)
    admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    request = RequestFactory().get("/admin/")
    request.user = admin_user
    tournaments = "/admin/tournaments/tournament"
    pages = ["/admin/", "/admin/operations/", f"{tournaments}/{draft.pk}/delete/", "/admin/password_change/"]
    pages += [f"{tournaments}/{each.pk}/{page}/" for each in (whole, draft) for page in ("change", "history")]
    for page in admin.site._registry.values():
        here = f"/admin/{page.opts.app_label}/{page.opts.model_name}/"
        last = page.get_queryset(request).order_by("pk").last()
        pages += [here, *([] if last is None else [f"{here}{last.pk}/change/"])]
        pages += [f"{here}add/"] * page.has_add_permission(request)
    assert len(pages) > 50
    typed = [text for row in Bot.objects.values_list("slug", "description") for text in row if text]
    zones = [zone.replace("_", " ") for zone in available_timezones() if "_" in zone]
    names = [*typed, *zones, whole.name, whole.slug, whole.ladder.slug, draft.name, "von Hand", "deals:"]
    left, same = {}, {}
    for address in pages:
        answer = admin_client.get(address)
        assert answer.status_code == 200, address
        left[address] = english_in(answer.content.decode(), names)
        admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
        english = heads(admin_client.get(address).content.decode())
        admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
        same[address] = english & heads(answer.content.decode()) - SAME_IN_BOTH
    assert {address: texts for address, texts in left.items() if texts} == {}
    data = [whole.name, whole.ladder.slug, *Bot.objects.values_list("slug", flat=True), "house"]
    known = re.compile("|".join(re.escape(name) for name in data))
    assert {text for texts in same.values() for text in texts if not known.match(text)} == set()


def test_texts_of_the_scripts_of_the_administration_have_their_german(admin_client):
    admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    script = admin_client.get("/admin/jsi18n/").content.decode()
    catalogue = json.loads(re.search(r"const newcatalog = (\{.*?\});", script, re.DOTALL)[1])
    texts = {
        text for path in SCRIPTS.glob("*.js") for _, text in TEXT_OF_A_SCRIPT.findall(path.read_text("utf-8"))
    }
    assert len(texts) > 20
    assert {text for text in texts if not catalogue.get(text)} == set()
