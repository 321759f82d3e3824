"""Matches on this machine as the platform plays them: each bot in a process of its own, and with a clock."""
