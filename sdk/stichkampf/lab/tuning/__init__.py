"""Tuning: finds better numbers for a bot by playing it against itself, and says whether they are better."""

from stichkampf.lab.tuning.methods import Race, Spsa
from stichkampf.lab.tuning.run import METHODS, TuningRun
from stichkampf.lab.tuning.verdict import TunedGain, verdict_of

__all__ = ["METHODS", "Race", "Spsa", "TunedGain", "TuningRun", "verdict_of"]
