from __future__ import annotations

from django.db import models


class DrainOrder(models.Model):
    """An order to begin no further tables and validations, in force while its row is there."""

    since = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"drained since {self.since:%Y-%m-%d %H:%M}"


class Node(models.Model):
    """A machine with an arbiter, sandboxes and workers, as it last reported itself.

    :ivar seen_at: its last sign of life, by the database's clock.
    :ivar clock_skew_seconds: by how much its own clock is ahead of that one.
    :ivar places: blocks that its workers can play at once.
    :ivar store_trouble: why it does not see the store; empty if it does.
    :ivar interpreters: name and version of the interpreter in each part of the runtime that sandboxes have.
    """

    name = models.CharField(max_length=64, primary_key=True)
    seen_at = models.DateTimeField()
    version = models.CharField(max_length=40, blank=True)
    arbiter_answers = models.BooleanField(default=False)
    sandbox_level = models.CharField(max_length=20, blank=True)
    sandbox_reason = models.TextField(blank=True)
    tables = models.PositiveIntegerField(default=0)
    tables_limit = models.PositiveIntegerField(default=0)
    places = models.PositiveIntegerField(default=0)
    draining = models.BooleanField(default=False)
    clock_skew_seconds = models.FloatField(default=0.0)
    store_trouble = models.TextField(blank=True)
    interpreters = models.JSONField(default=dict)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ItemFailure(models.Model):
    """An item of some work that failed, and has not been done since; `core.machines.failures` keeps these.

    :ivar work: the name of a task, or of a part of one.
    :ivar item: the key of the item; empty where the task as a whole failed.
    :ivar times: failures on end.
    """

    work = models.CharField(max_length=150)
    item = models.CharField(max_length=100, blank=True)
    reason = models.TextField(blank=True)
    times = models.PositiveIntegerField(default=0)
    since = models.DateTimeField(auto_now_add=True)
    next_try_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["work", "item"], name="one_failure_per_item")]

    def __str__(self) -> str:
        return f"{self.work} {self.item}".strip()
