"""The form with which authors ask for an experiment, made of the row of its kind."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.actions import Need
from stichkampf_platform.core.errors import NeedsYes
from stichkampf_platform.experiments.beginning import BEGIN, OtherVersion
from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.people.models import User


class ExperimentForm(forms.Form):
    """A version that may play, and what the row of the kind needs."""

    version = forms.ModelChoiceField(Version.objects.none(), label=_("Your version"))
    field_order = ("version", "opponents", "also", "against", "game", "blocks")

    def __init__(self, kind: str, *args: object, owner: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs, auto_id=f"{kind}_%s")
        self.kind = kind
        self.owner = owner
        own = Version.objects.filter(bot__owner=owner, remote=False).select_related("bot__owner")
        self.own = own.order_by("bot__slug", "-number")
        self.fields["version"].queryset = self.own.filter(state=Version.State.APPROVED)
        for name, need in BEGIN[kind].needs.items():
            if need.label:
                self.fields[name] = self._field(name, need)
        self.order_fields(self.field_order)

    def _field(self, name: str, need: Need) -> forms.Field:
        said = {"label": need.label, "help_text": need.note, "required": need.default != []}
        if isinstance(need, OtherVersion):
            return forms.ModelChoiceField(self.own, **said)
        if isinstance(need.of, OtherVersion):
            return forms.ModelMultipleChoiceField(self.fields["version"].queryset, **said)
        if need.kind is int:
            return forms.IntegerField(min_value=need.least, max_value=need.most, initial=need.default, **said)
        if name == "game":
            return forms.ChoiceField(choices=[(slug, game.title) for slug, game in GAMES.items()], **said)
        plain = forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"})
        return forms.CharField(max_length=400, widget=plain, **said)

    def clean_opponents(self) -> list[str]:
        names: str = self.cleaned_data["opponents"]
        return names.replace(",", " ").split()

    def clean(self) -> dict[str, object]:
        """Read the yes to a question that only a refusal asks."""
        return {**(super().clean() or {}), "same_program": "same_program" in self.data}

    def begin(self) -> Experiment | None:
        """Return the experiment; `None`, with the reason in the form, if it is refused."""
        try:
            asked = dict(self.cleaned_data)
            begun: Experiment = BEGIN[self.kind].do(asked.pop("version"), self.owner, **asked)
            return begun
        except NeedsYes as error:
            self.add_error(None, str(error))
            self.fields["same_program"] = forms.BooleanField(label=_("Play it all the same"), required=False)
        except StichkampfError as error:
            self.add_error(None, capfirst(str(error)))
        except ValidationError as error:
            self.add_error(None, error.messages)
        return None
