"""The field of a ladder: the entrants that may be drawn, and the reasons why others wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.games import game_class
from stichkampf.limits import NEWCOMER_BLOCKS_A_DAY, REMOTE_MOVE_SECONDS_MIN

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.models import HOUSE, User
from stichkampf_platform.people.network_addresses import sign_up_addresses
from stichkampf_platform.tournaments.entry.consent import enters_by_itself
from stichkampf_platform.tournaments.entry.membership import vouched_for
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS
from stichkampf_platform.tournaments.formats.ladder_turns import NEW_BELOW, Candidate, in_the_draw
from stichkampf_platform.tournaments.models import Entrant, Participation, Tournament
from stichkampf_platform.tournaments.queries import too_quick_for_remote
from stichkampf_platform.tournaments.scheduling.strength import VersionStrength, strength_by_version
from stichkampf_platform.tournaments.shown import Viewer

SLOW = frozenset({"flat", "rival"})
"""House bots that think for long: an installation does not play with them by itself."""

SETTLED_WITHOUT_RANK = 100
"""Blocks after which a ladder that rests draws none for an entrant any more, ranked or not."""

DAY = timedelta(days=1)
"""The age below which an account is young, and the time over which blocks of newcomers are counted."""


@dataclass(frozen=True)
class DrawnBlocks:
    """Blocks for which an entrant was drawn.

    :ivar last: the number of the last block, -1 before the first.
    :ivar today: blocks that were not over a day ago.
    """

    blocks: int = 0
    last: int = -1
    today: int = 0

    @property
    def as_newcomer_today(self) -> int:
        """The number of its first blocks that are among those of today."""
        return max(0, min(self.blocks, NEW_BELOW) - (self.blocks - self.today))


@dataclass(frozen=True)
class LadderField:
    """The entrants of a ladder, all or those of one author.

    :ivar candidates: by number, the newest version of each bot that can play now, which may be drawn once it
        is its turn, and the one that holds a rank.
    :ivar newcomer_blocks: of each author, those within a day.
    """

    candidates: dict[int, Candidate]
    newcomer_blocks: Counter[str]


def field_of(
    tournament: Tournament, strength: Mapping[int, VersionStrength], *, author: User | None = None
) -> LadderField:
    """Return the entrants of a ladder, or those of one author.

    :param strength: by version.
    """
    entrants = tournament.entrants.select_related("version__bot__owner", "version__access")
    drawn_for = Participation.objects.filter(block__tournament=tournament)
    if author is not None:
        entrants = entrants.filter(version__bot__owner=author)
        drawn_for = drawn_for.filter(entrant__version__bot__owner=author)
    drawn = _drawn(drawn_for)
    newcomer_blocks: Counter[str] = Counter()
    for entrant in entrants:
        owner = entrant.version.bot.owner.username
        newcomer_blocks[owner] += drawn.get(entrant.pk, DrawnBlocks()).as_newcomer_today
    vouched = vouched_for([tournament])
    addresses = sign_up_addresses(
        {entrant.version.bot.owner_id for entrant in entrants} - vouched, named=True
    )
    candidates = {
        entrant.number: _candidate(
            entrant,
            drawn.get(entrant.pk, DrawnBlocks()),
            strength.get(entrant.version_id, VersionStrength()),
            addresses,
            vouched=entrant.version.bot.owner_id in vouched,
            rests=tournament.rests,
        )
        for entrant in drawn_of_each_bot(entrants, tournament, strength)
    }
    return LadderField(candidates, newcomer_blocks)


def drawn_of_each_bot(
    entrants: Iterable[Entrant], tournament: Tournament, strength: Mapping[int, VersionStrength]
) -> list[Entrant]:
    """Return the newest version of each bot that can play now, and the one that holds a rank."""
    able = [
        entrant
        for entrant in entrants
        if entrant.version.may_play and entrant.out_at is None and not left_out(entrant.version, tournament)
    ]
    newest: dict[int, Entrant] = {}
    for entrant in sorted(able, key=lambda entrant: entrant.version.number):
        newest[entrant.version.bot_id] = entrant
    return [
        entrant
        for entrant in able
        if newest[entrant.version.bot_id] is entrant
        or strength.get(entrant.version_id, VersionStrength()).ranked
    ]


def left_out(version: Version, tournament: Tournament) -> str:
    """Return the reason why a version that may play is not drawn on a ladder now; empty for none."""
    if version.bot.owner.off_public_ladders and not tournament.private:
        return _("the class of its author plays on its private ladders alone")
    if not version.remote:
        return ""
    if game_class(tournament.game).partners:
        return _("partners must not see each other's cards, and one remote program would hold both hands")
    if too_quick_for_remote(tournament):
        return _(
            "a move takes {move_seconds:g} seconds there, and remote bots need "
            "{remote_move_seconds_min:g} or more for the way over the network"
        ).format(move_seconds=tournament.move_seconds, remote_move_seconds_min=REMOTE_MOVE_SECONDS_MIN)
    return "" if version.access.connected else _("it is not connected")


def ladders_of(version: Version, person: Viewer = None) -> list[Tournament]:
    """Return the running ladders that a version is drawn on and that a person sees, by name."""
    running = Tournament.objects.shown_to(person).filter(
        format__in=ENDLESS_FORMATS, state=Tournament.State.RUNNING, game__in=version.games
    )
    return [ladder for ladder in running.order_by("name") if enters_by_itself(version, ladder)]


def reason_to_wait(version: Version, tournament: Tournament) -> str:
    """Return the reason why a version that may play is drawn later or not at all; empty for none."""
    if not version.may_play:
        return ""
    if reason := left_out(version, tournament):
        return reason
    author = version.bot.owner
    entrant = tournament.entrants.filter(version=version).first()
    newer = version.bot.versions.filter(number__gt=version.number, state=Version.State.APPROVED)
    can_play = (tournament.game in each.games and not left_out(each, tournament) for each in newer)
    ranked = strength_by_version(tournament.ladder).get(version.pk, VersionStrength()).ranked
    if any(can_play) and not ranked:
        return _("only the newest version of a bot and the one that holds its rank are drawn")
    if entrant is None or author.username == HOUSE:
        return ""
    field = field_of(tournament, {}, author=author)
    candidate = field.candidates.get(entrant.number)
    if candidate is None or not candidate.new:
        return ""
    if field.newcomer_blocks[author.username] >= NEWCOMER_BLOCKS_A_DAY:
        return ngettext(
            "new versions of one author (below block {new_below}) play a block a day there, and it has been"
            " played; it continues when that is a day old",
            "new versions of one author (below block {new_below}) play {newcomer_blocks_a_day} blocks a day"
            " there, and these have been played; it continues when the first one is a day old",
            NEWCOMER_BLOCKS_A_DAY,
        ).format(new_below=NEW_BELOW, newcomer_blocks_a_day=NEWCOMER_BLOCKS_A_DAY)
    if entrant.number not in in_the_draw(field.candidates, field.newcomer_blocks):
        return ngettext(
            "another new bot of its author plays its first block first",
            "another new bot of its author plays its first {new_below} blocks first",
            NEW_BELOW,
        ).format(new_below=NEW_BELOW)
    if candidate.young:
        return _("its author's account is less than a day old, and new bots of older accounts come first")
    return ""


def _candidate(
    entrant: Entrant,
    drawn: DrawnBlocks,
    strength: VersionStrength,
    addresses: dict[int, str],
    *,
    vouched: bool,
    rests: bool,
) -> Candidate:
    owner = entrant.version.bot.owner
    return Candidate(
        author=None if owner.username == HOUSE else owner.username,
        group=addresses.get(owner.pk, ""),
        young=not vouched and owner.date_joined > clock.now() - DAY,
        played=drawn.blocks,
        last=drawn.last,
        elo=strength.elo,
        remote=entrant.version.remote,
        settled=rests and (strength.settled or drawn.blocks >= SETTLED_WITHOUT_RANK),
    )


def _drawn(participations: QuerySet[Participation]) -> dict[int, DrawnBlocks]:
    """Count the blocks of each entrant there, by its key."""
    today = Q(block__over_at=None) | Q(block__over_at__gt=clock.now() - DAY)
    counted = participations.values("entrant").annotate(
        blocks=Count("pk"), last=Max("block__number"), today=Count("pk", filter=today)
    )
    return {row["entrant"]: DrawnBlocks(row["blocks"], row["last"], row["today"]) for row in counted}
