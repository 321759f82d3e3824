"""Tables of Elo, and the goals met and missed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from stichkampf.bots.registry import ANCHORS
from stichkampf.games import GAMES, new_game
from stichkampf.rating import RatingTable, Results, rate

from benchmarks.equal_time.pairings import LEVELS, OPTIONS, PAIRINGS, Job, blocks_of, usual_seats


@dataclass(frozen=True)
class Lead:
    """The lead of the first entrant of a pairing over the second in one game, in Elo.

    :ivar plus_minus: half of the 95% interval.
    :ivar wanted: blocks that the measurement has when it is whole.
    """

    game: str
    seats: int
    elo: float
    plus_minus: float
    blocks: int
    wanted: int
    spent: str

    @property
    def lower(self) -> float:
        return self.elo - self.plus_minus

    @property
    def is_usual(self) -> bool:
        return self.seats == usual_seats(self.game)


@dataclass(frozen=True)
class Goal:
    """A goal and whether it is met."""

    text: str
    met: bool

    def __str__(self) -> str:
        return f"- {self.text}: {'met' if self.met else '**missed**'}"


def table_of(rows: Sequence[dict[str, Any]]) -> RatingTable:
    """Rate the entrants of blocks of one game and number of seats; anchors have 1500 in the mean."""
    first = rows[0]
    partners = new_game(first["game"], first["seats"], OPTIONS[first["game"]]).partners
    plan = PAIRINGS[first["pairing"]].plan(first["seats"], 1 + max(row["block"] for row in rows), partners)
    results = [
        (row["block"], seat, entrant, points)
        for row in rows
        for table, of_table in zip(plan[row["block"]].tables, row["points"], strict=True)
        for seat, (entrant, points) in enumerate(zip(table, of_table, strict=True))
    ]
    entrants = {entrant for _, _, entrant, _ in results}
    anchors = [each for each in ANCHORS if each in entrants]
    return rate(Results.from_rows(results), anchors=anchors or None, partners=partners)


def spent_by(rows: Sequence[dict[str, Any]], entrants: Sequence[str]) -> str:
    """Say the mean milliseconds and iterations of a decision of each entrant."""
    said = []
    for entrant in entrants:
        spent = [row["spent"][entrant] for row in rows if entrant in row["spent"]]
        decisions = sum(each[0] for each in spent) or 1
        milliseconds, iterations = (sum(each[0] * each[k] for each in spent) / decisions for k in (1, 2))
        said.append(f"{milliseconds:.2f} ms" + (f", {iterations:.0f}" if iterations else ""))
    return " / ".join(said)


def grouped(rows: Sequence[dict[str, Any]], pairing: str) -> Iterator[tuple[str, int, list[dict[str, Any]]]]:
    """Yield the rows of each game and number of seats of a pairing, the usual number first."""
    found = defaultdict(list)
    for row in rows:
        if row["pairing"] == pairing:
            found[row["game"], row["seats"]].append(row)
    for game in GAMES:
        for seats in blocks_of(game, pairing):
            if (game, seats) in found:
                yield game, seats, found[game, seats]


def leads_of(rows: Sequence[dict[str, Any]], pairing: str) -> list[Lead]:
    first, second = PAIRINGS[pairing].entrants
    leads = []
    for game, seats, of_group in grouped(rows, pairing):
        lead = table_of(of_group).difference(first, second)
        wanted = blocks_of(game, pairing)[seats]
        spent = spent_by(of_group, (first, second))
        plus_minus = float("inf") if lead.plus_minus is None else lead.plus_minus
        leads.append(Lead(game, seats, lead.elo, plus_minus, len(of_group), wanted, spent))
    return leads


def goals_of(pairing: str, leads: Sequence[Lead]) -> list[Goal]:
    """Judge the leads of a pairing; those at the usual numbers of seats, unless all are named."""
    usual = [lead for lead in leads if lead.is_usual]
    clear = sum(lead.lower > 0 for lead in usual)
    by_game = {lead.game: lead for lead in usual}
    if pairing == "earlier":
        mean = sum(lead.elo for lead in usual) / len(usual)
        return [
            Goal(f"the interval is above 0 in five games (in {clear})", clear >= 5),
            Goal(
                f"no estimate is below -10 (the least is {min(lead.elo for lead in leads):+.0f})",
                all(lead.elo >= -10 for lead in leads),
            ),
            Goal(
                f"+40 in three games (in {sum(lead.elo >= 40 for lead in usual)})",
                sum(lead.elo >= 40 for lead in usual) >= 3,
            ),
            Goal(f"the mean is +25 (it is {mean:+.0f})", mean >= 25),
        ]
    if pairing == "ismcts":
        high = sum(lead.elo >= 80 for lead in usual)
        return [
            Goal(f"+80 in five games (in {high})", high >= 5),
            Goal(f"the interval is above 0 in all games (in {clear} of 7)", clear == len(GAMES)),
        ]
    if pairing == "longer":
        high = [game for game in ("sticheln", "mue") if game in by_game and by_game[game].elo >= 50]
        above = sum(lead.elo > 0 for lead in usual)
        return [
            Goal(f"+50 in Sticheln and Mü (in {len(high)} of 2)", len(high) == 2),
            Goal(f"above 0 in all games (in {above} of 7)", above == len(GAMES)),
        ]
    return []


def pairing_report(rows: Sequence[dict[str, Any]], pairing: str) -> tuple[str, list[Goal]]:
    """Write the table of a pairing with its goals, which are judged over all games."""
    leads = leads_of(rows, pairing)
    if not leads:
        return f"## {PAIRINGS[pairing].title}\n\nNo block is played yet.\n", []
    goals = goals_of(pairing, leads) if {lead.game for lead in leads} == set(GAMES) else []
    lines = [
        f"## {PAIRINGS[pairing].title}",
        "",
        "| game | seats | blocks | Elo | ms, iterations of a decision, each |",
        "|---|---:|---:|---:|---|",
    ]
    for lead in leads:
        blocks = str(lead.blocks) if lead.blocks >= lead.wanted else f"{lead.blocks} of {lead.wanted}"
        lines.append(
            f"| {GAMES[lead.game].title} | {lead.seats} | {blocks} | {lead.elo:+.0f} ± {lead.plus_minus:.0f}"
            f" | {lead.spent} |"
        )
    return "\n".join([*lines, "", *map(str, goals), ""]), goals


def levels_report(rows: Sequence[dict[str, Any]]) -> tuple[str, list[Goal]]:
    """Write the table of the levels; each should be clearly above the one before."""
    entrants = PAIRINGS["levels"].entrants
    lines = [
        f"## {PAIRINGS['levels'].title}",
        "",
        f"| game | blocks | {' | '.join(f'`{entrant}`' for entrant in entrants)} |",
        f"|---|---:|{'---:|' * len(entrants)}",
    ]
    clear = []
    for game, seats, of_group in grouped(rows, "levels"):
        table = table_of(of_group)
        wanted = blocks_of(game, "levels")[seats]
        blocks = str(len(of_group)) if len(of_group) >= wanted else f"{len(of_group)} of {wanted}"
        cells = [f"{table[each].elo:.0f} ± {table[each].plus_minus or 0:.0f}" for each in entrants]
        lines.append(f"| {GAMES[game].title} | {blocks} | {' | '.join(cells)} |")
        steps = [table.difference(upper, lower) for lower, upper in pairwise(LEVELS)]
        clear.append(all(step.plus_minus is not None and step.elo > step.plus_minus for step in steps))
    if len(clear) < len(GAMES):
        return "\n".join([*lines, ""]), []
    goal = Goal(f"each level is clearly above the one before in all games (in {sum(clear)} of 7)", all(clear))
    return "\n".join([*lines, "", str(goal), ""]), [goal]


def report(rows: Sequence[dict[str, Any]], pairings: Sequence[str], jobs: Sequence[Job]) -> tuple[str, bool]:
    """Write all tables; returns them, and whether all goals are met and all blocks played."""
    pages, met = [], True
    for pairing in pairings:
        page, goals = levels_report(rows) if pairing == "levels" else pairing_report(rows, pairing)
        pages.append(page)
        met = met and bool(rows) and all(goal.met for goal in goals)
    missing = len(jobs) - len(rows)
    if missing:
        pages.append(f"{len(rows)} of {len(jobs)} blocks are played; the same command goes on.\n")
    return "\n".join(pages), met and not missing
