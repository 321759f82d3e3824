"""The form on which organisers set up a tournament."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.core.exceptions import ValidationError
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import Refused
from stichkampf_platform.tournaments.formats import FORMATS, names_first
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed

MAY_NOT_PLAY = {
    "invalid_choice": "A version that was chosen here is deleted, suspended or not approved. Choose again."
}


class TournamentForm(forms.ModelForm):
    """A form that shows all errors at once, each under its field, and saves nothing before there are none."""

    game = forms.ChoiceField(choices=lambda: [(name, game.title) for name, game in GAMES.items()])
    options = forms.JSONField(
        required=False,
        initial=dict,
        help_text='As JSON, such as {"length": "deals:4"}; what is missing takes its default.',
    )
    format = forms.ChoiceField(choices=lambda: [(name, format.title) for name, format in FORMATS.items()])
    entrants = forms.ModelMultipleChoiceField(
        Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner"),
        required=False,
        help_text="The versions that play; each must be approved and play the game.",
        error_messages=MAY_NOT_PLAY,
    )
    more_entrants = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="A list to import, best seed first: on each line a bot, and after a comma its version; "
        "without one the bot's ranked version.",
    )

    first = forms.ModelChoiceField(
        Version.objects.filter(state=Version.State.APPROVED).select_related("bot__owner"),
        required=False,
        label="First entrant",
        help_text="The challenger of a gauntlet, or the new version of a regression test.",
        error_messages=MAY_NOT_PLAY,
    )

    class Meta:
        model = Tournament
        fields = [
            "name", "slug", "game", "seats", "options", "format", "stopping", "blocks_planned",
            "rounds", "rated",
            "published", "starts_at", "move_seconds", "bank_seconds", "cap_seconds", "fault_allowance",
        ]  # fmt: skip

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.places: dict[int, int] = {}
        if self.instance.pk:
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

    def clean(self) -> dict:
        cleaned = super().clean()
        if not any(cleaned.get(name) or name in self.errors for name in ("entrants", "more_entrants")):
            self.add_error("entrants", "Choose who plays, or import a list.")
        wants_first = names_first(cleaned.get("format"))
        if wants_first and not cleaned.get("first") and "first" not in self.errors:
            self.add_error("first", "This format needs to know which entrant is the first.")
        if cleaned.get("first") and not wants_first:
            self.add_error("first", "In this format no entrant is the first; leave this empty.")
        return cleaned

    def clean_options(self) -> dict:
        options = self.cleaned_data["options"] or {}
        if not isinstance(options, dict):
            raise ValidationError('Options are a JSON object, such as {"length": "deals:4"}.')
        return options

    def _post_clean(self) -> None:
        super()._post_clean()
        self._ask(
            lambda unparsed_fields: lifecycle.check_settings(self.instance, unparsed_fields=unparsed_fields)
        )
        self._ask(
            lambda unparsed_fields: lifecycle.check_entrants(
                self.instance, self.versions, unparsed_fields=unparsed_fields
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
