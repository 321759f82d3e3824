"""A tournament has entrants and blocks, a block has tables, a table has seats; each seat gets one result."""

from __future__ import annotations

from hashlib import sha256

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.models import User
from stichkampf_platform.people.sentences import parts_of, restored, told
from stichkampf_platform.tournaments.entry.local_times import in_words, known_zone
from stichkampf_platform.tournaments.entry.setting_rows import column
from stichkampf_platform.tournaments.entry_models import (
    Beat,
    CoOrganiser,
    Entry,
    Membership,
    Repeats,
    Reveal,
    WhoEnters,
)
from stichkampf_platform.tournaments.organising.ruling_models import Ruling
from stichkampf_platform.tournaments.progress_models import (
    OpenDataPart,
    Participation,
    PlanToDraw,
    ProgressCounts,
)
from stichkampf_platform.tournaments.running.play_models import (
    STILL_TO_PLAY,
    Block,
    Fault,
    MatchRecord,
    Result,
    Seat,
    SeatReport,
    Table,
    TableState,
    in_trouble,
)
from stichkampf_platform.tournaments.shown import TournamentQuerySet

__all__ = ["PLAYING", "STILL_TO_PLAY", "Block", "CoOrganiser", "Entrant", "Entry", "Fault", "MatchRecord",
           "Membership", "OpenDataPart", "Participation", "PlanToDraw", "ProgressCounts", "Result", "Ruling",
           "Seat", "SeatReport", "Table", "TableState", "Tournament", "in_trouble"]  # fmt: skip


OUTCOME_CHARACTERS = 300


class TournamentState(models.TextChoices):
    DRAFT = "draft", gettext_lazy("not started")
    RUNNING = "running", gettext_lazy("running")
    PAUSED = "paused", gettext_lazy("paused")
    FINISHED = "finished", gettext_lazy("finished")
    CANCELLED = "cancelled", gettext_lazy("cancelled")


PLAYING = (TournamentState.RUNNING, TournamentState.PAUSED)
"""States of a tournament that has started and is not over."""


class Stopping(models.TextChoices):
    FIXED = "fixed", gettext_lazy("after a fixed number of blocks")
    DECIDED = "decided", gettext_lazy("when it is decided, or after that many blocks")


class Tournament(models.Model):
    """A competition of entrants in one game, with one set of options and one number of seats."""

    State = TournamentState
    Stopping = Stopping

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100, validators=[one_line])
    description = models.TextField(blank=True, max_length=10_000, **column("description"))
    game = models.CharField(max_length=30)
    seats = models.PositiveSmallIntegerField(**column("seats"))
    options = models.JSONField(**column("options"))
    options_digest = models.CharField(max_length=64, editable=False)
    ladder = models.ForeignKey(
        Ladder,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="tournaments",
        help_text=gettext_lazy("The ladder of its game, seats and options; set at its start."),
    )
    format = models.CharField(max_length=30, **column("format"))
    blocks_planned = models.PositiveIntegerField(**column("blocks_planned"))
    stopping = models.CharField(max_length=10, choices=Stopping, **column("stopping"))
    rounds = models.PositiveIntegerField(null=True, blank=True, **column("rounds"))
    outcome = models.CharField(
        max_length=OUTCOME_CHARACTERS,
        blank=True,
        editable=False,
        help_text=gettext_lazy("What the end proved, or why it could not start."),
    )
    outcome_parts = models.JSONField(null=True, blank=True, editable=False)
    rounds_over = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text=gettext_lazy("Completed rounds counted in the standings."),
    )
    lot_seed = models.BinaryField(
        max_length=32, null=True, blank=True, help_text="Of all lots and draws; drawn at the start."
    )
    move_seconds = models.FloatField(**column("move_seconds"))
    bank_seconds = models.FloatField(**column("bank_seconds"))
    cap_seconds = models.FloatField(**column("cap_seconds"))
    fault_allowance = models.PositiveIntegerField(**column("fault_allowance"))
    rated = models.BooleanField(**column("rated"))
    released = models.BooleanField(
        default=False,
        editable=False,
        help_text=gettext_lazy(
            "It counts beyond itself, on public ladders: the installation's own, or released by a superuser."
        ),
    )
    rests = models.BooleanField(
        default=False,
        editable=False,
        help_text=gettext_lazy("A ladder drawn only for bots whose rank is not settled."),
    )
    published = models.BooleanField(**column("published"))
    experiment = models.BooleanField(
        default=False,
        editable=False,
        help_text=gettext_lazy(
            "An author asked for it: unrated, for the author alone, with workers of its own."
        ),
    )
    private = models.BooleanField(**column("private"))
    entry = models.CharField(max_length=10, choices=WhoEnters, **column("entry"))
    code = models.CharField(max_length=20, blank=True, default="", editable=False, db_index=True)
    entry_until = models.DateTimeField(null=True, blank=True, **column("entry_until"))
    places = models.PositiveIntegerField(null=True, blank=True, **column("places"))
    bots_each = models.PositiveSmallIntegerField(**column("bots_each"))
    repeats = models.CharField(max_length=12, blank=True, choices=Repeats, **column("repeats"))
    series = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="repetitions",
        help_text="The first of the tournaments that it repeats.",
    )
    qualifier = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="finals",
        help_text=gettext_lazy("The tournament whose best entrants play here."),
    )
    result_told_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When those who had entered were told of the end."
    )
    time_zone = models.CharField(max_length=40, validators=[known_zone], **column("time_zone"))
    starts_at = models.DateTimeField(null=True, blank=True, **column("starts_at"))
    beat = models.CharField(max_length=8, choices=Beat, **column("beat"))
    beat_minutes = models.PositiveIntegerField(null=True, blank=True, **column("beat_minutes"))
    round_times = models.TextField(blank=True, max_length=2000, **column("round_times"))
    reveal = models.CharField(max_length=8, choices=Reveal, **column("reveal"))
    reveal_seconds = models.PositiveIntegerField(**column("reveal_seconds"))
    waiting_round = models.PositiveIntegerField(
        null=True, blank=True, editable=False, help_text="The round that waits for its start, from 0."
    )
    next_round_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When it starts, empty for a press; when the one that waited last has started.",
    )
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="tournaments"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TournamentQuerySet.as_manager()

    highlights = models.JSONField(
        null=True, blank=True, editable=False, help_text="Tables worth a look, by rule, chosen at the end."
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["series", "starts_at"], name="one_repetition_at_a_time")
        ]

    @property
    def of_installation(self) -> bool:
        """True if a superuser made it, or the platform by itself."""
        return self.created_by is None or self.created_by.is_superuser

    @property
    def is_on_site(self) -> bool:
        """True where others than its organisers see it, all or its members, as `shown_to` says."""
        open_to_authors = self.entry != WhoEnters.ORGANISER
        return self.published and (self.state != TournamentState.DRAFT or open_to_authors)

    def is_organised_by(self, person: models.Model) -> bool:
        """Tell whether a person organises it, alone or together with others."""
        if person.pk is None:
            return False
        return person.pk == self.created_by_id or self.co_organisers.filter(person=person.pk).exists()

    @property
    def organisers(self) -> list[User]:
        """People who organise it, who made it first; none where the platform did."""
        together = [each.person for each in self.co_organisers.select_related("person")]
        return [*([self.created_by] if self.created_by else []), *together]

    @property
    def holds_back(self) -> bool:
        """True if results wait to be revealed."""
        return self.reveal != Reveal.AT_ONCE

    @property
    def told_name(self) -> str:
        """The name; that of a ladder which the installation plays by itself in the present language."""
        title = GAMES[self.game].title if self.game in GAMES else self.game
        if not self.rests or self.name != f"{title} ladder":
            return self.name
        return _("%(title)s ladder") % {"title": title}

    @property
    def lot_digest(self) -> str:
        """The SHA-256 of the seed of its lots, by which anybody checks later that it was this one."""
        return sha256(self.lot_seed).hexdigest() if self.lot_seed else ""

    @property
    def open_lot_seed(self) -> str:
        """The seed of its lots in hexadecimal digits, once it is over; with it every lot can be repeated."""
        over = self.state in (TournamentState.FINISHED, TournamentState.CANCELLED)
        return bytes(self.lot_seed).hex() if self.lot_seed and over else ""

    @property
    def told_start(self) -> str:
        """The start in words, by the clocks of its time zone and in UTC; empty where it has none."""
        return in_words(self.starts_at, self.time_zone) if self.starts_at else ""

    @property
    def outcome_sentence(self) -> str:
        """The outcome, as a `Sentence` where it was stored as one."""
        return restored(self.outcome, self.outcome_parts)

    @property
    def told_outcome(self) -> str:
        """The outcome in the present language."""
        return told(self.outcome_sentence)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        if self.experiment:
            return self.asked_as.get_absolute_url()
        return localized(f"/tournaments/{self.slug}/")


def ended_with(outcome: str) -> dict[str, object]:
    """Return the fields of a tournament that hold an outcome, which may be a `Sentence`."""
    return {"outcome": outcome[:OUTCOME_CHARACTERS], "outcome_parts": parts_of(outcome)}


class OutAs(models.TextChoices):
    DISQUALIFIED = "disqualified", gettext_lazy("disqualified")
    WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")
    SET_ASIDE = "set aside", gettext_lazy("set aside without a fault")
    AWAY = "away", gettext_lazy("left out after a forfeited block")


class Entrant(models.Model):
    """A version that takes part."""

    OutAs = OutAs

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entrants")
    version = models.ForeignKey(Version, models.PROTECT, related_name="entries")
    number = models.PositiveIntegerField(help_text=gettext_lazy("Its place in the schedule, from 0."))
    out_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text=gettext_lazy("Since when it plays no more."),
    )
    out_as = models.CharField(max_length=12, choices=OutAs, blank=True, default="")
    out_for = models.CharField(max_length=300, blank=True)
    out_for_parts = models.JSONField(null=True, blank=True, editable=False)

    place = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text=gettext_lazy("From 1, in formats that rank by more than Elo, after a round."),
    )
    points = models.FloatField(
        null=True, blank=True, help_text=gettext_lazy("Swiss: those of the rounds that are over.")
    )
    round_reached = models.PositiveIntegerField(
        null=True, blank=True, help_text=gettext_lazy("Knock-out: from 1.")
    )
    tie_breaks = models.JSONField(
        null=True, blank=True, editable=False, help_text="What parts it from equals, by criterion."
    )
    left_after = models.PositiveIntegerField(
        null=True,
        blank=True,
        editable=False,
        help_text="Rounds that had been drawn when it left; those that were over stay as they are.",
    )

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_entrant_per_number"),
            models.UniqueConstraint(fields=["tournament", "version"], name="a_version_enters_once"),
        ]

    def __str__(self) -> str:
        return str(self.version)

    @property
    def out_sentence(self) -> str:
        """The reason why it is out, as a `Sentence` where it was stored as one."""
        return restored(self.out_for, self.out_for_parts)

    @property
    def told_out(self) -> str:
        """The same in the present language."""
        return told(self.out_sentence)
