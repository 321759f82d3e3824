from __future__ import annotations

from django.db import models


class StoredFile(models.Model):
    """One file of `DatabaseStorage`, stored in the same transaction as the rows that name it."""

    name = models.CharField(max_length=200, unique=True)
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
