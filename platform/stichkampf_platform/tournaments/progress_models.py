from __future__ import annotations

from django.db import models


class ProgressCounts(models.Model):
    """The progress of a tournament, kept as it is drawn and played; `kept_progress` writes it."""

    tournament = models.OneToOneField(
        "tournaments.Tournament", models.CASCADE, primary_key=True, related_name="progress_counts"
    )
    tables = models.PositiveIntegerField(default=0)
    """Void ones among them."""
    tables_done = models.PositiveIntegerField(default=0)
    tables_void = models.PositiveIntegerField(default=0)
    blocks = models.PositiveIntegerField(default=0)
    """Without replaced ones."""
    blocks_over = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.tables_done} of {self.tables - self.tables_void} tables"
