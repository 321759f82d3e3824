"""The way through a knock-out, round by round, worked out from the blocks that were played.

What is over stays over: a round is judged with all who were there, also with those who left afterwards. Only
the places of later rounds are filled again.

Who goes on is decided by what was played, so that a forfeit lets no other go on: a seat goes on that only the
substitute brought so far, and its bot is placed behind those that went out in the round that it forfeited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from stichkampf_platform.tournaments.formats import ranking
from stichkampf_platform.tournaments.formats.competition import Competition, Past
from stichkampf_platform.tournaments.formats.ranking import Tiers

FURTHER_BLOCKS = 4
"""The most further blocks of a group that settle a tie."""

RESULT, FURTHER, DIRECT, OPPONENTS, LOT, SHARED = "result", "further", "direct", "opponents", "lot", "shared"
LEFT, STAYED, AGAIN, OPEN = "left", "stayed", "again", "open"


@dataclass(frozen=True)
class GroupResult:
    """A group in a round, and what became of it.

    :ivar members: all that played in it.
    :ivar through: those that go on, or the first of the final: the best first.
    :ivar how: the criterion that decided which these are; `left`: one left, and none could come in;
        `stayed`: one left a tie before it was settled; `again`: the group played again with others; `open`:
        it has to play on.
    :ivar further: further blocks that it has played.
    :ivar came: members that came in for others, or filled a final.
    :ivar away: members that left before the next round was drawn.
    :ivar to_play: those that play its next blocks, where it has to play on.
    :ivar passed: those that went out last and had done as well as one that came in: a lot decided.
    """

    members: frozenset[int]
    through: tuple[int, ...] = ()
    how: str = RESULT
    further: int = 0
    came: frozenset[int] = frozenset()
    away: frozenset[int] = frozenset()
    to_play: frozenset[int] = frozenset()
    passed: frozenset[int] = frozenset()

    @property
    def cut_short(self) -> bool:
        """True for a tie that could not be played on to the end, since a bot had left."""
        return self.further < FURTHER_BLOCKS

    @property
    def left_a_tie(self) -> frozenset[int]:
        """Members that left a tie before it was settled, and so come behind who stayed."""
        return self.away if self.how == STAYED else frozenset()


@dataclass
class Elimination:
    """The state after some rounds.

    :ivar alive: those that play on, by seed.
    :ivar gone: those that went out, of the latest round first; those of one tier did equally well.
    :ivar final: the order of the final, once it is over.
    :ivar results: for each round, what became of its groups.
    :ivar carried: those that went on only by what they forfeited, each with the first round of that.
    :ivar byes: for each round, those that had one.
    :ivar final_round: the number of the final, once it is drawn.
    """

    alive: list[int]
    gone: Tiers = field(default_factory=list)
    final: Tiers | None = None
    results: list[list[GroupResult]] = field(default_factory=list)
    carried: dict[int, int] = field(default_factory=dict)
    byes: list[list[int]] = field(default_factory=list)
    final_round: int | None = None

    @property
    def settled(self) -> bool:
        """True if no group of the last round has to play on."""
        return not self.results or all(result.how != OPEN for result in self.results[-1])


def after(competition: Competition, past: Past) -> Elimination:
    """Return the state after the rounds so far; the last one may have groups that play on."""
    state = Elimination(first_seeds(competition))
    for number in range(len(past.rounds)):
        _play(competition, past, state, number)
    return state


def first_seeds(competition: Competition) -> list[int]:
    """Return all entrants by seed: by their places in the tournament before, else by lot."""
    if competition.seeded:
        return sorted(competition.authors)
    lot = competition.lot("seeds")
    return sorted(lot, key=lot.__getitem__)


def drawn(competition: Competition, state: Elimination, number: int) -> list[int]:
    """Return those that play round `number` or have a bye in it, by seed.

    An empty place is filled with the best that went out last, and so is a final that is not full; those that
    come in so are seeded last and have no bye.
    """
    size = competition.group_size
    present = [one for one in state.alive if competition.plays(one, number)]
    out = [one for tier in state.gone for one in tier if competition.plays(one, number)]
    wanted = size if len(state.alive) <= size else len(state.alive)
    coming = out[: wanted - len(present)]
    while coming and len(present) + len(coming) > size and (len(present) + len(coming)) % size > len(present):
        coming.pop()
    return present + coming


def regular_shares(competition: Competition, past: Past, number: int) -> dict[int, float]:
    """Return what each entrant kept in the blocks that a round had to have, without further ones."""
    return _shares(competition, past, number, RESULT, frozenset().union(*past.rounds[number]))


def _play(competition: Competition, past: Past, state: Elimination, number: int) -> None:
    field = drawn(competition, state, number)
    is_final = len(field) <= competition.group_size
    results = _results(competition, past.as_played, state, number, is_final)
    for result in results:
        for one in _carried(competition, past, number, result, is_final):
            state.carried.setdefault(one, number)
    state.results.append(results)
    state.final_round = number if is_final else None
    playing = frozenset().union(*past.rounds[number])
    byes = [one for one in field if one not in playing]
    state.byes.append(byes)
    if not state.settled:
        return
    through = [one for result in results for one in result.through]
    out = sorted(playing - set(through))
    gone = [[one for one in tier if one not in playing] for tier in state.gone]
    state.gone = [tier for tier in gone if tier]
    if is_final:
        result = results[-1]
        there = result.members - result.away if result.how == LEFT else result.members
        *_, (_, state.final) = _parted(competition, past, number, [sorted(there)], result.left_a_tie)
        state.alive = []
        return
    seeds = {one: seed for seed, one in enumerate(field)}
    shares = _shares(competition, past.as_played, number, RESULT, playing)
    state.alive = byes + sorted(through, key=lambda one: (-shares.get(one, 0.0), seeds.get(one, len(seeds))))
    losers = _by(competition, past, number, [out], RESULT, DIRECT, OPPONENTS) if out else []
    lot = competition.lot(f"after round {number + 1}")
    state.gone = [sorted(tier, key=lot.__getitem__) for tier in losers] + state.gone


def _carried(
    competition: Competition, past: Past, number: int, result: GroupResult, is_final: bool
) -> list[int]:
    """Return those of a group that went on, and would not have by what they keep."""
    if is_final or result.how == LEFT or not result.through:
        return []
    members, places = [sorted(result.members)], len(result.through)
    tiers, _ = _cut(competition, past, number, members, places, is_final, result.left_a_tie)
    return [one for one in result.through if one not in _first(tiers, len(result.through))]


def _results(
    competition: Competition, past: Past, state: Elimination, number: int, is_final: bool
) -> list[GroupResult]:
    blocks = past.blocks_of(number)
    groups = list(blocks)
    later: set[int] = set()
    again = set()
    for group in reversed(groups):
        if group & later:
            again.add(group)
        later |= group
    first = set(state.alive)
    replacements = [
        one
        for tier in state.gone
        for one in tier
        if one not in competition.out and not any(one in group for group in groups)
    ]
    results = []
    for group in groups:
        away = frozenset(
            one for one in group if one in competition.out and not competition.plays(one, number + 1)
        )
        came = group - first
        played = [block for block in blocks[group] if block not in past.unplayed]
        whole = len(played) >= competition.blocks
        if group in again:
            results.append(GroupResult(group, how=AGAIN, away=group - _rest(groups, group), came=came))
        elif away and not whole:
            result = _without(competition, past, number, group, away, is_final, replacements)
            results.append(result)
            replacements = [one for one in replacements if one not in result.to_play]
        else:
            results.append(_decided(competition, past, number, group, away, came, is_final))
    there = frozenset().union(*groups)
    waiting = [{one for one in tier if competition.plays(one, number)} for tier in state.gone]

    def passed(came: frozenset[int]) -> frozenset[int]:
        return frozenset().union(*(tier for tier in waiting if tier & came)) - there

    return [replace(result, passed=passed(result.came)) for result in results]


def _rest(groups: list[frozenset[int]], group: frozenset[int]) -> frozenset[int]:
    """Return the members of a group that played again in a later one of the same round."""
    return group & frozenset().union(*groups[groups.index(group) + 1 :])


def _decided(
    competition: Competition,
    past: Past,
    number: int,
    group: frozenset[int],
    away: frozenset[int],
    came: frozenset[int],
    is_final: bool,
) -> GroupResult:
    """Judge a group that has played all its blocks."""
    places = 1 if is_final else competition.group_size // 2
    regular, further = _parts(competition, past, number, group)
    tiers, how = _cut(competition, past, number, [sorted(group)], places, is_final)
    if how not in (RESULT, FURTHER) and len(further) < FURTHER_BLOCKS and regular:
        if not away:
            return GroupResult(group, how=OPEN, further=len(further), came=came, to_play=group)
        tiers, how = _cut(competition, past, number, [sorted(group)], places, is_final, left=away)
    return GroupResult(group, _first(tiers, places), how, len(further), came, away)


def _without(
    competition: Competition,
    past: Past,
    number: int,
    group: frozenset[int],
    away: frozenset[int],
    is_final: bool,
    replacements: list[int],
) -> GroupResult:
    """Judge a group that lost somebody before it had played all its blocks.

    It plays again with the best that went out last. Where none is left to come in, those that are there go
    on: the best by the blocks that were played, or all where none was.
    """
    there = group - away
    if there and len(replacements) >= len(away):
        coming = frozenset(replacements[: len(away)])
        return GroupResult(group, how=OPEN, away=away, came=coming, to_play=there | coming)
    places = 1 if is_final else competition.group_size // 2
    regular, _ = _parts(competition, past, number, group)
    if len(there) <= places or (not regular and not is_final):
        return GroupResult(group, tuple(sorted(there)), LEFT, away=away)
    tiers, _ = _cut(competition, past, number, [sorted(there)], places, is_final)
    return GroupResult(group, _first(tiers, places), LEFT, away=away)


def _cut(
    competition: Competition,
    past: Past,
    number: int,
    tiers: Tiers,
    places: int,
    is_final: bool,
    left: frozenset[int] = frozenset(),
) -> tuple[Tiers, str]:
    """Part those that go on from those that go out; return the order and the criterion that did it."""
    for how, parted in _parted(competition, past, number, tiers, left):
        tiers = parted
        if ranking.is_cut(tiers, places):
            return tiers, how
    if is_final:
        return tiers, SHARED
    lot = competition.lot(f"after round {number + 1}")
    return [[one] for tier in tiers for one in sorted(tier, key=lot.__getitem__)], LOT


def _parted(
    competition: Competition, past: Past, number: int, tiers: Tiers, left: frozenset[int]
) -> Iterator[tuple[str, Tiers]]:
    """Part entrants by one criterion after the other, and yield each with the order that it leaves.

    :param left: those that left a tie before it was settled. They come behind who stayed.
    """
    for how in (RESULT, FURTHER, STAYED, DIRECT, OPPONENTS):
        if how == STAYED:
            tiers = ranking.refined(tiers, lambda tier: {one: float(one not in left) for one in tier})
        else:
            tiers = _by(competition, past, number, tiers, how)
        yield how, tiers


def _by(competition: Competition, past: Past, number: int, tiers: Tiers, *criteria: str) -> Tiers:
    """Part entrants of a round by criteria that need no lot; equals stay in one tier."""
    until = past.after(number + 1)
    for how in criteria:
        if how == DIRECT:
            tiers = ranking.refined(tiers, partial(ranking.direct, until))
        elif how == OPPONENTS:
            tiers = ranking.refined(tiers, ranking.opponents_measure(until))
        else:
            shares = _shares(competition, past, number, how, frozenset().union(*tiers))
            tiers = ranking.refined(tiers, partial(ranking.known, shares))
    return tiers


def _shares(
    competition: Competition, past: Past, number: int, how: str, entrants: frozenset[int]
) -> dict[int, float]:
    """Return shares of entrants in the blocks that a round had to have, or in its further ones."""
    found: dict[int, float] = {}
    for group in past.blocks_of(number):
        if group.isdisjoint(entrants):
            continue
        regular, further = _parts(competition, past, number, group)
        found |= past.shares_in(regular if how == RESULT else further)
    return found


def _parts(
    competition: Competition, past: Past, number: int, group: frozenset[int]
) -> tuple[list[int], list[int]]:
    """The blocks of a group that it had to play, and its further ones, as far as they were played whole."""
    played = [block for block in past.blocks_of(number)[group] if block not in past.unplayed]
    return played[: competition.blocks], played[competition.blocks :]


def _first(tiers: Tiers, places: int) -> tuple[int, ...]:
    """Return the first of an order; all of the first tier, where these are more than there are places."""
    found: list[int] = []
    for tier in tiers:
        if len(found) >= places:
            break
        found += tier
    return tuple(found)
