"""At the start of a tournament its entries become entrants, or are left out with a reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db.models import Max

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.sentences import Sentence, parts_of
from stichkampf_platform.tournaments.entry.entries import deadline, listed
from stichkampf_platform.tournaments.entry.fitness import COMING, misfit, newest_fit
from stichkampf_platform.tournaments.models import Entrant, Entry, Tournament

VALIDATION_WAIT = timedelta(minutes=15)
"""The longest time that a start is put off for validations that had begun before the deadline."""


def waits_for(tournament: Tournament) -> list[Version]:
    """Return the versions whose validation a start that is due still waits for."""
    if tournament.starts_at is None or clock.now() >= tournament.starts_at + VALIDATION_WAIT:
        return []
    found = []
    for each in listed(tournament):
        newest = newest_fit(_in_time(each.entry, tournament), tournament, later=True)
        if newest is not None and newest.state in COMING:
            found.append(newest)
    return found


def add_entrants(tournament: Tournament, why_away: Callable[[Version], str] = lambda version: "") -> None:
    """Add an entrant for each entry that plays, and say of every other why it does not.

    Call it with the tournament locked.

    :param why_away: the reason why a version is left out although it could play; empty for none.
    """
    entries = listed(tournament)
    if not entries:
        return
    playing = set(tournament.entrants.values_list("version_id", flat=True))
    remote: set[int] = set()
    versions: list[Version] = []
    for each in entries:
        entry = each.entry
        version, reason = version_of(entry, tournament)
        if version is not None:
            left_out = _reason_to_leave_out(version, tournament, playing, remote, len(versions))
            reason = left_out or why_away(version)
        Entry.objects.filter(pk=entry.pk).update(left_out=reason, left_out_parts=parts_of(reason))
        if version is None or reason:
            continue
        versions.append(version)
        playing.add(version.pk)
        if version.remote:
            remote.add(version.bot.owner_id)
    last = tournament.entrants.aggregate(last=Max("number"))["last"]
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions, start=0 if last is None else last + 1)
    )


def _reason_to_leave_out(
    version: Version, tournament: Tournament, playing: set[int], remote: set[int], entered: int
) -> str:
    if version.pk in playing:
        return Sentence("{version} was entered by the organiser already.", version=str(version))
    if tournament.places is not None and entered >= tournament.places:
        return Sentence("All {places} places were taken before it.", places=tournament.places)
    if version.remote and version.bot.owner_id in remote:
        return Sentence("Of one author one remote bot plays.")
    return ""


def version_of(entry: Entry, tournament: Tournament) -> tuple[Version | None, str]:
    """Return the version that plays for an entry, or why there is none."""
    versions = _in_time(entry, tournament)
    found = newest_fit(versions, tournament)
    if found is not None:
        return found, ""
    if not versions:
        return None, Sentence("No version of {bot} was submitted before the deadline.", bot=str(entry.bot))
    return None, misfit(max(versions, key=lambda version: version.number), tournament)


def _in_time(entry: Entry, tournament: Tournament) -> list[Version]:
    """Return the versions that may play for an entry: the one that was chosen, or all before the deadline."""
    if entry.version is not None:
        return [entry.version]
    versions = entry.bot.versions.select_related("bot__owner")
    until = deadline(tournament)
    return list(versions if until is None else versions.filter(created_at__lte=until))
