"""Experiments: unrated play that an author asks for, to learn how strong a version is."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext, gettext_lazy

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.tournaments.models import Block, Tournament


class ExperimentKind(models.TextChoices):
    CHALLENGE = "challenge", gettext_lazy("challenge")
    COMPARISON = "comparison", gettext_lazy("comparison")
    COUNTERFACTUAL = "counterfactual", gettext_lazy("counterfactual seat")


class Experiment(models.Model):
    """A challenge, comparison or counterfactual seat.

    Its blocks are those of a tournament that only its author sees, who created it.
    """

    Kind = ExperimentKind

    tournament = models.OneToOneField(Tournament, models.CASCADE, related_name="asked_as")
    kind = models.CharField(max_length=14, choices=Kind)
    version = models.ForeignKey(Version, models.PROTECT, related_name="experiments")
    against = models.ForeignKey(
        Version,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=gettext_lazy("The other version of the bot, in a comparison or counterfactual seat."),
    )
    left_out = models.JSONField(
        default=dict,
        blank=True,
        help_text=gettext_lazy("Past blocks that cannot be played again, by the reason."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        """Return the request in the present language; its tournament has the name in English."""
        version, _, others = self.tournament.name.partition(": ")[2].partition(" and ")
        kind = str(self.get_kind_display())
        return gettext("{kind}: {version} and {others}").format(
            kind=kind[:1].upper() + kind[1:], version=version, others=others
        )

    def get_absolute_url(self) -> str:
        return localized(f"/experiments/{self.pk}/")


class Repetition(models.Model):
    """A block whose cards are those of an earlier one that was over."""

    block = models.OneToOneField(Block, models.CASCADE, related_name="repetition")
    past = models.ForeignKey(Block, models.PROTECT, related_name="repetitions")

    def __str__(self) -> str:
        return f"{self.block} repeats {self.past}"
