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


class Participation(models.Model):
    """An entrant of a block, in one row however many seats it has there; drawing a block writes it."""

    block = models.ForeignKey("tournaments.Block", models.CASCADE, related_name="participations")
    # `db_index=False`: the constraint has an index that begins so
    entrant = models.ForeignKey(
        "tournaments.Entrant",
        models.CASCADE,
        related_name="participations",
        db_index=False,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entrant", "block"], name="one_participation_per_block")
        ]

    def __str__(self) -> str:
        return f"{self.entrant} in {self.block}"


class PlanToDraw(models.Model):
    """The plan of a round whose blocks are not all drawn yet; `scheduling.plans` writes it.

    :ivar plan: by block and table, the numbers of the entrants by seat; none before it is made.
    :ivar drawn: as many of its blocks are there.
    :ivar held_until: as long a worker is at it.
    """

    tournament = models.OneToOneField(
        "tournaments.Tournament", models.CASCADE, primary_key=True, related_name="plan_to_draw"
    )
    round = models.PositiveIntegerField(default=0)
    plan = models.JSONField(null=True)
    drawn = models.PositiveIntegerField(default=0)
    held_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"the plan of {self.tournament}"


class OpenDataPart(models.Model):
    """Blocks that ended one after the other and the files of their open rows; `open_parts` writes it.

    :ivar facts: digest of all that its rows depend on and that can change, as it was when they were written.
    """

    after_time = models.DateTimeField()
    after_block = models.BigIntegerField()
    last_time = models.DateTimeField()
    last_block = models.BigIntegerField()
    blocks = models.PositiveIntegerField()
    facts = models.CharField(max_length=64)
    checked_at = models.DateTimeField(db_index=True)
    results_file = models.CharField(max_length=200)
    results_digest = models.CharField(max_length=64)
    records_file = models.CharField(max_length=200)
    records_digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["last_time", "last_block"]
        constraints = [
            models.UniqueConstraint(fields=["after_time", "after_block"], name="one_open_data_part")
        ]
        indexes = [models.Index(fields=["last_time", "last_block"], name="open_data_in_order")]

    def __str__(self) -> str:
        return f"{self.blocks} blocks until {self.last_time}"
