"""The address of `stichkampf.lab.batch` in bots with trained networks from before there was a lab."""

from stichkampf.lab import batch

__path__ = batch.__path__
