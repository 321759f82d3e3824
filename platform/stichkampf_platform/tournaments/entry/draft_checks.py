"""Checks of a draft, so that it can be played: its settings, its entrants, its size."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from stichkampf import time_control
from stichkampf.engine.options import length_of
from stichkampf.errors import OptionError, SeatsError, StichkampfError, UnknownGame
from stichkampf.games import game_class, new_game
from stichkampf.limits import REMOTE_MOVE_SECONDS_MIN
from stichkampf.time_control import TOURNAMENT_BOUNDS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.number_formats import plain
from stichkampf_platform.ladders.services import options_digest
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.entry.consent import without_consent
from stichkampf_platform.tournaments.entry.setting_rows import MOST_DEALS, MOST_TABLES
from stichkampf_platform.tournaments.entry.settings_rules import entry_problems
from stichkampf_platform.tournaments.models import Ruling, Tournament
from stichkampf_platform.tournaments.queries import too_quick_for_remote
from stichkampf_platform.tournaments.scheduling import rounds
from stichkampf_platform.tournaments.tournament_locks import TIME_TAKEN, time_is_taken


def check_entrants(
    tournament: Tournament,
    versions: Sequence[Version],
    *,
    more_to_come: bool = False,
    invited: Collection[User] = (),
    unparsed_fields: Collection[str] = frozenset(),
) -> None:
    """Check that these versions can play this tournament.

    :param invited: those who become members of it.
    :param more_to_come: authors enter further bots, so nothing is said of how many these are.
    :param unparsed_fields: fields whose values are not known; nothing is said that hangs on them.
    :raises ValidationError: everything that is wrong, each under its field, with what would be right.
    """
    problems = _entrant_problems(tournament, versions, invited, unparsed_fields)
    wrong = formats.problems(
        tournament.format,
        rounds.competition(tournament, versions),
        unparsed_fields={*unparsed_fields, "entrants"} if more_to_come else unparsed_fields,
    )
    if not wrong and not unparsed_fields:
        wrong |= _size_problems(tournament, versions, more_to_come=more_to_come)
    if problems:
        wrong["entrants"] = problems + wrong.get("entrants", [])
    wrong |= _remote_problems(tournament, versions, unparsed_fields)
    if wrong:
        raise ValidationError(wrong)


def _entrant_problems(
    tournament: Tournament,
    versions: Sequence[Version],
    invited: Collection[User],
    unparsed_fields: Collection[str],
) -> list[str]:
    """Return what keeps some of these versions out, whatever the format."""
    problems = []
    for version in versions:
        if not version.may_play:
            problems.append(
                _("{version} is {state} and cannot play.").format(
                    version=version, state=version.get_state_display()
                )
            )
        elif "game" not in unparsed_fields and tournament.game not in version.games:
            problems.append(
                _("{version} does not play {game}; it plays {names}.").format(
                    version=version, game=tournament.game, names=", ".join(version.games)
                )
            )
    if refusing := without_consent(tournament, versions, invited):
        problems.append(
            _(
                "Only its author enters {names}: open the tournament for entries by authors, or ask for the "
                "setting that lets organisers enter it, on the page of the bot."
            ).format(names=", ".join(map(str, refusing)))
        )
    problems += _withdrawn(tournament, versions)
    if len({version.pk for version in versions}) < len(versions):
        problems.append(_("A version can enter only once."))
    return problems


def _remote_problems(
    tournament: Tournament, versions: Sequence[Version], unparsed_fields: Collection[str]
) -> dict[str, list[str]]:
    """Return what is wrong for the remote bots among these versions, by field."""
    names = ", ".join(str(version) for version in versions if version.remote)
    if not names:
        return {}
    wrong = {}
    if tournament.holds_back and "reveal" not in unparsed_fields:
        told = _("{names}: a remote bot knows the results that it plays; show them at once, or leave it out.")
        wrong["reveal"] = [told.format(names=names)]
    timed = not {"format", "move_seconds"} & set(unparsed_fields)
    if timed and too_quick_for_remote(tournament) and not formats.is_endless(tournament.format):
        wrong["move_seconds"] = [
            _(
                "A move takes at least {remote_move_seconds_min:g} s where remote bots play ({names}), "
                "for the way over the network."
            ).format(remote_move_seconds_min=REMOTE_MOVE_SECONDS_MIN, names=names)
        ]
    return wrong


def _withdrawn(tournament: Tournament, versions: Sequence[Version]) -> list[str]:
    """Return what is wrong with versions of bots that their authors have withdrawn, and not entered since."""
    if tournament.pk is None:
        return []
    left = tournament.rulings.filter(kind=Ruling.Kind.WITHDRAW, role=Ruling.Role.AUTHOR)
    out = set(left.values_list("version__bot", flat=True))
    out -= set(tournament.entries.filter(bot__in=out).values_list("bot", flat=True)) if out else set()
    told = _("{version} was withdrawn by its author; leave it out.")
    return [told.format(version=version) for version in versions if version.bot_id in out]


def _size_problems(
    tournament: Tournament, versions: Sequence[Version], *, more_to_come: bool
) -> dict[str, list[str]]:
    """Return what is wrong with the tables and deals of a tournament in all, counted by arithmetic."""
    try:
        format = formats.format_named(tournament.format)
        tables = format.tables_at_most(rounds.competition(tournament, versions)) or 0
    except StichkampfError:  # of entrants who are not there yet
        if not more_to_come:
            raise
        tables = 0
    if tables > MOST_TABLES:
        told = _("These are {tables} tables; a tournament has at most {most}.")
        return {"blocks_planned": [told.format(tables=plain(tables), most=plain(MOST_TABLES))]}
    kind, deals = length_of({"length": "", **tournament.options})
    if kind == "deals" and tables * deals > MOST_DEALS:
        told = _("These are {deals} deals in all; a tournament has at most {most}.")
        return {"options": [told.format(deals=plain(tables * deals), most=plain(MOST_DEALS))]}
    return {}


def check_settings(tournament: Tournament, *, unparsed_fields: Collection[str] = frozenset()) -> None:
    """Complete the options and check what the clock allows.

    :param unparsed_fields: fields whose values are not known; nothing is said that hangs on them.
    :raises ValidationError: everything that is wrong, each under its field.
    """
    problems = {} if "game" in unparsed_fields else _game_problems(tournament, unparsed_fields)
    problems |= entry_problems(tournament, unparsed_fields)
    if tournament.starts_at is not None and tournament.starts_at <= clock.now():
        problems["starts_at"] = _("The start is in the past: choose a later time, or leave it empty.")
    elif "starts_at" not in unparsed_fields and time_is_taken(tournament):
        problems["starts_at"] = str(TIME_TAKEN)
    seconds = {name: getattr(tournament, name) for name in TOURNAMENT_BOUNDS if name not in unparsed_fields}
    for name, problem in time_control.problems(seconds, TOURNAMENT_BOUNDS).items():
        problems[name] = _("The time {problem}.").format(problem=problem)
    if problems:
        raise ValidationError(problems)


def _game_problems(tournament: Tournament, unparsed_fields: Collection[str]) -> dict[str, str]:
    """Return the errors in game, seats and options; without any, complete the options."""
    problems: dict[str, str] = {}
    try:
        seats: tuple[int, ...] = game_class(tournament.game).players
        if "seats" not in unparsed_fields:
            new_game(tournament.game, tournament.seats, {})
            seats = (tournament.seats,)
    except UnknownGame as error:
        return {"game": str(error)}
    except SeatsError as error:
        problems["seats"] = str(error)
    if "options" in unparsed_fields:
        return problems
    complaints = [_complaint(tournament, number) for number in seats]
    if all(complaints):  # where the seats are not known: wrong for whatever number of them
        problems["options"] = complaints[0]
    if not problems and "seats" not in unparsed_fields:
        tournament.options = new_game(tournament.game, tournament.seats, tournament.options).options
        tournament.options_digest = options_digest(tournament.options)
    return problems


def _complaint(tournament: Tournament, seats: int) -> str:
    try:
        new_game(tournament.game, seats, tournament.options)
    except OptionError as error:
        return str(error)
    return ""
