"""Bots: what an author derives from, and the house bots, which `stichkampf.bots.registry` lists by name."""
