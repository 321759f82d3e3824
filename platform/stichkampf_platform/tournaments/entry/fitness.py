"""The fitness of versions: which may play a tournament that authors enter, and which are waited for."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import override
from stichkampf.games import game_class
from stichkampf.limits import REMOTE_MOVE_SECONDS_MIN

from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.sentences import Sentence
from stichkampf_platform.tournaments.formats import FORMATS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.queries import too_quick_for_remote

COMING = (Version.State.SUBMITTED, Version.State.VALIDATING, Version.State.STALE)
"""States of versions that may be approved before long."""


def misfit(version: Version, tournament: Tournament, *, later: bool = False) -> str:
    """Return the reason why a version cannot play a tournament, as a `Sentence`; empty for none.

    :param later: a version whose validation is still to end is taken as approved.
    """
    if not version.may_play and not (later and version.state in COMING):
        with override("en"):
            state = version.get_state_display()
        return Sentence("{version} is {state} and cannot play.", version=str(version), state=Sentence(state))
    if tournament.game not in version.games and not (later and not version.games):
        return Sentence(
            "{version} does not play {game}; it plays {games}.",
            version=str(version),
            game=tournament.game,
            games=", ".join(version.games) or "…",
        )
    return _misfit_of_remote(version, tournament) if version.remote else ""


def newest_fit(versions: Iterable[Version], tournament: Tournament, *, later: bool = False) -> Version | None:
    """Return the newest of these versions that can play a tournament."""
    fit = [version for version in versions if not misfit(version, tournament, later=later)]
    return max(fit, key=lambda version: version.number, default=None)


def _misfit_of_remote(version: Version, tournament: Tournament) -> str:
    format = FORMATS.get(tournament.format)
    if game_class(tournament.game).partners or (format is not None and not format.takes_remote):
        return Sentence(
            "{version} is a remote bot, and this tournament takes none; enter an archive.",
            version=str(version),
        )
    if tournament.holds_back:
        return Sentence(
            "{version} is a remote bot, which knows the results that it plays, and here they are held"
            " back; enter an archive.",
            version=str(version),
        )
    if too_quick_for_remote(tournament):
        return Sentence(
            "{version} is a remote bot, which needs {least:g} s a move for the way over the network; here a"
            " move has {seconds:g} s.",
            version=str(version),
            least=REMOTE_MOVE_SECONDS_MIN,
            seconds=tournament.move_seconds,
        )
    return ""
