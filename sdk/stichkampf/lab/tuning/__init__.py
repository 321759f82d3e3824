"""Tuning: finds better numbers for a bot by playing it against itself, and says whether they are better."""

from stichkampf.lab.tuning.methods import Race, Spsa
from stichkampf.lab.tuning.plot import drawn
from stichkampf.lab.tuning.run import TuningRun
from stichkampf.lab.tuning.verdict import Verdict, verdict_of

__all__ = ["Race", "Spsa", "TuningRun", "Verdict", "drawn", "verdict_of"]
