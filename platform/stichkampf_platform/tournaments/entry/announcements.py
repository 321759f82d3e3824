"""Announcements: those who entered a bot are told of the start and of the end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from stichkampf_platform.core import clock
from stichkampf_platform.people.models import NoticeKind, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.sentences import Sentence, joined
from stichkampf_platform.tournaments.models import Entrant, Entry, Tournament


def tell_start(tournament: Tournament) -> None:
    """Tell every author who has entered a bot which of theirs play, and why others do not.

    Call it in the transaction of the start.
    """
    entries = _entries(tournament)
    if not entries:
        return
    playing = _entrants(tournament)

    def told(entry: Entry) -> Sentence:
        if entry.bot_id in playing and not entry.left_out:
            return Sentence("{version} plays.", version=str(playing[entry.bot_id].version))
        return Sentence("{bot} does not play: {reason}", bot=str(entry.bot), reason=entry.left_out_sentence)

    title = Sentence("{tournament} has started", tournament=str(tournament))
    _tell_each(tournament, title, {entry: told(entry) for entry in entries})


def tell_no_start(tournament: Tournament, reason: str) -> None:
    """Tell every author who has entered a bot, and the organiser, that a start has failed."""
    title = Sentence("{tournament} has not started", tournament=str(tournament))
    entered = {entry: Sentence("{bot} was entered.", bot=str(entry.bot)) for entry in _entries(tournament)}
    _tell_each(tournament, title, entered, first=reason)
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
    cancelled = Sentence("{tournament} was cancelled", tournament=str(tournament))
    over = Sentence("{tournament} is over", tournament=str(tournament))
    _tell_each(tournament, cancelled if tournament.state == Tournament.State.CANCELLED else over, {
        entry: _result(playing[entry.bot_id], places, len(playing))
        for entry in _entries(tournament) if entry.bot_id in playing and not entry.left_out
    }, first=tournament.outcome_sentence)  # fmt: skip
    return True


def _result(entrant: Entrant, places: Mapping[int, int | None], of: int) -> str:
    if entrant.disqualified_at is not None:
        return Sentence(
            "{version} was taken out: {reason}", version=str(entrant.version), reason=entrant.disqualified_for
        )
    place, version = places.get(entrant.pk), str(entrant.version)
    if not place:
        return Sentence("{version} has no place.", version=version)
    return Sentence("{version} has place {place} of {count}.", version=version, place=place, count=of)


def _tell_each(tournament: Tournament, title: str, texts: Mapping[Entry, str], *, first: str = "") -> None:
    """Send each author one notice with the texts of their entries."""
    of_author: dict[User, list[str]] = defaultdict(list)
    for entry, text in texts.items():
        of_author[entry.bot.owner].append(text)
    for author, own in of_author.items():
        text = joined(first, *own, between="\n")
        tell(
            person=author,
            title=title,
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
