"""People and bots before the start of a tournament: members who may see it, and entries of their bots."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.people.sentences import restored, told


class WhoEnters(models.TextChoices):
    ORGANISER = "organiser", gettext_lazy("only the organiser, who chooses them")
    ANYBODY = "anybody", gettext_lazy("every author who sees it")
    MEMBERS = "members", gettext_lazy("invited authors, and those who give the code")


class Repeats(models.TextChoices):
    NEVER = "", gettext_lazy("never")
    DAILY = "daily", gettext_lazy("every day")
    WEEKLY = "weekly", gettext_lazy("every week")
    FORTNIGHTLY = "fortnightly", gettext_lazy("every second week")


class Beat(models.TextChoices):
    AT_ONCE = "at-once", gettext_lazy("as soon as the one before is over")
    PRESS = "press", gettext_lazy("by a press")
    MINUTES = "minutes", gettext_lazy("some minutes after the one before")
    TIMES = "times", gettext_lazy("at set times")


class Reveal(models.TextChoices):
    AT_ONCE = "at-once", gettext_lazy("as soon as a block is over")
    PRESS = "press", gettext_lazy("held back, and revealed by a press")
    CLOCK = "clock", gettext_lazy("held back, and revealed by the clock")


class Membership(models.Model):
    """A person who was invited to a tournament, or came with its code."""

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="members")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    by_code = models.BooleanField(default=False, help_text=gettext_lazy("This person came with the code."))
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "person"], name="one_membership_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.tournament}"


class CoOrganiser(models.Model):
    """A person who organises a tournament together with the one who made it."""

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="co_organisers")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shared_tournaments")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "person"], name="a_person_is_asked_to_organise_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person} organises {self.tournament}"


class Entry(models.Model):
    """A bot that its author put down for a tournament; at the start it becomes an entrant, or is left out.

    Entries are served in the order in which they were made: those beyond the places wait.
    """

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="entries")
    bot = models.ForeignKey(Bot, models.PROTECT, related_name="entries")
    version = models.ForeignKey(
        Version,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text=gettext_lazy(
            "Empty for the newest that was submitted before the deadline and is approved."
        ),
    )
    left_out = models.CharField(max_length=300, blank=True, help_text=gettext_lazy("Why it does not play."))
    left_out_parts = models.JSONField(null=True, blank=True, editable=False)
    entered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = gettext_lazy("entries")
        constraints = [models.UniqueConstraint(fields=["tournament", "bot"], name="a_bot_is_entered_once")]

    def __str__(self) -> str:
        return _("{bot} for {tournament}").format(bot=self.version or self.bot, tournament=self.tournament)

    @property
    def left_out_sentence(self) -> str:
        """The reason why it does not play, as a `Sentence` where it was stored as one; empty for none."""
        return restored(self.left_out, self.left_out_parts)

    @property
    def told_left_out(self) -> str:
        """The same in the present language."""
        return told(self.left_out_sentence)
