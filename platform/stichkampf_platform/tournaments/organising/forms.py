"""The form on which organisers set up a tournament."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import DatabaseError
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.entry.draft_checks import check_entrants, check_settings
from stichkampf_platform.tournaments.entry.local_times import UTC, zones
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS, SETTINGS, words_of
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.formats import FORMATS, is_endless, names_first
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import meanwhile
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed
from stichkampf_platform.tournaments.organising.option_values import (
    initial_values,
    options_in,
)
from stichkampf_platform.tournaments.organising.ruling_models import REASON_CHARACTERS

MAY_NOT_PLAY = {
    "invalid_choice": gettext_lazy(
        "A version that was chosen here is deleted, suspended or not approved. Choose again."
    )
}


DEADLINES = ("entry_until", "starts_at")
TO_BE_LEFT_OUT = {"entry", "bots_each", "time_zone", "beat", "reveal", "reveal_seconds"}
"""Fields that have a default, also for programs that do not send them."""


ERROR_CHARACTERS = 200

logger = logging.getLogger(__name__)


class TakenJSON(json.JSONDecoder):
    """Answers all that Python cannot read, such as a number of 5,000 digits, as text that is no JSON."""

    def decode(self, s: str, *places: Any) -> Any:
        try:
            return super().decode(s, *places)
        except json.JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error), s, 0) from None


class OptionsAsJSON(forms.JSONField):
    """A field that stays empty where nothing is given."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(decoder=TakenJSON, **settings)

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value) if value else ""


class TournamentForm(forms.ModelForm):
    """A form that shows all errors at once, each under its field, and saves nothing before there are none.

    The options of the game are fields of a subclass, which `desk.tournaments.form` makes.
    """

    game = forms.ChoiceField(
        label=capfirst(pgettext_lazy("administration", "game")),
        choices=lambda: [(name, game.title) for name, game in GAMES.items()],
    )
    options = OptionsAsJSON(
        required=False,
        label=gettext_lazy("Options as JSON"),
        help_text=gettext_lazy(
            'In place of the fields above, such as {"length": "deals:4"}; what is missing takes its default.'
        ),
    )
    format = forms.ChoiceField(choices=lambda: [(name, format.title) for name, format in FORMATS.items()])
    entrants = forms.ModelMultipleChoiceField(
        Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner"),
        required=False,
        error_messages=MAY_NOT_PLAY,
        **words_of("entrants"),
    )
    more_entrants = forms.CharField(required=False, **words_of("more_entrants"))
    time_zone = forms.ChoiceField(
        choices=lambda: [(name, name.replace("_", " ")) for name in zones()],
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy(
            "Start and deadline are given in it, and a series keeps its hour there in summer and winter."
        ),
        error_messages={
            "invalid_choice": gettext_lazy("There is no time zone %(value)s; give one such as Europe/Berlin.")
        },
    )
    first = forms.ModelChoiceField(
        Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner"),
        required=False,
        error_messages=MAY_NOT_PLAY,
        **words_of("first"),
    )
    invited = forms.CharField(required=False, **words_of("invited"))
    with_code = forms.BooleanField(required=False, **words_of("with_code"))
    reason = forms.CharField(
        required=False, max_length=REASON_CHARACTERS, validators=[one_line], **words_of("reason")
    )

    class Meta:
        model = Tournament
        fields = COLUMNS

    organiser: User | None = None
    """Whose tournament a new one is."""

    def __init__(self, data=None, *args, **kwargs) -> None:
        super().__init__(data, *args, **kwargs)
        if self.instance.pk is None and self.organiser is not None:
            self.instance.created_by = self.organiser
        for name, field in self.fields.items():
            row = SETTINGS.get(name)
            if row is None or row.most is None:
                continue
            field.help_text = f"{field.help_text} {row.bounds_in_words}".strip()
            field.min_value, field.max_value = row.least, row.most  # type: ignore[attr-defined]
            others = [one for one in field.validators if not isinstance(one, MinValueValidator)]
            field.validators = [*others, *row.of_column()["validators"]]
        self.initial["options"] = None
        for name in TO_BE_LEFT_OUT & self.fields.keys():  # none of a tournament that can no longer be edited
            self.fields[name].required = False
        self.initial |= initial_values(self.instance.game, self.instance.seats or 0, self.instance.options)
        self.places: dict[int, int] = {}
        self.before = meanwhile.values_of(self.instance) if self.instance.pk else {}
        if self.instance.pk:
            invited = self.instance.members.filter(by_code=False).select_related("person")
            self.fields["invited"].initial = "\n".join(member.person.username for member in invited)
            self.fields["with_code"].initial = bool(self.instance.code)
            self.places = {entrant.version_id: entrant.number for entrant in self.instance.entrants.all()}
            entered = sorted(self.places, key=lambda version: self.places[version])
            self.fields["entrants"].initial = entered
            if names_first(self.instance.format):
                self.fields["first"].initial = next(iter(entered), None)

    @property
    def versions(self) -> list[Version]:
        """The entrants, each once: the first, then the imported ones, then those chosen.

        Where one of these fields is wrong, those of the others.
        """
        first = self.cleaned_data.get("first")
        named = [*([first] if first else []), *self.cleaned_data.get("more_entrants", [])]
        chosen = sorted(
            self.cleaned_data.get("entrants", []),
            key=lambda version: self.places.get(version.pk, len(self.places)),
        )
        chosen = self.seeded(chosen)
        return list(dict.fromkeys([*named, *chosen]))

    def seeded(self, chosen: list[Version]) -> list[Version]:
        """Return the chosen versions in the order in which they are seeded."""
        return chosen

    def clean_more_entrants(self) -> list[Version]:
        try:
            return versions_listed(self.cleaned_data["more_entrants"])
        except RequestRefused as error:
            raise ValidationError(str(error)) from error

    @property
    def moves_deadline(self) -> bool:
        """True if authors may enter bots, and are to read another start or deadline than before."""
        if (
            self.before.get("entry", WhoEnters.ORGANISER) == WhoEnters.ORGANISER
            or not self.before["published"]
        ):
            return False
        now = meanwhile.settings_of(self.instance)
        return any(now[name] != self.before[name] for name in DEADLINES)

    def heed_others(self) -> None:
        """Look, once the fields are read, at what others have changed meanwhile."""

    def clean_time_zone(self) -> str:
        return str(self.cleaned_data["time_zone"] or UTC)

    def clean_entry(self) -> str:
        return self._or_usual("entry")

    def clean_bots_each(self) -> int:
        return self._or_usual("bots_each")

    def clean_beat(self) -> str:
        return self._or_usual("beat")

    def clean_reveal(self) -> str:
        return self._or_usual("reveal")

    def clean_reveal_seconds(self) -> int:
        return self._or_usual("reveal_seconds")

    def _or_usual(self, name: str) -> Any:
        given = self.cleaned_data[name]
        return SETTINGS[name].default if given in (None, "") else given

    def clean_invited(self) -> list[User]:
        try:
            return membership.people_listed(self.cleaned_data["invited"])
        except RequestRefused as error:
            raise ValidationError(str(error)) from error

    def _clean_fields(self) -> None:
        """Read every field; what a library raises below is about the value that it was given."""
        for name, bound in self._bound_items():
            try:
                self.cleaned_data[name] = bound.field._clean_bound_field(bound)
                if hasattr(self, f"clean_{name}"):
                    self.cleaned_data[name] = getattr(self, f"clean_{name}")()
            except ValidationError as error:
                self.add_error(name, error)
            except DatabaseError:
                raise
            except Exception as error:
                logger.info("%s cannot be read", name, exc_info=error)
                told = _("This cannot be read ({error}).").format(error=error)
                self.add_error(name, told[:ERROR_CHARACTERS])

    def full_clean(self) -> None:
        zone = self.data.get("time_zone") or self.instance.time_zone
        with timezone.override(zone if zone in zones() else UTC):  # of times that are given without one
            super().full_clean()

    def clean(self) -> dict:
        cleaned = super().clean()
        if cleaned.get("game") and "options" not in self.errors:
            chosen = options_in(cleaned["game"], cleaned)
            if chosen and cleaned.get("options"):
                self.add_error(
                    "options", _("Choose the options in the fields above or as JSON, not in both.")
                )
            else:
                cleaned["options"] = chosen or cleaned.get("options") or {}
        self._clean_members(cleaned)
        more_to_come = cleaned.get("entry") != WhoEnters.ORGANISER
        if (
            not more_to_come
            and not is_endless(cleaned.get("format", ""))
            and not any(cleaned.get(name) or name in self.errors for name in ("entrants", "more_entrants"))
        ):
            self.add_error("entrants", _("Choose who plays, or import a list."))
        wants_first = names_first(cleaned.get("format"))
        if wants_first and not cleaned.get("first") and "first" not in self.errors:
            self.add_error("first", _("This format needs to know which entrant is the first."))
        if cleaned.get("first") and not wants_first:
            self.add_error("first", _("In this format no entrant is the first; leave this empty."))
        return cleaned

    def _clean_members(self, cleaned: dict) -> None:
        """Check that there can be members where they are needed; keep the address of a private one secret."""
        members_only = cleaned.get("private") or cleaned.get("entry") == WhoEnters.MEMBERS
        none = not (cleaned.get("with_code") or cleaned.get("invited") or "invited" in self.errors)
        if members_only and none:
            self.add_error("invited", _("There are no members: invite people here, or let it have a code."))
        if cleaned.get("private") and cleaned.get("slug") and not self.initial.get("private"):
            cleaned["slug"] = membership.secret_slug(cleaned["slug"])

    def clean_options(self) -> dict:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise ValidationError(_('Options are a JSON object, such as {"length": "deals:4"}.'))
        return options

    def _post_clean(self) -> None:
        super()._post_clean()
        self._ask(lambda unparsed_fields: check_settings(self.instance, unparsed_fields=unparsed_fields))
        self.heed_others()
        if self.moves_deadline and not self.cleaned_data.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Authors reckon with the deadline: say why it is another."))
        self._ask(
            lambda unparsed_fields: check_entrants(
                self.instance,
                self.versions,
                more_to_come=self.instance.entry != WhoEnters.ORGANISER,
                invited=self.cleaned_data.get("invited", ()),
                unparsed_fields=unparsed_fields,
            )
        )

    def _ask(self, check: Callable[[set[str]], None]) -> None:
        unparsed_fields = set(self.errors)
        if unparsed_fields & {"first", "more_entrants"}:
            unparsed_fields.add("entrants")
        try:
            check(unparsed_fields)
        except ValidationError as error:
            self.add_error(None, error)
