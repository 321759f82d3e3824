"""Draws of rounds in groups: who meets whom, and who rests.

round_groups   the groups of a round, by what has gone before
partition      the best way to part a few things into groups
"""

from stichkampf_platform.tournaments.formats.drawing.round_groups import RoundField, draw_groups, most_groups

__all__ = ["RoundField", "draw_groups", "most_groups"]
