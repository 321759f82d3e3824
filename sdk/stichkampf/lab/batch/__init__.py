"""Many deals stepped in one call, in numpy arrays, for learners: `pip install '.[batch]'` in a checkout."""

from stichkampf.lab.batch.environment import Batch

__all__ = ["Batch"]
