from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core.files.storage import storages
from django.db import models
from django.utils.translation import get_language, gettext, gettext_lazy
from stichkampf.bots.registry import house_bots
from stichkampf.limits import LIGHT

from stichkampf_platform.core import clock
from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.core.plain_names import one_line, several_lines
from stichkampf_platform.people.models import HOUSE, player_name
from stichkampf_platform.people.sentences import parts_of, restored, told

PRESENCE = timedelta(seconds=30)
"""While the arbiter does not answer, a remote bot counts as connected for this long after it was seen."""


def archive_storage():  # type: ignore[no-untyped-def]
    return storages["archives"]


class Bot(models.Model):
    """A player by name. Its versions are the programs that play."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots")
    slug = models.SlugField(
        max_length=40,
        validators=[player_name],
        help_text=gettext_lazy("Its name, once among the bots of its author."),
    )
    name = models.CharField(max_length=60, validators=[one_line])
    description = models.TextField(max_length=2000, blank=True, validators=[several_lines])
    ranked_version = models.ForeignKey(
        "Version",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text=gettext_lazy(
            "The newest version that holds the bot's place on a ladder; it enters where none is named."
        ),
    )
    accepts_challenges = models.BooleanField(
        default=True,
        help_text=gettext_lazy("Other authors may ask for unrated blocks against it."),
    )
    may_be_entered = models.BooleanField(
        default=False,
        help_text=gettext_lazy("Organisers may enter it in their tournaments without asking."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug", "pk"]
        constraints = [models.UniqueConstraint(fields=["owner", "slug"], name="one_bot_per_name_and_author")]

    def __str__(self) -> str:
        return self.full_name

    @property
    def full_name(self) -> str:
        """As match records name it: `house/thumb`."""
        return f"{self.owner.username}/{self.slug}"

    @property
    def label(self) -> str:
        """As lists on pages name it: with its author, unless it is a house bot."""
        return self.name if self.owner.username == HOUSE else self.full_name

    @property
    def told_description(self) -> str:
        """The description; that of a house bot in the present language."""
        if get_language() != "de" or self.owner.username != HOUSE:
            return self.description
        program = house_bots().get(self.slug)
        return program.german if program else self.description

    def get_absolute_url(self) -> str:
        return localized(f"/bots/{self.full_name}/")


class VersionState(models.TextChoices):
    """States of a version, and the changes between them::

        submitted  -> validating (a worker begins), rejected (by staff)
        validating -> approved (no fault), rejected (a fault), submitted (the platform broke it off)
        approved   -> stale (rules or wire have changed), suspended (by staff, or for its faults)
        stale      -> approved (no fault), suspended (a fault, or absent for too long)
        suspended  -> approved (by staff)

    Only approved versions are drawn and entered; approved and stale ones can be ranked. Rejection is final.
    """

    SUBMITTED = "submitted", gettext_lazy("submitted")
    VALIDATING = "validating", gettext_lazy("being validated")
    APPROVED = "approved", gettext_lazy("approved")
    REJECTED = "rejected", gettext_lazy("rejected")
    SUSPENDED = "suspended", gettext_lazy("suspended")
    STALE = "stale", gettext_lazy("to be validated again")


class SuspendedFor(models.TextChoices):
    """Causes of a suspension in words for everybody; `Version.reason` is for owner and staff."""

    FAULTS = "faults", gettext_lazy("too many faults")
    STAFF = "staff", gettext_lazy("by staff")
    RULES = "rules", gettext_lazy("fails under new rules")
    AWAY = "away", gettext_lazy("was not connected to be validated again")
    NEWER = "newer", gettext_lazy("the house plays a newer version")
    CLOSED = "closed", gettext_lazy("its account is closed")


class Version(models.Model):
    """One program of a bot: an archive, a bot of the house, or one that plays on its author's machine."""

    State = VersionState

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    house = models.CharField(
        max_length=40, blank=True, help_text=gettext_lazy("The house bot that plays; empty for an archive.")
    )
    archive = models.FileField(storage=archive_storage, upload_to="archives/", blank=True)
    digest = models.CharField("SHA-256", max_length=64, blank=True)
    archive_bytes = models.PositiveIntegerField(default=0)
    weight = models.CharField(
        max_length=12,
        blank=True,
        default="",
        help_text=gettext_lazy("The weight class of its archive; empty for the light one."),
    )
    remote = models.BooleanField(
        default=False,
        help_text=gettext_lazy("It plays on its author's machine and connects from there."),
    )
    games = models.JSONField(
        default=list,
        blank=True,
        help_text=gettext_lazy("The games that it plays; empty until they are known."),
    )
    state = models.CharField(max_length=12, choices=State, default=State.SUBMITTED)
    reason = models.TextField(
        blank=True, help_text=gettext_lazy("Why it waits, was rejected or is suspended.")
    )
    reason_parts = models.JSONField(null=True, blank=True, editable=False)
    suspended_for = models.CharField(
        max_length=8, blank=True, default="", choices=SuspendedFor, editable=False
    )
    validated_against = models.JSONField(
        null=True,
        blank=True,
        help_text=gettext_lazy("The version of the wire and of each game's rules under which it passed."),
    )
    stale_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("Since when it has to be validated again.")
    )
    forgiven_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When a suspension was lifted; earlier faults no longer count."),
    )
    predecessor = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        help_text=gettext_lazy(
            "The earlier version with nearly the same code; the two share their evidence."
        ),
    )
    put_forward_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("When its owner let it take the bot's rank before it has blocks enough."),
    )
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
                condition=models.Q(~models.Q(house=""), digest="", remote=False)
                | models.Q(~models.Q(digest=""), house="", remote=False)
                | models.Q(house="", digest="", remote=True),
                name="version_is_house_bot_archive_or_remote",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.house or self.bot.full_name} v{self.number}"

    @property
    def label(self) -> str:
        """As lists on pages name it."""
        return f"{self.bot.label} v{self.number}"

    @property
    def why(self) -> str:
        """The reason, as a sentence where it is one."""
        return restored(self.reason, self.reason_parts)

    @property
    def told_reason(self) -> str:
        """The reason in the present language."""
        return told(self.why)

    @property
    def told_state(self) -> str:
        """The state in the present language, of a suspended version with what it is suspended for."""
        told_state = str(self.get_state_display())
        if self.state != Version.State.SUSPENDED or not self.suspended_for:
            return told_state
        if self.suspended_for == SuspendedFor.CLOSED:
            return gettext("retired")  # not for anything that it did
        return f"{told_state}: {self.get_suspended_for_display()}"

    @property
    def may_play(self) -> bool:
        return self.state == Version.State.APPROVED

    @property
    def weight_class(self) -> str:
        """The name of the weight class of its archive; empty for house bots and remote ones."""
        return weight_class(self.weight, self.digest)

    @property
    def remote_name(self) -> str:
        """As the arbiter knows a remote version: `ann/karl@3`."""
        return f"{self.bot.full_name}@{self.number}"

    def get_absolute_url(self) -> str:
        return f"{self.bot.get_absolute_url()}v/{self.number}/"


def suspended(reason: str, cause: SuspendedFor) -> dict[str, object]:
    """Return the fields of a version that is suspended for a reason, which may be a `Sentence`."""
    return {"state": Version.State.SUSPENDED, "suspended_for": cause, **because(reason)}


def because(reason: str) -> dict[str, object]:
    """Return the fields of a version that hold a reason, which may be a `Sentence`."""
    return {"reason": reason, "reason_parts": parts_of(reason)}


def weight_class(weight: str, digest: str) -> str:
    """Return the name of a weight class from what is stored of a version."""
    return weight or (LIGHT.name if digest else "")


RANKABLE_STATES = (Version.State.APPROVED, Version.State.STALE)
"""States in which a version can be ranked for its bot."""


class RemoteAccess(models.Model):
    """The access and presence of a remote version. Only a digest of its token is kept."""

    version = models.OneToOneField(Version, models.CASCADE, related_name="access")
    token_digest = models.CharField(
        "SHA-256 of the token",
        max_length=64,
        unique=True,
        help_text=gettext_lazy("Once the token is revoked a random one, that no token has."),
    )
    hint = models.CharField(max_length=12)
    issued_at = models.DateTimeField()
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)
    connected_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("Since when it is connected; empty while it is not.")
    )
    last_seen_at = models.DateTimeField(null=True, blank=True)
    latency_seconds = models.FloatField(null=True, blank=True)
    tables = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Tables that it plays at the moment.")
    )

    class Meta:
        ordering = ["version"]
        verbose_name_plural = gettext_lazy("remote accesses")

    def __str__(self) -> str:
        return f"{self.version} ({self.hint}…)"

    @property
    def connected(self) -> bool:
        """True if it was connected when the platform last looked, and that was not long ago."""
        return self.connected_at is not None and self.last_seen_at >= stale_before()

    @property
    def latency_milliseconds(self) -> float | None:
        """The round trip to it; None until it is measured."""
        return 1000 * self.latency_seconds if self.latency_seconds else None


def stale_before() -> datetime:
    """Return the time before which a sighting says nothing about now."""
    return clock.now() - PRESENCE


class Submission(models.Model):
    """The validation of a version; its log is for owner and staff only."""

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
        help_text=gettext_lazy("The member of staff who let this code run although the sandbox is weak."),
    )
    finished_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Number of times that a worker took it.")
    )
    trials = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Trials started since the last verdict.")
    )
    set_aside_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Since when it waits for staff: its trials were broken off."),
    )
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.version}"

    def get_absolute_url(self) -> str:
        return localized(f"/submissions/{self.pk}/")


class TrialMatch(models.Model):
    """A match of a submission's last trial, for owner and staff only; read by `validation.match_records`."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="matches")
    game = models.CharField(max_length=30)
    file_name = models.CharField(max_length=200)
    digest = models.CharField("SHA-256", max_length=64)
    record_bytes = models.PositiveIntegerField()
    printed = models.TextField(
        blank=True, help_text=gettext_lazy("What the bot wrote to standard output and error.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.submission}, {self.game}"


class LogLevel(models.TextChoices):
    INFO = "info", gettext_lazy("info")
    GOOD = "good", gettext_lazy("good")
    BAD = "bad", gettext_lazy("bad")


class LogLine(models.Model):
    """A line of a submission's log."""

    Level = LogLevel

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField()
    level = models.CharField(max_length=4, choices=Level, default=Level.INFO)
    text = models.TextField()
    parts = models.JSONField(null=True, blank=True, editable=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "number"], name="one_log_line_per_number")
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def told_text(self) -> str:
        """The line in the present language."""
        return told(restored(self.text, self.parts))
