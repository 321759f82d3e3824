"""Announcements: those who entered a bot are told of the start and of the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from stichkampf_platform.core import clock
from stichkampf_platform.people.models import NoticeKind, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.tournaments.models import Entrant, Entry, Tournament


def tell_start(tournament: Tournament) -> None:
    """Tell every author who has entered a bot which of theirs play, and why others do not.

    Call it in the transaction of the start.
    """
    entries = _entries(tournament)
    if not entries:
        return
    playing = _entrants(tournament)
    _tell_each(tournament, f"{tournament} has started", {
        entry: f"{playing[entry.bot_id].version} plays." if entry.bot_id in playing and not entry.left_out
        else f"{entry.bot} does not play: {entry.left_out}"
        for entry in entries
    })  # fmt: skip


def tell_no_start(tournament: Tournament, reason: str) -> None:
    """Tell every author who has entered a bot, and the organiser, that a start has failed."""
    title = f"{tournament} has not started"
    _tell_each(tournament, title, {entry: f"{entry.bot} was entered." for entry in _entries(tournament)},
               first=reason)  # fmt: skip
    if tournament.created_by is not None:
        page = f"/admin/tournaments/tournament/{tournament.pk}/change/"
        tell(person=tournament.created_by, title=title, text=reason, address=page, kind=NoticeKind.TOURNAMENT)


def tell_result(tournament: Tournament, places: Mapping[int, int | None]) -> bool:
    """Tell every author whose entry has played how it ended, once; true if that was now.

    :param places: by entrant.
    """
    mine = Tournament.objects.filter(pk=tournament.pk, result_told_at=None)
    if not mine.update(result_told_at=clock.now()):
        return False
    playing = _entrants(tournament)
    ended = "was cancelled" if tournament.state == Tournament.State.CANCELLED else "is over"
    _tell_each(tournament, f"{tournament} {ended}", {
        entry: _result(playing[entry.bot_id], places, len(playing))
        for entry in _entries(tournament) if entry.bot_id in playing and not entry.left_out
    }, first=tournament.outcome)  # fmt: skip
    return True


def _result(entrant: Entrant, places: Mapping[int, int | None], of: int) -> str:
    if entrant.disqualified_at is not None:
        return f"{entrant.version} was taken out: {entrant.disqualified_for}"
    place = places.get(entrant.pk)
    return f"{entrant.version} has place {place} of {of}." if place else f"{entrant.version} has no place."


def _tell_each(tournament: Tournament, title: str, texts: Mapping[Entry, str], *, first: str = "") -> None:
    """Send each author one notice with the texts of the own entries."""
    of_author: dict[User, list[str]] = defaultdict(list)
    for entry, text in texts.items():
        of_author[entry.bot.owner].append(text)
    for author, own in of_author.items():
        text = "\n".join(filter(None, [first, *own]))
        tell(
            person=author,
            title=title[:200],
            text=text,
            address=tournament.get_absolute_url(),
            kind=NoticeKind.TOURNAMENT,
        )


def _entries(tournament: Tournament) -> list[Entry]:
    return list(tournament.entries.select_related("bot__owner"))


def _entrants(tournament: Tournament) -> dict[int, Entrant]:
    """Return the entrants by their bots."""
    entrants = tournament.entrants.select_related("version__bot__owner")
    return {entrant.version.bot_id: entrant for entrant in entrants}
