"""The outlook of a version on the ladders: how far it is, and when its first block comes."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, Max, Min
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.tournaments.formats.ladder_turns import LEAST_KNOWN, in_the_draw, starters
from stichkampf_platform.tournaments.models import Block, Tournament
from stichkampf_platform.tournaments.queries import fills_idle_time
from stichkampf_platform.tournaments.scheduling.ladder_field import field_of, ladders_of, reason_to_wait
from stichkampf_platform.tournaments.shown import Viewer

BLOCKS_TIMED = 20
"""Newest blocks of a ladder by which the time of the next ones is estimated."""


@dataclass(frozen=True)
class Outlook:
    """The outlook of a version on one ladder.

    :ivar blocks: finished blocks of the version there.
    :ivar playing: it plays a block now.
    :ivar place: before its first block, how many blocks it is until then, from 1; None where that has begun.
    :ivar seconds: about how long until its first block begins; None where nothing tells.
    :ivar waits: the reason why it is drawn later or not at all; empty for none.
    """

    tournament: Tournament
    blocks: int
    playing: bool
    place: int | None
    seconds: int | None
    waits: str

    @property
    def blocks_to_go(self) -> int:
        """Blocks that are missing to a rank."""
        return max(0, PROVISIONAL_BLOCKS - self.blocks)

    @property
    def text(self) -> str:
        """The outlook in words, without a full stop."""
        first = ""
        if self.playing:
            first = _("plays a block now")
        elif self.place is not None:
            first = (
                _("its first block is next")
                if self.place == 1
                else _("its first block is number {place} in line").format(place=self.place)
            )
            if self.seconds:
                first = _("{outlook}, in about {seconds} s").format(outlook=first, seconds=self.seconds)
        go = self.blocks_to_go
        left = (
            ngettext("{go} block until it can be ranked", "{go} blocks until it can be ranked", go).format(
                go=go
            )
            if go
            else _("{blocks} blocks played").format(blocks=self.blocks)
        )
        return "; ".join(filter(None, (first, left, self.waits)))


def outlooks(version: Version, person: Viewer = None) -> list[Outlook]:
    """Return the outlook of a version on each ladder that runs now and that a person sees.

    None for a version that may not play.
    """
    return [_outlook(version, ladder) for ladder in ladders_of(version, person)] if version.may_play else []


def _outlook(version: Version, tournament: Tournament) -> Outlook:
    own = Block.objects.filter(
        tournament=tournament, tables__seats__entrant__version=version, replaced_by=None
    ).distinct()
    over = own.filter(over_at__isnull=False).count()
    playing = own.filter(over_at=None, tables__started_at__isnull=False).exists()
    drawn = own.filter(over_at=None).order_by("number").first()
    place = None if over or playing else _position(version, tournament, drawn)
    block_seconds = _block_seconds(tournament)
    seconds = None if place is None or block_seconds is None else round((place - 1) * block_seconds)
    waits = "" if drawn else reason_to_wait(version, tournament)
    return Outlook(tournament, over, playing, place, seconds, waits)


def _position(version: Version, tournament: Tournament, drawn: Block | None) -> int | None:
    """Count the blocks that come before its first one, and that one.

    :param drawn: its first one, where that is drawn already.
    """
    ready = tournament.blocks.filter(over_at=None, tables__started_at=None).distinct()
    ready = ready.exclude(fills_idle_time())
    if drawn is not None:
        return ready.filter(number__lt=drawn.number).count() + 1
    field = field_of(tournament, {})
    candidates = in_the_draw(field.candidates, field.newcomer_blocks)
    before = [each for each in starters(candidates, LEAST_KNOWN) if not candidates[each].played]
    number = tournament.entrants.filter(version=version).values_list("number", flat=True).first()
    if number is None:  # it enters with the next draw, behind all who have entered
        return ready.count() + len(before) + 1
    return ready.count() + before.index(number) + 1 if number in before else None


def _block_seconds(tournament: Tournament) -> float | None:
    """Return the mean time that the newest blocks took; None before the first."""
    newest = tournament.blocks.filter(over_at__isnull=False, replaced_by=None).order_by("-over_at")
    took = (
        newest.annotate(begun=Min("tables__started_at"), ended=Max("tables__finished_at"))
        .filter(begun__isnull=False, ended__isnull=False)
        .annotate(took=F("ended") - F("begun"))
        .values_list("took", flat=True)[:BLOCKS_TIMED]
    )
    times = [each.total_seconds() for each in took]
    return sum(times) / len(times) if times else None
