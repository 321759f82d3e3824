"""Marks of matches: which decisions cost something, by an estimate of our search; and continuations, or what
would have come of a decision. Read them by `queries`."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.tournaments.models import Seat, Table


class WorkState(models.TextChoices):
    WAITING = "waiting", "waiting"
    MADE = "made", "made"
    FAILED = "failed", "failed"


class AnalysisReason(models.TextChoices):
    REQUEST = "request", gettext_lazy("on request")
    FEATURED = "featured", gettext_lazy("for the front page")
    COSTLY = "costly", gettext_lazy("for its author, among the costliest of a day")


class RequestedWork(models.Model):
    """An estimate that a worker makes after everything else: waiting, made or failed."""

    State = WorkState

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    requested_at = models.DateTimeField()
    hinted_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When a worker was last told of it.")
    )
    lease_until = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("Until when a worker makes it.")
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(null=True, blank=True)
    engine = models.CharField(max_length=40, blank=True, help_text=gettext_lazy("The version of the SDK."))
    seconds = models.FloatField(null=True, blank=True, help_text=gettext_lazy("CPU time that it took."))

    class Meta:
        abstract = True


class Analysis(RequestedWork):
    """The search for the marks of one match."""

    Reason = AnalysisReason

    table = models.OneToOneField(Table, models.CASCADE, related_name="analysis")
    reason = models.CharField(max_length=10, choices=Reason)
    analysis_version = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=gettext_lazy("That of stichkampf.analysis.")
    )

    class Meta:
        verbose_name_plural = "analyses"
        indexes = [
            models.Index(
                fields=["requested_at"], condition=models.Q(state="waiting"), name="analyses_to_make"
            )
        ]

    def __str__(self) -> str:
        return f"marks of {self.table}"


class StoredContinuations(RequestedWork):
    """The outcomes of one decision after an action, played on many times by a house bot.

    The cards are those that were dealt, so they are for those who may see all hands.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="continuations")
    decision = models.PositiveIntegerField(help_text="Among all decisions of the match, from 1.")
    action = models.CharField(max_length=60, help_text="With which they begin, in the words of the record.")
    bot = models.CharField(max_length=40, help_text='A house bot with its version, such as "glimpse v2".')
    outcomes = models.JSONField(
        default=list, blank=True, help_text="Pairs of a score of the deal and how often it came of it."
    )

    class Meta:
        verbose_name_plural = "stored continuations"
        constraints = [
            models.UniqueConstraint(
                fields=["table", "decision", "action", "bot"], name="one_row_per_continuations"
            ),
        ]
        indexes = [
            models.Index(
                fields=["requested_at"], condition=models.Q(state="waiting"), name="continuations_to_play"
            )
        ]

    def __str__(self) -> str:
        return f"{self.bot} after {self.action} at decision {self.decision} of {self.table}"


class JudgedSeat(models.Model):
    """A seat of a match whose decisions were looked at."""

    analysis = models.ForeignKey(Analysis, models.CASCADE, related_name="seats")
    seat = models.OneToOneField(Seat, models.CASCADE, related_name="judged")
    decisions = models.PositiveIntegerField(help_text=gettext_lazy("Its own decisions with a choice."))

    def __str__(self) -> str:
        return f"{self.decisions} decisions of {self.seat}"


class StoredMark(models.Model):
    """A decision that cost something; its fields are those of `stichkampf.analysis.Mark`.

    The `open_` fields are for those who may see all hands. No view of a seat shows them.
    """

    judged = models.ForeignKey(JudgedSeat, models.CASCADE, related_name="marks")
    decision = models.PositiveIntegerField(help_text="Among all decisions of the match, from 1.")
    deal = models.PositiveIntegerField(help_text="From 0.")
    chosen = models.CharField(max_length=60)
    better = models.CharField(max_length=60)
    points = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    worlds = models.PositiveIntegerField()
    open_better = models.CharField(max_length=60)
    open_points = models.FloatField()
    open_low = models.FloatField()
    open_high = models.FloatField()

    class Meta:
        ordering = ["decision"]
        constraints = [
            models.UniqueConstraint(fields=["judged", "decision"], name="one_mark_per_decision"),
        ]
        indexes = [models.Index(fields=["judged", "-points"], name="costliest_of_a_seat")]

    def __str__(self) -> str:
        return f"{self.chosen} for {self.better}: {self.points:.1f} points"

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    @property
    def open_margin(self) -> float:
        return (self.open_high - self.open_low) / 2

    @property
    def is_best_when_open(self) -> bool:
        """Tell whether no action was better with all cards open."""
        return self.open_better == self.chosen
