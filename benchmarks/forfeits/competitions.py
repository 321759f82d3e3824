"""A ladder and every format with a bot that fails, and with the substitute in its place."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from failing import ELO_OF_A_UNIT, Cast, Failure, Floats, play
from rules import Rule, results, stands
from stichkampf.rating import ELO_PER_STRENGTH, Results, compare, fit_strengths
from stichkampf.rating.forfeited_blocks import set_apart
from stichkampf.schedule import seatings
from stichkampf_platform.tournaments.formats import ROUND_FORMATS
from stichkampf_platform.tournaments.formats.competition import Competition, Past

SEATS = 4
LADDER_BOTS = 12
LADDER_BLOCKS = 360
SEASONS = {
    "ladder": 450,
    "gauntlet": 2000,
    "round-robin": 1200,
    "regression": 300,
    "swiss": 1200,
    "knock-out": 12_000,
}
"""Seasons after which the intervals are narrow enough to tell the goal."""
FORMATS: dict[str, dict[str, Any]] = {
    "round-robin": {"entrants": 8, "blocks": 28},
    "swiss": {"entrants": 9, "blocks": 2, "rounds": 5},
    "knock-out": {"entrants": 8, "blocks": 4},
    "gauntlet": {"entrants": 7, "blocks": 20},
    "regression": {"entrants": 2, "blocks": 64, "rated": False, "stopping": "decided"},
}


def cast_of(bots: int, stronger_by: float = 0.0) -> Cast:
    """Bots from weak to strong in even steps; the substitute is in the middle, and so is who fails.

    :param stronger_by: how many Elo the failing bot is above the substitute.
    """
    skill = np.linspace(-0.5, 0.5, bots)
    failing = bots // 2
    skill[failing] = stronger_by / ELO_OF_A_UNIT
    others = [bot for bot in range(bots) if bot != failing]
    friends = tuple(others[1:6:2]) if bots > 6 else tuple(others)
    return Cast(skill, 0.0, failing, rival=others[-2:][0], friends=friends)


@dataclass(frozen=True)
class Outcome:
    """Results of the others, by number; nan for the failing bot.

    :ivar elo: by the ratings.
    :ivar place: among the others.
    """

    elo: Floats
    place: Floats


def ladder_season(cast: Cast, rule: Rule, failure: Failure | None, seed: list[int]) -> Outcome:
    """Rate blocks of four drawn at random."""
    chance = np.random.default_rng([*seed, 2])
    bots = len(cast.skill)
    drawn = np.argsort(chance.random((LADDER_BLOCKS, bots)), axis=1)[:, :SEATS]
    tables = np.array(seatings(SEATS)[:SEATS])
    who = drawn[:, tables]
    matrix = stands(cast, who, None, seed) if failure is None else rule(cast, who, failure, seed)
    elo = elo_of_the_others(fit_strengths(matrix / 2)[:bots], cast)
    return Outcome(elo, places(elo))


def elo_of_the_others(strengths: Floats, cast: Cast) -> Floats:
    """Return ratings above the mean of those that are neither friend nor rival nor fail."""
    elo = ELO_PER_STRENGTH * strengths
    aside = {cast.failing, cast.rival, *cast.friends}
    panel = [bot for bot in range(len(elo)) if bot not in aside]
    elo = elo - (elo[panel].mean() if panel else 0.0)
    elo[cast.failing] = np.nan
    return elo


def places(worth: Floats) -> Floats:
    """Return places of all that are not nan; equals share the mean of theirs."""
    better = (worth[None, :] > worth[:, None]).sum(axis=1)
    equal = (worth[None, :] == worth[:, None]).sum(axis=1)
    return np.where(np.isnan(worth), np.nan, better + (equal + 1) / 2)


def tournament(name: str, cast: Cast, failure: Failure | None, seed: list[int]) -> Outcome:
    """Play one tournament to its end, by the format's own draws, ties and standings."""
    asked = dict(FORMATS[name])
    bots = asked.pop("entrants")
    names = {number: f"bot-{number}" for number in range(bots)}
    competition = Competition(
        authors=dict(names), names=names, game="stiche-raten", seats=SEATS,
        seed=sha256(repr(seed).encode()).digest(), **asked,
    )  # fmt: skip
    format = ROUND_FORMATS[name]
    rounds: list[tuple[frozenset[int], ...]] = []
    parts: list[Results] = []
    while True:
        past = Past(tuple(rounds), compare(_joined(parts)) if parts else None)
        further = format.further_blocks(competition, past) if rounds else []
        plan = further or format.next_round(competition, past)
        if not plan:
            break
        who = np.array(plan)
        first = sum(map(len, rounds))
        score, forfeit = play(cast, who, failure, [*seed, first])
        parts.append(results(bots, who, score, forfeit, first))
        groups = tuple(frozenset(block.ravel().tolist()) for block in who)
        if further:
            rounds[-1] += groups
        else:
            rounds.append(groups)
    assert past.comparisons is not None
    apart = set_apart(past.comparisons)
    strengths = apart.shares @ fit_strengths(apart.comparisons.half_point_matrix / 2)
    lines = {line.entrant: line.place for line in format.standings(competition, past)}
    others = [bot for bot in range(bots) if bot != cast.failing]
    by_place = np.array([-float(lines.get(bot) or bots) for bot in range(bots)])
    worth = by_place if lines else strengths.round(6)
    worth[cast.failing] = np.nan
    elo = elo_of_the_others(strengths, cast) if bots > 2 else _against_the_other(strengths, cast, others[0])
    return Outcome(elo, places(worth))


def _against_the_other(strengths: Floats, cast: Cast, other: int) -> Floats:
    elo = np.full(len(strengths), np.nan)
    elo[other] = ELO_PER_STRENGTH * (strengths[other] - strengths[cast.failing])
    return elo


def _joined(parts: list[Results]) -> Results:
    columns: dict[str, Any] = {}
    for column in ("entrant", "hand", "score", "forfeit"):
        columns[column] = np.concatenate([getattr(part, column) for part in parts])
    blocks, tables, first_table = [], [], 0
    for part in parts:
        blocks.append(part.block + part.blocks[0])
        tables.append(part.table + first_table)
        first_table += int(part.table.max()) + 1
    return Results(
        parts[0].entrants,
        tuple(range(parts[-1].blocks[-1] + 1)),
        block=np.concatenate(blocks),
        table=np.concatenate(tables),
        **columns,
    )
