from __future__ import annotations

from django.db import models


class ProgressCounts(models.Model):
    """How far a tournament is, kept as its blocks are drawn and played; `kept_progress` alone writes it."""

    tournament = models.OneToOneField(
        "tournaments.Tournament", models.CASCADE, primary_key=True, related_name="progress_counts"
    )
    tables = models.PositiveIntegerField(default=0)
    """Those of void and replaced blocks among them."""
    tables_done = models.PositiveIntegerField(default=0)
    tables_void = models.PositiveIntegerField(default=0)
    blocks = models.PositiveIntegerField(default=0)
    """Those that no other replaces."""
    blocks_over = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.tables_done} of {self.tables - self.tables_void} tables"
