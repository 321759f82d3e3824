"""The administration in German: its lists and forms have no English left that is ours."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import RequestFactory
from django.utils.translation import override
from stichkampf_platform.desk.model_names import our_models

ENGLISH = re.compile(
    r"\b(?:the|of|with|are|not|yet|for|from|this|that|has|have|when|seats?|deals?|tricks?|tables?|scores?|ranks?"
    r"|faults?|matches|ladders?|rules?|games?|decisions?|versions|entrants?|submissions?|points|rated|owner)\b"
)


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


@pytest.mark.django_db
def test_lists_and_forms_have_no_english_left(admin_client, admin_user, played):
    ladder = played.whole("stiche-raten", 3, blocks=2, options={"length": "deals:1"}).ladder
    admin_client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    request = RequestFactory().get("/admin/")
    request.user = admin_user
    pages = ["/admin/", "/admin/operations/"]
    for model, page in admin.site._registry.items():
        if not model.__module__.startswith("stichkampf_platform."):
            continue
        here = f"/admin/{page.opts.app_label}/{page.opts.model_name}/"
        last = page.get_queryset(request).order_by("pk").last()
        pages += [here] if last is None else [here, f"{here}{last.pk}/change/"]
    assert len(pages) > 30
    left = {}
    for address in pages:
        answer = admin_client.get(address)
        assert answer.status_code == 200, address
        labels = re.findall(
            r"<(?:label|th|h1|h2|h3|legend|caption)\b[^>]*>(.*?)</", answer.content.decode(), re.DOTALL
        )
        texts = [" ".join(re.sub(r"<[^>]+>", " ", label).split()) for label in labels]
        left[address] = [text for text in texts if ENGLISH.search(text.replace(ladder.slug, ""))]
    assert {address: texts for address, texts in left.items() if texts} == {}
