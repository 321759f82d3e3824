"""Bots that are away: nothing of theirs can answer now, so they would forfeit from the first card on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.sentences import Sentence, told
from stichkampf_platform.tournaments import formats
from stichkampf_platform.tournaments.entry.entrants import version_of
from stichkampf_platform.tournaments.entry.entries import listed
from stichkampf_platform.tournaments.models import Block, Entrant, Result, Tournament


class Absent(RequestRefused):
    """A start with bots that are away.

    :ivar reasons: a `Sentence` each.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        told_reasons = " ".join(map(told, reasons))
        super().__init__(_("{reasons} Wait for it, or start without it.").format(reasons=told_reasons))
        self.reasons = reasons


def why_away(version: Version) -> str:
    """Return the reason why a version could not answer now, as a `Sentence`; empty where it could."""
    if version.state == Version.State.STALE:
        return Sentence("{version} is to be validated again.", version=str(version))
    if not version.may_play:
        return Sentence("{version} is suspended.", version=str(version))
    if version.remote:
        away = Sentence("{version} is not connected.", version=str(version))
        return "" if version.access.connected else away
    archive = version.archive
    if archive and not archive.storage.exists(archive.name):
        return Sentence("The archive of {version} is gone.", version=str(version))
    return ""


def absences(tournament: Tournament) -> list[str]:
    """Return why bots that would play a draft are away, a `Sentence` each; none where it draws them as they
    come, or is an experiment.
    """
    if formats.is_endless(tournament.format) or tournament.experiment:
        return []
    chosen = tournament.entrants.select_related("version__bot__owner", "version__access")
    versions = [entrant.version for entrant in chosen]
    entered = (version_of(each.entry, tournament)[0] for each in listed(tournament))
    versions += [version for version in entered if version is not None]
    return [reason for version in dict.fromkeys(versions) if (reason := why_away(version))]


def leave_out_chosen(tournament: Tournament) -> None:
    """Take out the entrants that an organiser chose and that are away. Call it with the draft locked."""
    entrants = list(tournament.entrants.select_related("version__bot__owner", "version__access"))
    present = [entrant for entrant in entrants if not why_away(entrant.version)]
    tournament.entrants.exclude(pk__in=[entrant.pk for entrant in present]).delete()
    for number, entrant in enumerate(present):
        if entrant.number != number:
            tournament.entrants.filter(pk=entrant.pk).update(number=number)


def gone(tournament: Tournament, block: Block | None = None) -> Iterator[tuple[Entrant, str]]:
    """Yield who forfeited every table of a block that is over and could not answer now, and why.

    :param block: None for any.
    """
    over = Block.objects.filter(tournament=tournament, over_at__isnull=False, replaced_by=None)
    if block is not None:
        over = over.filter(pk=block.pk)
    played = Result.objects.filter(seat__entrant=OuterRef("pk"), seat__table__block__in=over)
    blocks = (
        played.order_by().values("seat__table__block").annotate(own=Count("pk", filter=Q(forfeited=False)))
    )
    playing = tournament.entrants.filter(Exists(blocks.filter(own=0)), out_at=None)
    for entrant in playing.select_related("version__bot__owner", "version__access"):
        if reason := why_away(entrant.version):
            yield entrant, reason
