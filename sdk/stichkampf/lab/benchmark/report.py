"""The report of a benchmark: a table, JSON, and a line to quote."""

from __future__ import annotations

from collections.abc import Sequence

from stichkampf.engine.deal import Json
from stichkampf.lab.benchmark.figures import GameFigures, MeanWithInterval, overall
from stichkampf.lab.benchmark.protocol import Protocol

_HEADS = ("game", "Elo", "±", "share, %", "±", "points", "±", "blocks", "faults")


def report(
    protocol: Protocol, bot: str, seed: str, figures: Sequence[GameFigures], *, version: str
) -> dict[str, Json]:
    """Return all figures, with the whole numbers that they follow from.

    :param bot: its name.
    :param version: of the SDK.
    """
    return {
        "protocol": protocol.name,
        "hash": protocol.hash,
        "is_protocol": not departures(protocol, seed, figures),
        "departures": departures(protocol, seed, figures),
        "seed": seed,
        "bot": bot,
        "sdk": version,
        "pool": list(protocol.pool),
        "overall": _told(overall(figures)),
        "games": [
            {
                "game": one.game,
                "blocks": one.blocks,
                "elo": _told(one.elo),
                "share": _told(one.share),
                "points": _told(one.points_a_match(one.most // 2)),
                "faults": one.faults,
                "most": one.most,
                "blocks_by_wins": {str(wins): count for wins, count in one.blocks_by_wins.items()},
                "sum_of_points": one.points,
                "sum_of_squares": one.squares,
            }
            for one in figures
        ],
    }


def departures(protocol: Protocol, seed: str, figures: Sequence[GameFigures]) -> list[str]:
    """List what a run did otherwise than the protocol says; empty for a run of the protocol."""
    found = []
    blocks = {one.blocks for one in figures}
    if blocks != {protocol.blocks}:
        found.append(f"{' or '.join(map(str, sorted(blocks)))} blocks a game instead of {protocol.blocks}")
    missing = len(protocol.games) - len(figures)
    if missing:
        found.append(f"{len(figures)} of {len(protocol.games)} games")
    if seed != protocol.seed:
        found.append(f"deals from the seed {seed!r}")
    return found


def table_of(figures: Sequence[GameFigures]) -> str:
    """Write the table of all games, and their mean."""
    rows: list[tuple[str, ...]] = [_HEADS]
    for one in figures:
        points = one.points_a_match(one.most // 2)
        cells = [text for estimate in (one.elo, one.share, points) for text in _cells(estimate)]
        signed = [f"+{cells[0]}" if one.elo.value > 0 else cells[0], *cells[1:]]
        rows.append((one.game, *signed, str(one.blocks), str(one.faults)))
    mean = overall(figures)
    sign = "+" if mean.value > 0 else ""
    rows.append(("mean", sign + _cells(mean)[0], _cells(mean)[1], "", "", "", "", "", ""))
    widths = [max(len(row[k]) for row in rows) for k in range(len(_HEADS))]
    lines = [
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def citation(protocol: Protocol, bot: str, seed: str, figures: Sequence[GameFigures], *, version: str) -> str:
    """Write the result in one line; it says so where it is not the protocol's."""
    mean = overall(figures)
    value, half = _cells(mean)
    sign = "+" if mean.value > 0 else ""
    otherwise = departures(protocol, seed, figures)
    told = f"{protocol.name} ({protocol.hash})"
    named = f"not {told}: {', '.join(otherwise)}" if otherwise else told
    faults = sum(one.faults for one in figures)
    failed = f", {faults} faults" if faults else ""
    return f"{bot}: {sign}{value} ± {half or '?'} Elo above the pool{failed}; {named}; stichkampf {version}"


def _cells(estimate: MeanWithInterval) -> tuple[str, str]:
    half = "" if estimate.plus_minus is None else f"{estimate.plus_minus:.1f}"
    return f"{estimate.value:.1f}", half


def _told(estimate: MeanWithInterval) -> dict[str, Json]:
    return {"value": estimate.value, "plus_minus": estimate.plus_minus}
