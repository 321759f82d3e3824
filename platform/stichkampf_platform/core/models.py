from __future__ import annotations

from django.db import models


class DrainOrder(models.Model):
    """An order to begin no further tables and validations, in force while its row is there."""

    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"drained since {self.since:%Y-%m-%d %H:%M}"
