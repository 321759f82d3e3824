"""The forms with which authors ask for challenges, comparisons and counterfactual seats."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import NeedsYes
from stichkampf_platform.experiments.beginning import BEGIN
from stichkampf_platform.experiments.models import Experiment, ExperimentKind
from stichkampf_platform.people.models import User


class OwnVersionForm(forms.Form):
    """The base of these forms: a version that may play, a game, and a number of blocks."""

    kind = ""

    version = forms.ModelChoiceField(Version.objects.none(), label=_("Your version"))
    game = forms.ChoiceField(label=_("Game"), choices=[(slug, game.title) for slug, game in GAMES.items()])

    def __init__(self, *args: object, owner: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner
        own = Version.objects.filter(bot__owner=owner, remote=False).select_related("bot__owner")
        self.own = own.order_by("bot__slug", "-number")
        self.fields["version"].queryset = self.own.filter(state=Version.State.APPROVED)

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


def _blocks(kind: str, label: object, note: object = "") -> forms.IntegerField:
    need = BEGIN[kind].needs["blocks"]
    return forms.IntegerField(
        label=label, min_value=need.least, max_value=need.most, initial=need.default, help_text=note
    )


class ChallengeForm(OwnVersionForm):
    kind = str(ExperimentKind.CHALLENGE)
    opponents = forms.CharField(
        label=_("Opponents"),
        max_length=400,
        help_text=_(
            "Such as thumb, or bob/otto with its author; several with spaces between them. Copies of one"
            " opponent and of your bot fill the table; more opponents have a seat each."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )
    blocks = _blocks(kind, _("Blocks"))

    field_order = ("version", "opponents", "game", "blocks")

    def clean_opponents(self) -> list[str]:
        names: str = self.cleaned_data["opponents"]
        return names.replace(",", " ").split()


class TwoVersionsForm(OwnVersionForm):
    """The base of the forms with two versions of a bot."""

    against = forms.ModelChoiceField(Version.objects.none(), label=_("Another version of the bot"))

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["against"].queryset = self.own


class ComparisonForm(TwoVersionsForm):
    kind = str(ExperimentKind.COMPARISON)
    also = forms.ModelMultipleChoiceField(
        Version.objects.none(),
        label=_("Further versions to test"),
        required=False,
        help_text=_("Against the same one, in the same test: those without a verdict play on."),
    )
    blocks = _blocks(
        kind,
        _("Mirrored pairs at most"),
        _("From 32 for each version. The test ends as soon as it has a verdict on each."),
    )
    field_order = ("version", "also", "against", "game", "blocks")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["also"].queryset = self.fields["version"].queryset


class CounterfactualForm(TwoVersionsForm):
    kind = str(ExperimentKind.COUNTERFACTUAL)
    blocks = _blocks(kind, _("Past blocks at most"), _("The newest ones on the main ladder of the game."))
    field_order = ("version", "against", "game", "blocks")


FORMS: dict[str, type[OwnVersionForm]] = {
    form.kind: form for form in (ChallengeForm, ComparisonForm, CounterfactualForm)
}
"""By the kind of the experiment."""
