"""The form on which organisers set up a tournament."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.formats import FORMATS, is_endless, names_first
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words
from stichkampf_platform.tournaments.organising.option_fields import (
    PREFIX,
    initial_values,
    option_fields,
    options_in,
)
from stichkampf_platform.tournaments.organising.presets import PRESETS

MAY_NOT_PLAY = {
    "invalid_choice": gettext_lazy(
        "A version that was chosen here is deleted, suspended or not approved. Choose again."
    )
}


CHOOSE, PRESET = "_choose", "_preset"
"""Buttons that save nothing: one shows options and estimate for what is filled in, one fills in more."""

BESIDE_THE_SIZE = {
    *("name", "slug", "description", "starts_at", "published", "fault_allowance"),
    *("private", "entry", "entry_until", "places", "bots_each", "repeats", "invited", "with_code"),
}
"""Fields that may be wrong without harm to the estimate."""


TO_BE_LEFT_OUT = {"entry", "bots_each"}
"""Fields that have a default, also for programs that do not send them."""


class OptionsAsJSON(forms.JSONField):
    """A field that stays empty where nothing is given."""

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value) if value else ""


class TournamentForm(forms.ModelForm):
    """A form that shows all errors at once, each under its field, and saves nothing before there are none.

    The options of the game are fields of a subclass, see `form_for`.
    """

    game = forms.ChoiceField(choices=lambda: [(name, game.title) for name, game in GAMES.items()])
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
        help_text=gettext_lazy("The versions that play; each must be approved and play the game."),
        error_messages=MAY_NOT_PLAY,
    )
    more_entrants = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy(
            "A list to import, best seed first: on each line a bot, and after a comma its version; "
            "without one the bot's ranked version."
        ),
    )

    first = forms.ModelChoiceField(
        Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner"),
        required=False,
        label=gettext_lazy("First entrant"),
        help_text=gettext_lazy("The challenger of a gauntlet, or the new version of a regression test."),
        error_messages=MAY_NOT_PLAY,
    )

    invited = forms.CharField(
        required=False,
        label=gettext_lazy("Invited people"),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Names of accounts, on lines of their own or after commas."),
    )
    with_code = forms.BooleanField(
        required=False,
        label=gettext_lazy("It has a code"),
        help_text=gettext_lazy(
            "The new code appears at the top of this page. Anyone who enters it becomes a member."
        ),
    )

    class Meta:
        model = Tournament
        fields = [
            "name", "slug", "description", "game", "seats", "options", "format", "stopping", "blocks_planned",
            "rounds", "rated",
            "published", "private", "entry", "entry_until", "places", "bots_each", "starts_at", "repeats",
            "move_seconds", "bank_seconds", "cap_seconds", "fault_allowance",
        ]  # fmt: skip

    _errors: ErrorDict

    organiser: User | None = None
    """Whose tournament a new one is."""

    def __init__(self, data=None, *args, **kwargs) -> None:
        self.choosing = data is not None and (CHOOSE in data or PRESET in data)
        self.estimate = ""
        super().__init__(None if data is None else filled_in(data), *args, **kwargs)
        if self.instance.pk is None and self.organiser is not None:
            self.instance.created_by = self.organiser
        self.initial["options"] = None
        for name in TO_BE_LEFT_OUT & self.fields.keys():  # none of a tournament that can no longer be edited
            self.fields[name].required = False
        self.initial |= initial_values(self.instance.game, self.instance.seats or 0, self.instance.options)
        self.places: dict[int, int] = {}
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
        return list(dict.fromkeys([*named, *chosen]))

    def clean_more_entrants(self) -> list[Version]:
        try:
            return versions_listed(self.cleaned_data["more_entrants"])
        except Refused as error:
            raise ValidationError(str(error)) from error

    def clean_entry(self) -> str:
        return str(self.cleaned_data["entry"] or WhoEnters.ORGANISER)

    def clean_bots_each(self) -> int:
        given = self.cleaned_data["bots_each"]
        return 1 if given is None else given

    def clean_invited(self) -> list[User]:
        try:
            return membership.people_listed(self.cleaned_data["invited"])
        except Refused as error:
            raise ValidationError(str(error)) from error

    def is_valid(self) -> bool:
        """Tell whether it is right and is to be saved."""
        return super().is_valid() and not self.choosing

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and set(self._errors) <= BESIDE_THE_SIZE:
            self.estimate = estimate_in_words(self.instance, self.versions)
        if self.choosing:
            self._errors = ErrorDict()

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
        if cleaned.get("private") and cleaned.get("slug") and not self.instance.pk:
            cleaned["slug"] = membership.secret_slug(cleaned["slug"])

    def clean_options(self) -> dict:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise ValidationError(_('Options are a JSON object, such as {"length": "deals:4"}.'))
        return options

    def _post_clean(self) -> None:
        super()._post_clean()
        self._ask(
            lambda unparsed_fields: lifecycle.check_settings(self.instance, unparsed_fields=unparsed_fields)
        )
        self._ask(
            lambda unparsed_fields: lifecycle.check_entrants(
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


def form_for(game: str, seats: int, organiser: User | None) -> type[TournamentForm]:
    """Return the form with the options of a game as fields, for tournaments of an organiser."""
    fields = {**option_fields(game, seats), "organiser": organiser}
    return type("TournamentFormWithOptions", (TournamentForm,), fields)


def filled_in(data: QueryDict) -> QueryDict:
    """Return what was sent, with the fields of a preset where its button was pressed."""
    game = data.get("game", "")
    if game not in GAMES or not (CHOOSE in data or data.get(PRESET) in PRESETS):
        return data
    data = data.copy()
    if CHOOSE in data and data.get("seats") not in map(str, GAMES[game].players):
        data["seats"] = str(GAMES[game].main_ladder.seats)
    if data.get(PRESET) in PRESETS:
        for name in [name for name in data if name.startswith(f"{PREFIX}_")] + ["options"]:
            data.pop(name, None)
        for name, value in PRESETS[data[PRESET]].values(game).items():
            if value is False:
                data.pop(name, None)
            else:
                data[name] = "on" if value is True else str(value)
    return data
