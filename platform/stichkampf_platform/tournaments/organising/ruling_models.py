"""The public list of a tournament: what was ruled, why, what it changed; protests, answers, announcements."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.plain_names import several_lines
from stichkampf_platform.people.sentences import restored, told

REASON_CHARACTERS = 300
PROTEST_CHARACTERS = 1000


class RulingKind(models.TextChoices):
    VOID = "void", gettext_lazy("made void")
    AGAIN = "again", gettext_lazy("made void and played again")
    DISQUALIFY = "disqualify", gettext_lazy("disqualified")
    WITHDRAW = "withdraw", gettext_lazy("withdrawn")
    SET_ASIDE = "set-aside", gettext_lazy("set aside without a fault")
    AWAY = "away", gettext_lazy("left out after a forfeited block")
    DEADLINE = "deadline", gettext_lazy("another deadline")
    PROTEST = "protest", gettext_lazy("protest")
    NEWS = "news", gettext_lazy("announced")


class Role(models.TextChoices):
    AUTHOR = "author", gettext_lazy("an author")
    ORGANISER = "organiser", gettext_lazy("the organiser")
    STAFF = "staff", gettext_lazy("the operators of this site")
    PLATFORM = "platform", gettext_lazy("the platform by itself")


class PlatformFault(models.TextChoices):
    """A fault of the platform at a block, for which its organiser may take a result back that was seen."""

    MACHINE = "machine", gettext_lazy("a machine of the platform failed or was too busy")
    NETWORK = "network", gettext_lazy("the platform lost the connection to a bot")
    RULES = "rules", gettext_lazy("the platform applied a rule of the game wrongly")
    CARDS = "cards", gettext_lazy("cards could be seen before their time")


class Ruling(models.Model):
    """A line of the list.

    `before` and `after` hold places by the id of the entrant, from 1 or null; of a deadline the times by
    field. `after` is null until it is known.
    """

    Kind = RulingKind
    Role = Role
    Fault = PlatformFault

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="rulings")
    kind = models.CharField(max_length=10, choices=RulingKind)
    made_at = models.DateTimeField(auto_now_add=True)
    role = models.CharField(max_length=10, choices=Role, help_text=gettext_lazy("By whom."))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="rulings"
    )
    reason = models.TextField(max_length=PROTEST_CHARACTERS, blank=True, validators=[several_lines])
    reason_parts = models.JSONField(null=True, blank=True, editable=False)
    fault = models.CharField(
        gettext_lazy("fault of the platform"), max_length=10, choices=PlatformFault, blank=True
    )
    version = models.ForeignKey(Version, models.PROTECT, null=True, blank=True, related_name="rulings")
    block = models.ForeignKey(
        "tournaments.Block", models.CASCADE, null=True, blank=True, related_name="rulings"
    )
    table = models.ForeignKey(
        "tournaments.Table", models.CASCADE, null=True, blank=True, related_name="protests"
    )
    round = models.PositiveIntegerField(null=True, blank=True, help_text=gettext_lazy("From 0."))
    before = models.JSONField(default=dict, editable=False)
    after = models.JSONField(null=True, blank=True, editable=False)
    answer = models.TextField(max_length=PROTEST_CHARACTERS, blank=True, validators=[several_lines])
    answer_role = models.CharField(max_length=10, choices=Role, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-pk"]
        indexes = [
            models.Index(
                fields=["tournament"], condition=models.Q(after__isnull=True), name="rulings_to_settle"
            )
        ]

    def __str__(self) -> str:
        return f"{self.tournament}: {self.get_kind_display()}"

    @property
    def told_reason(self) -> str:
        """The reason in the present language, where the platform gave it; else as it was written."""
        return told(restored(self.reason, self.reason_parts))

    @property
    def changed(self) -> Mapping[str, tuple]:
        """The differences: place or time before and after, by entrant or field."""
        now = self.before if self.after is None else self.after
        return {
            key: (self.before.get(key), now.get(key))
            for key in {**self.before, **now}
            if self.before.get(key) != now.get(key)
        }
