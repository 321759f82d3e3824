"""The time of decisions: the clock of a match, and how the time of a bot is measured."""
