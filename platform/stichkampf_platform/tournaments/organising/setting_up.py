"""Setting up of tournaments from a form, and from the fields of a program, which fill in the same form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from stichkampf.games import GAMES

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry import membership
from stichkampf_platform.tournaments.entry.setting_rows import SENT, SETTINGS
from stichkampf_platform.tournaments.formats import names_first
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising import lifecycle, meanwhile, rulings
from stichkampf_platform.tournaments.organising.entry_lists import versions_listed
from stichkampf_platform.tournaments.organising.forms import DEADLINES, TournamentForm
from stichkampf_platform.tournaments.organising.presets import PRESETS
from stichkampf_platform.tournaments.tournament_locks import saved_unless_taken

_QUOTED_AT_MOST = 80


@transaction.atomic
def save(*, form: TournamentForm, by: User) -> Tournament:
    """Save what was filled in, as a draft; its organiser is the person who adds it.

    :param form: valid.
    :raises RequestRefused: it has been started meanwhile, or another has got its slug.
    """
    tournament = form.instance
    if tournament.pk is None:
        tournament.created_by = by
    else:
        lifecycle.hold_draft(tournament)
        if meanwhile.values_of(Tournament.objects.get(pk=tournament.pk)) != form.before:
            told = _("{tournament} was changed at the same moment; try again.")
            raise RequestRefused(told.format(tournament=tournament))
    if form.cleaned_data["with_code"] != bool(tournament.code):
        tournament.code = membership.new_code() if form.cleaned_data["with_code"] else ""
    if not saved_unless_taken(tournament):
        told = _("Another tournament has got the address /tournaments/{slug}/; choose another.")
        raise RequestRefused(told.format(slug=tournament.slug))
    lifecycle.set_entrants(tournament=tournament, versions=form.versions)
    membership.set_invited(tournament=tournament, people=form.cleaned_data["invited"])
    if form.moves_deadline:
        now = meanwhile.settings_of(tournament)
        rulings.note_deadline(
            tournament=tournament,
            by=by,
            reason=form.cleaned_data["reason"],
            before={name: form.before[name] for name in DEADLINES},
            after={name: now[name] for name in DEADLINES},
        )
    return tournament


@transaction.atomic
def delete(*, tournament: Tournament) -> None:
    """Delete a draft; its entries and members go with it.

    :raises RequestRefused: it has been started.
    """
    lifecycle.hold_draft(tournament)
    Tournament.objects.filter(pk=tournament.pk).delete()


@transaction.atomic
def from_fields(*, fields: Mapping[str, Any], by: User, tournament: Tournament | None = None) -> Tournament:
    """Make a draft, or change one, by fields as a program sends them; what is missing stays or is usual.

    :param fields: by the names of `SENT`. `preset` begins with the settings of one, `entrants` and
        `invited` are lists of names, `options` is an object, times are texts as in ISO 8601.
    :raises ValidationError: everything that is wrong, by field, with what was given and what would be right.
    :raises RequestRefused: it has been started, or is not as `version` says.
    """
    instance = Tournament(created_by=by)
    if tournament is not None:
        instance = lifecycle.hold_draft(tournament)
        if "version" in fields:
            meanwhile.expect_version(instance, str(fields["version"]))
    fields = {name: value for name, value in fields.items() if name != "version"}
    wrong = _of_wrong_kind(fields)
    given = {name: value for name, value in fields.items() if name not in wrong}
    form = TournamentForm(_filled_in(given, instance), instance=instance)
    if form.is_valid() and not wrong:
        return save(form=form, by=by)
    for name, texts in form.errors.items():
        own = {"more_entrants": "entrants", "first": "entrants", "__all__": "detail"}.get(name, name)
        wrong.setdefault(own, [_quoting(own, text, fields) for text in texts])
    raise ValidationError(wrong)


def _of_wrong_kind(fields: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return by field what is not of the kind of value that it takes."""
    wrong = {}
    for name, value in fields.items():
        kind = SETTINGS[name].kind if name in SENT else None
        if kind is None:
            wrong[name] = f"There is no such field; there are {', '.join(SENT)}."
        elif kind is list and not _is_list_of_names(value):
            wrong[name] = 'This is a list of names, such as ["ann", "bob"].'
        elif kind is bool and not isinstance(value, bool):
            wrong[name] = "This is true or false."
        elif name == "preset" and str(value) not in PRESETS:
            wrong[name] = f"There are the presets {', '.join(PRESETS)}."
        elif kind is dict and not isinstance(value, dict):
            wrong[name] = 'Options are a JSON object, such as {"length": "deals:4"}.'
        elif kind not in (list, bool, dict) and isinstance(value, dict | list | bool):
            wrong[name] = "This is a text or a number."
    return {name: [_quoting(name, text, fields)] for name, text in wrong.items()}


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one.isprintable() for one in value)


def _filled_in(given: Mapping[str, Any], instance: Tournament) -> MultiValueDict:
    """Return the form as a browser would send it."""
    empty = TournamentForm(instance=instance)
    values = {name: empty[name].value() for name in empty.fields}
    values |= {name: getattr(instance, name) for name in DEADLINES}  # moments, whatever the zone
    if instance.pk and not {"game", "seats", "options"} & given.keys():
        values["options"] = instance.options
    game = given.get("game")
    if isinstance(game, str) and game in GAMES and "preset" in given:
        preset = PRESETS[given["preset"]]
        values |= {"seats": GAMES[game].main_ladder.seats, "options": preset.options(game), **preset.settings}
    if not instance.pk and isinstance(given.get("name"), str):
        values["slug"] = membership.slug_from(given["name"])
    values |= {name: value for name, value in given.items() if name not in ("preset", "entrants")}
    if "entrants" in given:
        values |= {"entrants": [], "more_entrants": given["entrants"], "first": None}
    if names_first(str(values["format"])) and given.get("entrants"):
        values["first"] = _first(given["entrants"][0])
    data = MultiValueDict[str, str]()
    for name, value in values.items():
        data.setlist(name, _texts(name, value))
    return data


def _first(line: str) -> int | None:
    try:
        (first,) = versions_listed(line)
    except (RequestRefused, ValueError):  # the field of the list says what is wrong with it
        return None
    return first.pk


def _texts(name: str, value: Any) -> list[str]:
    """Return a value as the fields of a form have it."""
    if value is None or value is False:
        return []
    if value is True:
        return ["on"]
    if isinstance(value, dict):
        return [json.dumps(value)]
    if isinstance(value, datetime):
        return [value.isoformat()]
    if isinstance(value, list):
        return [str(one) for one in value] if name == "entrants" else ["\n".join(value)]
    return [str(value)]


def _quoting(name: str, text: str, fields: Mapping[str, Any]) -> str:
    """Add what was given, unless the text quotes it."""
    if name not in fields:
        return text
    value = fields[name]
    if isinstance(value, list) or (str(value) and str(value) in text):
        return text
    return f"{text} Given: {json.dumps(value)[:_QUOTED_AT_MOST]}"
