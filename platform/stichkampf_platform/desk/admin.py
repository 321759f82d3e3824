"""The pages of the administration, which Django looks for here."""

from stichkampf_platform.desk import bots, people, ratings, tournaments

__all__ = ["bots", "people", "ratings", "tournaments"]
