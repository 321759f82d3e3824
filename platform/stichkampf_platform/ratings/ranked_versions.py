"""The version of each bot that is ranked on a ladder.

The newest that has twenty blocks of its own there, or that its owner put forward. Until there is one, the
oldest that is rated holds it. A suspended version holds none, nor does a remote one that was away for a week;
then the place goes back to the one before it, which is drawn again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

from django.db.models import Case, JSONField, Q, When
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import RANKABLE_STATES, Bot, Version
from stichkampf_platform.core import clock
from stichkampf_platform.ratings.models import Snapshot

AWAY = timedelta(days=7)
"""The time after which a remote version that does not connect loses its rank."""


def ranked_by_bot(blocks: Mapping[int, int], game: str) -> dict[int, int]:
    """The ids of the versions that hold a place on a ladder of this game, by the id of their bot.

    :param blocks: of every version that is rated there. Only those of its bots can hold a place.
    """
    return holders_among(rankable_versions(blocks), blocks, game)


class RankableVersion(NamedTuple):
    """A version that can hold its bot's place.

    :ivar put_forward: the games on whose ladders its owner let it take the place early.
    """

    version: int
    bot: int
    put_forward: list[str]


def rankable_versions(rated: Collection[int]) -> list[RankableVersion]:
    """Return the versions that can hold places of the bots of these versions, by bot, oldest first."""
    bots = Version.objects.filter(pk__in=rated).values("bot")
    seen = Q(remote=False) | Q(access__last_seen_at__gte=clock.now() - AWAY)
    able = Version.objects.filter(seen, bot__in=bots, state__in=RANKABLE_STATES)
    versions = able.order_by("bot_id", "number")
    # the games of all would take long to read
    early = Case(When(put_forward_at__isnull=False, then="games"), output_field=JSONField())
    rows = versions.annotate(early=early).values_list("pk", "bot_id", "early")
    return [RankableVersion(pk, bot, games or []) for pk, bot, games in rows]


def predecessors(versions: Collection[int]) -> dict[int, int]:
    """Return by version the predecessor, of all versions of the bots of these, the oldest first."""
    bots = Version.objects.filter(pk__in=versions).values("bot")
    known = Version.objects.filter(bot__in=bots, predecessor__isnull=False).order_by("number")
    return dict(known.values_list("pk", "predecessor"))


def holders_among(
    rankable: Iterable[RankableVersion], blocks: Mapping[int, int], game: str
) -> dict[int, int]:
    """Return which of these versions hold a place on a ladder, as `ranked_by_bot`."""
    holders: dict[int, int] = {}
    for version, bot, put_forward in rankable:
        settled = blocks.get(version, 0) >= PROVISIONAL_BLOCKS
        first = version in blocks and bot not in holders
        if settled or game in put_forward or first:
            holders[bot] = version
    return holders


def holders_in(snapshot: Snapshot) -> dict[int, int]:
    """The ids of the versions that hold a place now on the ladder of a snapshot, by the id of their bot."""
    blocks = dict(snapshot.ratings.order_by().values_list("version_id", "blocks"))
    return ranked_by_bot(blocks, snapshot.ladder.game)


def ranks_changed(snapshot: Snapshot) -> bool:
    """Tell whether other versions have become the ranked ones since a snapshot was published."""
    ranked = snapshot.ratings.filter(rank__isnull=False).values_list("version_id", flat=True)
    settled = snapshot.ratings.filter(provisional=False).values_list("version_id", flat=True)
    return set(ranked) != set(settled) & set(holders_in(snapshot).values())


def promote_versions(holders: Mapping[int, int]) -> None:
    """Make a version that has earned a place the ranked one of its bot, where an older version still is.

    :param holders: the ids of the versions, by the id of their bot.
    """
    versions = Version.objects.in_bulk(holders.values())
    for bot in Bot.objects.filter(pk__in=holders).select_related("ranked_version"):
        ranked, holder = bot.ranked_version, versions[holders[bot.pk]]
        if ranked is None or ranked.number < holder.number:
            Bot.objects.filter(pk=bot.pk, ranked_version=ranked).update(ranked_version=holder)
