"""The administration in German: its lists and forms have no English left that is ours."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import RequestFactory
from django.utils.translation import override
from english import english_in
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.desk.model_names import our_models
from stichkampf_platform.tournaments.organising.rulings import clone


def german(text):
    with override("de"):
        return str(text)


def test_every_name_of_a_registered_model_and_its_fields_has_its_german():
    shown = [model for model in our_models() if model in admin.site._registry]
    assert len(shown) > 15
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
    left = {}
    for address in pages:
        answer = admin_client.get(address)
        assert answer.status_code == 200, address
        left[address] = english_in(answer.content.decode(), names)
    assert {address: texts for address, texts in left.items() if texts} == {}
