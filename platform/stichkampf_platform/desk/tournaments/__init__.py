"""The administration of tournaments, one file for each noun."""

from stichkampf_platform.desk.tournaments import blocks, entrants, entries, results, rulings, tournaments

__all__ = ["blocks", "entrants", "entries", "results", "rulings", "tournaments"]
