"""The names of models, their fields and their apps in the language of the administration.

Django makes them from the code, in English. The catalogue has their German with the context `administration`.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.apps import AppConfig, apps
from django.contrib import admin
from django.db.models import Model
from django.utils.translation import override, pgettext_lazy

CONTEXT = "administration"
OURS = "stichkampf_platform."
OTHERS = (
    "mfa.Authenticator",
    "socialaccount.SocialAccount",
    "socialaccount.SocialApp",
    "socialaccount.SocialToken",
)
"""Models of allauth, which has no German for some of their names."""
_told_here: set[str] = set()


def our_apps() -> list[AppConfig]:
    return [app for app in apps.get_app_configs() if app.name.startswith(OURS)]


def our_models() -> Iterator[type[Model]]:
    """Yield the models of the platform, without Django's own."""
    for app in our_apps():
        yield from app.get_models()


def shown_models() -> Iterator[type[Model]]:
    """Yield the models whose names and fields the administration shows, rows within forms included."""
    for model, page in admin.site._registry.items():
        yield model
        yield from (inline.model for inline in page.inlines)


def translate_names() -> None:
    """Have the names told in the language of the reader, but for those that are already.

    Migrations do not see it: they know a name only if the code gives one.
    """
    for app in our_apps():
        app.verbose_name = _told(app.verbose_name)
    for model in [*our_models(), *map(apps.get_model, OTHERS)]:
        options = model._meta
        if "verbose_name_plural" not in options.original_attrs and isinstance(options.verbose_name, str):
            options.verbose_name_plural = f"{options.verbose_name}s"
        options.verbose_name_plural = _told(options.verbose_name_plural)
        options.verbose_name = _told(options.verbose_name)
        for field in options.local_fields:
            field.verbose_name = _told(field.verbose_name)


def shown_names() -> set[str]:
    """Return those names, in English, that the administration shows and that no source marks as texts."""
    with override("en"):
        names = set()
        for model in our_models():
            options = model._meta  # permissions name every model
            names |= {str(options.verbose_name), str(options.app_config.verbose_name)}
        for model in shown_models():
            options = model._meta
            if options.label in OTHERS or options.app_config in our_apps():
                names.add(str(options.verbose_name))
                names.add(str(options.verbose_name_plural))
                names |= {str(field.verbose_name) for field in options.local_fields}
    return names & _told_here


def name_in_words(name: str) -> str:
    """Return the name of a field or model, in the language of the reader."""
    _told_here.add(name)
    told: str = pgettext_lazy(CONTEXT, name)
    return told


def _told(name: object) -> object:
    return name_in_words(name) if isinstance(name, str) else name
