"""The form of a tournament as a page: presets, options of the chosen game, estimate, changes of others."""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin.widgets import FilteredSelectMultiple
from django.forms.utils import ErrorDict
from django.http import QueryDict
from django.utils.translation import gettext as _
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.desk.tournaments.option_fields import option_fields
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry.local_times import in_zone
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS, SETTINGS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import meanwhile
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words
from stichkampf_platform.tournaments.organising.forms import DEADLINES, TournamentForm
from stichkampf_platform.tournaments.organising.option_values import PREFIX
from stichkampf_platform.tournaments.organising.presets import PRESETS

CHOOSE, PRESET = "_choose", "_preset"
"""Buttons that save nothing: one shows options and estimate for what is filled in, one fills in more."""

BESIDE_THE_SIZE = {"seen", "seeding", "__all__", *(name for name, row in SETTINGS.items() if not row.sized)}
"""Fields that may be wrong without harm to the estimate."""


class TournamentPageForm(TournamentForm):
    """The same form on a page, where buttons fill it in and two people may have it open."""

    seen = forms.CharField(required=False, label="", widget=forms.HiddenInput)
    seeding = forms.CharField(required=False, label="", widget=forms.HiddenInput)

    _errors: ErrorDict
    data: Any

    def __init__(self, data=None, *args, **kwargs) -> None:
        self.replaced_seats = _impossible_seats(data)
        self.choosing = data is not None and (CHOOSE in data or PRESET in data)
        self.estimate = self.meanwhile = ""
        super().__init__(None if data is None else filled_in(data), *args, **kwargs)
        for name, field in self.fields.items():
            if name in SETTINGS and SETTINGS[name].most is not None:
                field.widget.attrs |= field.widget_attrs(field.widget)
        for name, rows in (("more_entrants", 4), ("invited", 3)):
            if name in self.fields:  # none of a tournament that can no longer be edited
                self.fields[name].widget = forms.Textarea(attrs={"rows": rows})
        if "entrants" in self.fields:
            entrants = self.fields["entrants"]
            entrants.widget = FilteredSelectMultiple(_("versions"), is_stacked=False)
            entrants.widget.choices = entrants.choices
            self.fields["seeding"].initial = ",".join(map(str, entrants.initial or ()))
            self.fields["seeding"].widget.attrs |= {
                "data-title": _("Seeding"),
                "data-note": _(
                    "Drag, or press the arrows: the first is seeded best. More entrants come before them."
                ),
                "data-up": _("{name}: one up"),
                "data-down": _("{name}: one down"),
            }
        if self.before:
            self.fields["seen"].initial = json.dumps(meanwhile.digests(self.before))

    def seeded(self, chosen: list[Version]) -> list[Version]:
        """Take the order of the list that is dragged; what it does not name comes last, as before."""
        order = {
            number: place for place, number in enumerate(self.cleaned_data.get("seeding", "").split(","))
        }
        return sorted(chosen, key=lambda version: order.get(str(version.pk), len(order)))

    def heed_others(self) -> None:
        """Keep what others have changed meanwhile, and ask where this person has changed the same."""
        try:
            seen = dict(json.loads(self.cleaned_data.get("seen") or "{}"))
        except (ValueError, TypeError):
            seen = {}
        if not self.before or not seen or self.choosing:
            return
        mine = {
            **meanwhile.settings_of(self.instance),
            "entrants": [str(version) for version in self.versions],
            "invited": sorted(person.username for person in self.cleaned_data.get("invited", ())),
            "with_code": self.cleaned_data.get("with_code", False),
        }
        found = meanwhile.compared(seen, mine, self.before)
        labels = {name: str(self.fields[name].label or name) for name in self.fields}
        if found.contested:
            told = meanwhile.told(self.instance, found.contested, self.before, labels)
            self.add_error(
                None, _("{told} Save again to put in its place what stands here.").format(told=told)
            )
            self.data = self.data.copy()
            now = meanwhile.digests(self.before)
            self.data["seen"] = json.dumps(seen | {name: now[name] for name in found.contested})
        elif found.kept:
            self.meanwhile = meanwhile.told(self.instance, found.kept, self.before, labels)
            self._keep(found.kept)

    def _keep(self, names: Collection[str]) -> None:
        """Put the present settings back in place of those that the form still had."""
        saved = Tournament.objects.get(pk=self.instance.pk)
        for name in names:
            if name in COLUMNS:
                setattr(self.instance, name, getattr(saved, name))
            elif name == "with_code":
                self.cleaned_data["with_code"] = bool(saved.code)
            elif name == "invited":
                self.cleaned_data["invited"] = [
                    member.person for member in saved.members.filter(by_code=False).select_related("person")
                ]
            else:
                entrants = saved.entrants.select_related("version__bot__owner")
                kept = [entrant.version for entrant in entrants]
                self.cleaned_data |= {"first": None, "more_entrants": [], "entrants": kept, "seeding": ""}

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """Show a time by the clocks of the tournament's zone."""
        shown = super().get_initial_for_field(field, field_name)
        if field_name in DEADLINES and isinstance(shown, datetime):
            return in_zone(shown, self.instance.time_zone).replace(tzinfo=None)
        return shown

    def is_valid(self) -> bool:
        """Tell whether it is right and is to be saved."""
        return super().is_valid() and not self.choosing

    def full_clean(self) -> None:
        super().full_clean()
        if self.is_bound and set(self._errors) <= BESIDE_THE_SIZE:
            self.estimate = estimate_in_words(self.instance, self.versions)
        if self.choosing:
            self._errors = ErrorDict()
            if self.replaced_seats:
                told = _("{given} seats are not possible in {game}; {seats} is filled in.").format(
                    given=self.replaced_seats, game=self.data["game"], seats=self.data["seats"]
                )
                self._errors["seats"] = self.error_class([told])


def form_for(game: str, seats: int, organiser: User | None) -> type[TournamentPageForm]:
    """Return the form with the options of a game as fields, for tournaments of an organiser."""
    fields = {**option_fields(game, seats), "organiser": organiser}
    return type("TournamentFormWithOptions", (TournamentPageForm,), fields)


def _impossible_seats(data: QueryDict | None) -> str:
    """Return the seats that `filled_in` replaces, since the chosen game cannot have them; empty for none."""
    if data is None or CHOOSE not in data or data.get("game") not in GAMES:
        return ""
    given = data.get("seats", "")
    return "" if given in map(str, GAMES[data["game"]].players) else given[:20]


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
