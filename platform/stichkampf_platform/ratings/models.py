from __future__ import annotations

from django.db import models
from django.db.models.functions import Abs
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.rating.table import PROVISIONAL_BLOCKS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.figures import CountedFigures
from stichkampf_platform.tournaments.models import Tournament


class ForfeitRule(models.TextChoices):
    """The rule for results of a forfeited seat, by which a snapshot was made."""

    VOID = "void", gettext_lazy("what the others scored at that table is void")
    APART = "apart", gettext_lazy("what was played stands, as by another bot where one forfeited")
    GROUPS = (
        "groups",
        gettext_lazy("what was played stands, as by another bot with those beside whom one forfeited"),
    )


class Snapshot(models.Model):
    """The ratings of a ladder, or of one of its tournaments, at one moment: same blocks, same bits."""

    ladder = models.ForeignKey(Ladder, models.CASCADE, related_name="snapshots")
    tournament = models.ForeignKey(
        Tournament, models.CASCADE, null=True, blank=True, related_name="snapshots"
    )
    at = models.DateTimeField(auto_now_add=True)
    published = models.BooleanField(default=True)
    final = models.BooleanField(default=False, help_text=gettext_lazy("Nothing was being played any more."))
    block_spans = models.JSONField(
        help_text=gettext_lazy("The blocks that were rated: first and last id of every unbroken run.")
    )
    blocks = models.PositiveIntegerField()
    tables = models.PositiveIntegerField()
    comparisons = models.PositiveIntegerField()
    anchors = models.JSONField(
        default=list,
        help_text=gettext_lazy("Ids of the versions whose mean is 1500; empty where it is the mean of all."),
    )
    cyclic_share = models.FloatField(
        null=True,
        blank=True,
        help_text=gettext_lazy("0: strength alone divides the entrants. 1: rock, paper, scissors."),
    )
    forfeit_rule = models.CharField(max_length=6, choices=ForfeitRule, default=ForfeitRule.GROUPS)
    watched_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When it was searched for gifts; empty where it was not."),
    )
    digest = models.CharField("SHA-256 of the ratings", max_length=64)

    class Meta:
        ordering = ["-at", "-pk"]
        get_latest_by = ["at", "pk"]
        indexes = [models.Index(fields=["ladder", "tournament", "-at"], name="newest_snapshot")]

    def __str__(self) -> str:
        return f"{self.tournament or self.ladder}, {self.at:%Y-%m-%d %H:%M}"


class Rating(CountedFigures):
    """The place of one version in a snapshot."""

    # `db_index=False` here and below: a constraint has an index that begins so
    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="ratings", db_index=False)
    version = models.ForeignKey(Version, models.PROTECT, related_name="ratings")
    elo = models.FloatField()
    plus_minus = models.FloatField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Half the width of the 95% interval; empty with one block."),
    )
    blocks = models.PositiveIntegerField()
    comparisons = models.PositiveIntegerField()
    rank = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Empty while provisional, and for versions that are not ranked."),
    )
    rank_best = models.PositiveIntegerField(null=True, blank=True)
    rank_worst = models.PositiveIntegerField(null=True, blank=True)
    provisional = models.BooleanField()
    anchor = models.BooleanField(default=False)

    class Meta:
        ordering = ["-elo", "version"]
        constraints = [models.UniqueConstraint(fields=["snapshot", "version"], name="one_rating_per_version")]

    def __str__(self) -> str:
        return f"{self.version}: {self.elo:.0f}"

    @property
    def blocks_to_go(self) -> int:
        """The number of blocks that it still needs for a rank; its Elo says nothing before."""
        return max(0, PROVISIONAL_BLOCKS - self.blocks)


class Pairing(models.Model):
    """Two versions on the same hands: the first one's points, and the odds that it is the better."""

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="pairings", db_index=False)
    first = models.ForeignKey(Version, models.PROTECT, related_name="+")
    second = models.ForeignKey(Version, models.PROTECT, related_name="+")
    half_points = models.PositiveIntegerField(
        help_text=gettext_lazy("Half-points of the first version, without what it forfeited.")
    )
    forfeited_half_points = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Half-points that neither keeps, because one forfeited them.")
    )
    comparisons = models.PositiveIntegerField()
    superiority = models.FloatField(
        null=True,
        help_text=gettext_lazy(
            "Likelihood that the first version is the stronger one; empty with too few blocks."
        ),
    )
    blocks = models.PositiveIntegerField(default=0, help_text=gettext_lazy("In which the two were compared."))
    z = models.FloatField(
        null=True,
        help_text=gettext_lazy("Points of the first beyond expectation, in standard errors."),
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "first", "second"], name="one_pairing_per_pair")
        ]
        indexes = [models.Index("snapshot", Abs("z").desc(), name="surprising_pairings")]

    def __str__(self) -> str:
        return f"{self.first} against {self.second}"

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of the points that the first and the second keep."""
        most = 2 * self.comparisons
        return self.half_points / most, (most - self.half_points - self.forfeited_half_points) / most


class SignalState(models.TextChoices):
    REPORTED = "reported", gettext_lazy("reported")
    WATCHED = "watched", gettext_lazy("watched")
    NOT_MEASURABLE = "not measurable", gettext_lazy("not measurable")


class CollusionSignal(models.Model):
    """A measured gift of one version to another, beyond those to the field; for organisers and staff only."""

    class Way(models.TextChoices):
        HELP = "help", gettext_lazy("helps it at the table")
        THROWN = "thrown", gettext_lazy("loses to it on the same hands")
        FORFEITS = "forfeit", gettext_lazy("forfeits where the two meet")

    State = SignalState

    snapshot = models.ForeignKey(Snapshot, models.CASCADE, related_name="collusion_signals")
    giver = models.ForeignKey(Version, models.PROTECT, related_name="+")
    taker = models.ForeignKey(Version, models.PROTECT, related_name="+")
    way = models.CharField(max_length=7, choices=Way)
    blocks = models.PositiveIntegerField("together", help_text=gettext_lazy("Blocks in which the two met."))
    apart = models.PositiveIntegerField(
        "apart", default=0, help_text=gettext_lazy("Blocks of the taker without the giver.")
    )
    points = models.FloatField(
        null=True,
        help_text=gettext_lazy("Same-hand points a comparison; empty where it cannot be measured."),
    )
    low = models.FloatField(
        null=True,
        help_text=gettext_lazy("Lower end of the interval; it holds at all times of looking."),
    )
    high = models.FloatField(null=True)
    style = models.FloatField(
        default=0,
        help_text=gettext_lazy("Part that the giver's style explains: about what it gives others."),
    )
    reported_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When the whole interval first lay above the style; it stays reported."),
    )

    class Meta:
        ordering = [models.F("reported_at").asc(nulls_last=True), models.F("low").desc(nulls_last=True), "pk"]
        constraints = [
            models.UniqueConstraint(fields=["snapshot", "giver", "taker", "way"], name="one_signal_per_way")
        ]

    def __str__(self) -> str:
        if self.points is None:
            return _("{giver} to {taker}: not measurable").format(giver=self.giver, taker=self.taker)
        points = signed(100 * self.points, 1)
        told = _("{giver} to {taker}: {points} of 100 points")
        return told.format(giver=self.giver, taker=self.taker, points=points)

    @property
    def state(self) -> str:
        """One of `State`."""
        if self.reported_at is not None:
            return str(CollusionSignal.State.REPORTED)
        return str(
            CollusionSignal.State.NOT_MEASURABLE if self.low is None else CollusionSignal.State.WATCHED
        )
