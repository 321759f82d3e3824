"""The benchmark: a fixed protocol by which bots are compared that never met.

A bot plays duplicate blocks against a fixed pool of house bots that read no clock, on fixed deals of every
game. The same bot gets the same figures to the bit, on every machine, if it draws its random numbers from
`table.rng` alone.
"""

from __future__ import annotations

from stichkampf.benchmark.figures import GameFigures, mean_of, overall
from stichkampf.benchmark.protocol import PROTOCOL, Protocol, ProtocolGame
from stichkampf.benchmark.report import citation, report, table_of
from stichkampf.benchmark.run import (
    BenchmarkBlock,
    BenchmarkJournal,
    blocks_of,
    comparisons_a_block,
    play_blocks,
)

__all__ = [
    "PROTOCOL",
    "BenchmarkBlock",
    "BenchmarkJournal",
    "GameFigures",
    "Protocol",
    "ProtocolGame",
    "blocks_of",
    "citation",
    "comparisons_a_block",
    "mean_of",
    "overall",
    "play_blocks",
    "report",
    "table_of",
]
