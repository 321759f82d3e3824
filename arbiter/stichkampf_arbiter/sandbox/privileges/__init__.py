"""Giving up root, and what an ordinary user must still be able to reach."""
