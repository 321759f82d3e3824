"""The head of a tournament's page: state, progress, time left, standings, trouble, links and buttons."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from stichkampf_platform.core.actions import Action, Need
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import told
from stichkampf_platform.ratings.organising import EXPORTS, possible
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments import pace, queries
from stichkampf_platform.tournaments.entry import entries
from stichkampf_platform.tournaments.entry.absence import absences
from stichkampf_platform.tournaments.entry_models import WhoEnters
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.estimates import estimate_in_words
from stichkampf_platform.tournaments.titles import game_title, length_in_words

STANDINGS_SHOWN = 8
REASONS_SHOWN = 10

State = Tournament.State


def banner(tournament: Tournament, *, by: User | None) -> dict[str, Any]:
    """Return what the template of the banner shows.

    :param by: who may conduct it, if the visitor may.
    """
    progress = queries.progress(tournament)
    rows = standings(tournament)
    return {
        "tournament": tournament,
        "game": _("{game}, {seats} seats").format(game=game_title(tournament.game), seats=tournament.seats),
        "length": length_in_words(tournament),
        "progress": progress,
        "left": pace.time_left(tournament, progress),
        "estimate": _estimate(tournament),
        "away": [told(reason) for reason in absences(tournament)] if tournament.state == State.DRAFT else [],
        "code": tournament.code,
        "entries": entries.listed(tournament) if tournament.entry != WhoEnters.ORGANISER else [],
        "members": tournament.members.count(),
        "live": tournament.state == State.RUNNING,
        "standings": rows[:STANDINGS_SHOWN],
        "standings_left_out": max(0, len(rows) - STANDINGS_SHOWN),
        "by_points": any(row.entrant.points is not None for row in rows),
        "troubles": [
            (told(reason), tables) for reason, tables in queries.troubles(tournament)[:REASONS_SHOWN]
        ],
        "buttons": [
            (name, row.words, _texts(tournament, row))
            for name, row in (possible(tournament, by).items() if by else ())
        ],
        "site_links": _site_links(tournament),
        "lists": _lists(tournament),
        "exports": [
            (name, reverse("admin:tournament_export", args=[tournament.pk, name])) for name in EXPORTS
        ],
    }


def _texts(tournament: Tournament, row: Action) -> list[tuple[str, Need, str]]:
    """Return the texts that an action asks for: name, row, and what stands there now."""
    return [
        (name, need, getattr(tournament, name, "")) for name, need in row.needs.items() if need.kind is str
    ]


def _estimate(tournament: Tournament) -> str:
    if tournament.state != State.DRAFT:
        return ""
    entrants = tournament.entrants.select_related("version__bot__owner")
    return estimate_in_words(tournament, [entrant.version for entrant in entrants])


def _site_links(tournament: Tournament) -> list[tuple[str, str]]:
    address = tournament.get_absolute_url()
    links = [(_("Page on the site"), address), (_("Schedule"), f"{address}schedule/")]
    if tournament.rated and tournament.released and tournament.ladder:
        links.append((_("Ladder"), tournament.ladder.get_absolute_url()))
    return links


def _lists(tournament: Tournament) -> list[tuple[str, str]]:
    models = (
        (_("Entries"), "entry"),
        (_("Members"), "membership"),
        (_("Entrants"), "entrant"),
        (_("Rulings and protests"), "ruling"),
        (_("Blocks"), "block"),
        (_("Tables"), "table"),
        (_("Results"), "result"),
    )
    return [
        (title, f"{reverse(f'admin:tournaments_{model}_changelist')}?tournament={tournament.pk}")
        for title, model in models
    ]
