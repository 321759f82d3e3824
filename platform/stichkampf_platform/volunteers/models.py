"""Volunteers' machines, and their answers that wait to be checked."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.people.models import ApiToken


class VolunteerNode(models.Model):
    """A machine that plays blocks with a token of a volunteer; a token is one machine.

    :ivar seen_at: its last sign of life.
    :ivar blocks: played by it, checked and counted.
    :ivar stopped_at: since when it gets no more, for wrong records.
    """

    token = models.OneToOneField(ApiToken, models.CASCADE, related_name="volunteer_node")
    version = models.CharField(max_length=40, blank=True)
    seen_at = models.DateTimeField(db_index=True)
    blocks = models.PositiveIntegerField(default=0)
    stopped_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Since when it gets no blocks, for wrong records. Empty it to end that."),
    )

    class Meta:
        ordering = ["-seen_at", "-pk"]
        verbose_name = gettext_lazy("light node")
        verbose_name_plural = gettext_lazy("light nodes")
        permissions = [("volunteer", "Can volunteer a machine as a light node")]

    def __str__(self) -> str:
        return f"{self.token.owner.username}: {self.token.name}"


class VolunteerAnswer(models.Model):
    """The records of a block as a volunteer sent them, until they are checked.

    :ivar owner: of the leases of its tables.
    :ivar records: JSON: by number of the table, the record.
    :ivar checked_until: until then a worker checks it.
    """

    node = models.ForeignKey(VolunteerNode, models.CASCADE, related_name="answers")
    owner = models.CharField(max_length=64, unique=True)
    records = models.TextField()
    received_at = models.DateTimeField(db_index=True)
    checked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["received_at", "pk"]

    def __str__(self) -> str:
        return f"answer of {self.node}"
