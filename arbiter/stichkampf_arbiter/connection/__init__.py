"""The bot's connection: one stream a process, its open questions, its clock and what it may send."""
