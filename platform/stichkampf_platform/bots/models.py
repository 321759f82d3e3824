from __future__ import annotations

from django.conf import settings
from django.core.files.storage import storages
from django.db import models

from stichkampf_platform.people.models import player_name


def archive_storage():  # type: ignore[no-untyped-def]
    return storages["archives"]


class Bot(models.Model):
    """A player by name. What plays is one of its versions."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots")
    slug = models.SlugField(max_length=40, unique=True, validators=[player_name])
    name = models.CharField(max_length=60)
    description = models.TextField(max_length=2000, blank=True)
    ranked_version = models.ForeignKey(
        "Version",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The one version that stands in the ladders' ranking.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug

    @property
    def full_name(self) -> str:
        """As match records name it: `house/thumb`."""
        return f"{self.owner.username}/{self.slug}"

    def get_absolute_url(self) -> str:
        return f"/bots/{self.slug}/"


class Version(models.Model):
    """One immutable program of a bot: an archive, or a bot of the house."""

    class State(models.TextChoices):
        SUBMITTED = "submitted", "submitted"
        VALIDATING = "validating", "being validated"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"
        SUSPENDED = "suspended", "suspended"

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    house = models.CharField(
        max_length=40, blank=True, help_text="The house bot that plays; empty for an archive."
    )
    archive = models.FileField(storage=archive_storage, upload_to="archives/", blank=True)
    digest = models.CharField("SHA-256", max_length=64, blank=True)
    archive_bytes = models.PositiveIntegerField(default=0)
    games = models.JSONField(
        default=list, blank=True, help_text="The games that it plays; empty until they are known."
    )
    state = models.CharField(max_length=12, choices=State, default=State.SUBMITTED)
    reason = models.TextField(blank=True, help_text="Why it waits, was rejected or is suspended.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["bot__slug", "number"]
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="one_version_per_number"),
            models.UniqueConstraint(
                fields=["bot", "digest"],
                condition=~models.Q(digest=""),
                name="one_version_per_archive",
            ),
            models.CheckConstraint(
                condition=models.Q(house="") ^ models.Q(digest=""),
                name="version_is_house_bot_or_archive",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot.slug} v{self.number}"

    @property
    def may_play(self) -> bool:
        return self.state == Version.State.APPROVED

    def get_absolute_url(self) -> str:
        return f"/bots/{self.bot.slug}/v/{self.number}/"


class Submission(models.Model):
    """An archive on its way to becoming a version that may play; its log is for owner and staff only."""

    version = models.OneToOneField(Version, models.CASCADE, related_name="submission")
    submitted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="submissions")
    file_name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who of the staff let this code run where the sandbox is for one's own bots only.",
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.version}"

    def get_absolute_url(self) -> str:
        return f"/submissions/{self.pk}/"


class LogLine(models.Model):
    """A line of a submission's log."""

    class Level(models.TextChoices):
        INFO = "info", "info"
        GOOD = "good", "good"
        BAD = "bad", "bad"

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField()
    level = models.CharField(max_length=4, choices=Level, default=Level.INFO)
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "number"], name="one_log_line_per_number")
        ]

    def __str__(self) -> str:
        return self.text
