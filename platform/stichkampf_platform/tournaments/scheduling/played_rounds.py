"""The rounds of a tournament as people follow them: groups, who took how much, who goes on and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from django.db.models import Count, Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from stichkampf_platform.tournaments.formats import elimination, round_format, shown_format
from stichkampf_platform.tournaments.formats.elimination import GroupResult
from stichkampf_platform.tournaments.formats.ranking import EVEN
from stichkampf_platform.tournaments.models import Entrant, Tournament
from stichkampf_platform.tournaments.scheduling.rounds import asked_of, past_of

KEPT = 64
"""Tournaments whose rounds each process keeps worked out."""


@dataclass(frozen=True)
class GroupMember:
    """An entrant in its group.

    :ivar share: the part of the same-hand points that it took, from 0 to 1, without further blocks that
        settle a tie; `None` before the round is over.
    :ivar goes_on: true if it is through to the next round, or wins the final.
    """

    entrant: Entrant
    share: float | None
    goes_on: bool

    @property
    def percent(self) -> float:
        return 100 * (self.share or 0.0)


@dataclass(frozen=True)
class PlayedGroup:
    """A group of a round.

    :ivar members: the best first, once the round is over.
    :ivar note: how a tie was settled, or an empty place filled; empty where there was none.
    """

    members: list[GroupMember]
    note: str


@dataclass(frozen=True)
class RestingEntrant:
    """An entrant without a table in a round.

    :ivar worth: the points that the round is worth to it so far; `None` where points are not counted.
    """

    entrant: Entrant
    worth: float | None


@dataclass(frozen=True)
class PlayedRound:
    """A round that has been drawn.

    :ivar number: from 1.
    :ivar over: true if it is over; nothing of its results shows before.
    :ivar resting: entrants that had no table in this one, and play on or have points.
    """

    number: int
    over: bool
    is_final: bool
    groups: list[PlayedGroup]
    resting: list[RestingEntrant]


@dataclass(frozen=True)
class _Drawn:
    """A round, worked out once: groups, shares, those that rest with its worth, what became of it, and
    those that went on only by what the substitute played.
    """

    groups: list[frozenset[int]]
    shares: dict[int, float]
    resting: dict[int, float | None]
    results: dict[frozenset[int], GroupResult]
    carried: frozenset[int]
    is_final: bool


def played_rounds(tournament: Tournament, entrants: Sequence[Entrant]) -> list[PlayedRound]:
    """Return the rounds of a tournament that have been drawn, in order.

    :param entrants: all of them, by number.
    """
    by_number = {entrant.number: entrant for entrant in entrants}
    found = []
    for number, drawn in enumerate(_rounds(tournament, entrants)):
        over = number < tournament.rounds_over
        shares = drawn.shares if over else {}
        groups = []
        for group in drawn.groups:
            result = drawn.results.get(group)
            again = result is not None and result.how == elimination.AGAIN
            on = result.through if over and result else ()
            if drawn.is_final and on:  # who was better may have forfeited, or be out
                on = tuple(who for who in group if by_number[who].place == 1)
            order = sorted(group, key=lambda who: (-shares.get(who, 0.0), who not in on, who))
            members = [
                GroupMember(by_number[who], None if again else shares.get(who), who in on) for who in order
            ]
            note = [_note(result, by_number, over=over) if result else ""]
            note += [_carried(by_number[who]) for who in order if who in on and who in drawn.carried]
            groups.append(PlayedGroup(members, " ".join(filter(None, note))))
        resting = [RestingEntrant(by_number[who], worth) for who, worth in drawn.resting.items()]
        found.append(PlayedRound(number + 1, over, drawn.is_final, groups, resting))
    return found


def rests(tournament: Tournament) -> list[tuple[int, RestingEntrant]]:
    """Return the entrants without a table in each round, with the number of the round, from 1."""
    if tournament.started_at is None or not shown_format(tournament.format).shows_rounds:
        return []
    entrants = list(tournament.entrants.select_related("version__bot__owner").order_by("number"))
    rounds = played_rounds(tournament, entrants)
    return [(round.number, resting) for round in rounds for resting in round.resting]


def _note(result: GroupResult, by_number: dict[int, Entrant], *, over: bool) -> str:
    """Tell who left and came in, and how a tie was settled; the latter once the round is over."""
    away, came, passed = (
        ", ".join(sorted(by_number[who].version.bot.label for who in group))
        for group in (result.away, result.came, result.passed)
    )
    told = []
    if result.how == elimination.AGAIN:
        again = ngettext(
            "{away} left: the group plays again, with another in the empty place.",
            "{away} left: the group plays again, with others in the empty places.",
            len(result.away),
        )
        told.append(again.format(away=away))
    elif passed and result.came <= result.members:
        by_lot = _("{came} came in by lot: {passed} went out last, too, and had done as well.")
        told.append(by_lot.format(came=came, passed=passed))
    elif came and result.came <= result.members:
        told.append(_("{came} came in: the best that went out last.").format(came=came))
    if result.how == elimination.LEFT:
        told.append(_("{away} left, and there was no other to come in: the rest go on.").format(away=away))
    if over:
        told.append(_settled(result))
    return " ".join(filter(None, told))


def _carried(entrant: Entrant) -> str:
    told = _(
        "Only what the substitute played brought {bot} further: it is placed behind those that went out here."
    )
    return told.format(bot=entrant.version.bot.label)


def _settled(result: GroupResult) -> str:
    if result.how == elimination.STAYED:
        return _("A tie; who left before it was settled comes behind.")
    further = ngettext("{count} further block", "{count} further blocks", result.further).format(
        count=result.further
    )
    if result.how == elimination.FURTHER:
        return _("A tie, decided after {further}.").format(further=further)
    decided = {
        elimination.DIRECT: _("decided by their meetings in all rounds."),
        elimination.OPPONENTS: _("decided by the strength of their opponents."),
        elimination.LOT: _("decided by lot."),
        elimination.SHARED: _("shared."),
    }
    if result.how not in decided:
        return ""
    if result.further and result.cut_short:
        tie = _("A tie, also after {further}, and no other could be played, since a bot had left;").format(
            further=further
        )
    elif result.further:
        tie = _("A tie, also after {further};").format(further=further)
    else:
        tie = _("A tie, and no further block could be played, since a bot had left;")
    return f"{tie} {decided[result.how]}"


def _rounds(tournament: Tournament, entrants: Sequence[Entrant]) -> tuple[_Drawn, ...]:
    """Return the rounds that were drawn, worked out once as long as nothing changes.

    A block that is drawn, ends, or is played again changes them, and an entrant that leaves.
    """
    counts = tournament.blocks.aggregate(
        Count("pk"), Max("pk"), Count("over_at"), Max("over_at"), Count("replaced_by")
    )
    left = sum(entrant.out_at is not None for entrant in entrants)
    return _worked_out(tournament, tournament.started_at, tournament.rounds_over, left, *counts.values())


@lru_cache(maxsize=KEPT)
def _worked_out(tournament: Tournament, *_as_of: object) -> tuple[_Drawn, ...]:
    entrants = list(tournament.entrants.select_related("version__bot__owner"))
    asked, past, format = asked_of(tournament, entrants), past_of(tournament), round_format(tournament.format)
    settled, playing = (
        past.after(tournament.rounds_over),
        [frozenset().union(*groups) for groups in past.rounds],
    )
    state = elimination.after(asked, past) if format.knocks_out and tournament.lot_seed else None
    found = []
    for number, there in enumerate(playing):
        if state is not None:
            results = {result.members: result for result in state.results[number]}
            resting: dict[int, float | None] = dict.fromkeys(state.byes[number])
        elif format.knocks_out:
            later = frozenset().union(*playing[number + 1 :])
            through = later if number < len(playing) - 1 else {e.number for e in entrants if e.place == 1}
            results = {group: GroupResult(group, tuple(group & through)) for group in past.groups(number)}
            resting = dict.fromkeys(later - there)
        else:
            results = {}
            absent = [who for who in asked.authors if who not in there and asked.plays(who, number)]
            worth = partial(format.rest_worth, asked, settled) if tournament.lot_seed else (lambda who: EVEN)
            resting = {who: worth(who) for who in absent}
        final = number == (state.final_round if state else len(playing) - 1 if format.knocks_out else None)
        carried = {who for who, since in state.carried.items() if since == number} if state else ()
        shares = elimination.regular_shares(asked, past, number) if state else past.shares(number)
        found.append(_Drawn(past.groups(number), shares, resting, results, frozenset(carried), final))
    return tuple(found)
