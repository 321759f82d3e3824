"""The benchmark: a fixed protocol by which bots are compared that never met.

A bot plays duplicate blocks against a fixed pool of house bots that read no clock, on fixed deals of every
game. The same bot gets the same figures to the bit, on every machine, if it draws its random numbers from
`table.rng` alone.
"""

from __future__ import annotations

from stichkampf.lab.benchmark.protocol import PROTOCOL
from stichkampf.lab.benchmark.run import BenchmarkRun

__all__ = ["PROTOCOL", "BenchmarkRun"]
