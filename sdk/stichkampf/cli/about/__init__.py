"""Commands that tell about a game: its rules, its facts."""
