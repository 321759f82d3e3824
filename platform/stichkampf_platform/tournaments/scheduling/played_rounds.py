"""The rounds of a tournament as people follow them: groups, who took how much, who goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import Count, Max

from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.scheduling.rounds import past_of

KEPT = 64
"""Tournaments whose rounds each process keeps worked out."""

Rounds = tuple[tuple[list[frozenset[int]], dict[int, float]], ...]


@dataclass(frozen=True)
class GroupMember:
    """An entrant in its group.

    :ivar share: the part of the same-hand points that it took, from 0 to 1; `None` before the round is over.
    :ivar goes_on: true if it plays the next round, or is the first of the last one.
    """

    entrant: Entrant
    share: float | None
    goes_on: bool

    @property
    def percent(self) -> float:
        return 100 * (self.share or 0.0)


@dataclass(frozen=True)
class PlayedRound:
    """A round that has been drawn.

    :ivar number: from 1.
    :ivar over: true if all its blocks are over; nothing of their results shows before.
    :ivar groups: the best of each stands first, once the round is over.
    :ivar resting: entrants of the next round, or of a later one, that had no table in this one.
    """

    number: int
    over: bool
    groups: list[list[GroupMember]]
    resting: list[Entrant]


def played_rounds(tournament: Tournament, entrants: Sequence[Entrant]) -> list[PlayedRound]:
    """Return the rounds of a tournament that have been drawn, in order.

    :param entrants: all of them.
    """
    rounds, by_number = _rounds(tournament), {entrant.number: entrant for entrant in entrants}
    playing = [frozenset().union(*groups) for groups, _shares in rounds]
    winner = next((entrant.number for entrant in entrants if entrant.place == 1), None)
    ended = tournament.state == Tournament.State.FINISHED
    found = []
    for number, (drawn, all_shares) in enumerate(rounds):
        over = number < tournament.rounds_over
        shares = all_shares if over else {}
        later = frozenset().union(*playing[number + 1 :])
        last = number == len(rounds) - 1
        on = frozenset([winner] if ended and winner is not None else []) if last else playing[number + 1]
        groups = []
        for group in drawn:
            order = sorted(group, key=lambda who: (-shares.get(who, 0.0), by_number[who].place or 0, who))
            groups.append([GroupMember(by_number[who], shares.get(who), over and who in on) for who in order])
        resting = [by_number[who] for who in sorted(later - playing[number])]
        found.append(PlayedRound(number + 1, over, groups, resting))
    return found


def _rounds(tournament: Tournament) -> Rounds:
    """Return the groups of each round and the shares taken in it, worked out once as long as nothing changes.

    A block that is drawn, ends, or is played again changes them; nothing else does.
    """
    counts = tournament.blocks.aggregate(
        Count("pk"), Max("pk"), Count("over_at"), Max("over_at"), Count("replaced_by")
    )
    return _worked_out(tournament, tournament.started_at, *counts.values())


@lru_cache(maxsize=KEPT)
def _worked_out(tournament: Tournament, *_as_of: object) -> Rounds:
    past = past_of(tournament)
    return tuple((past.groups(number), past.shares(number)) for number in range(len(past.rounds)))
