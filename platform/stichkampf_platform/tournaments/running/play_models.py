"""Play of a tournament: blocks, their tables and seats, and what came out at each seat."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.people.sentences import parts_of, restored, told


class TableState(models.TextChoices):
    PENDING = "open", gettext_lazy("to be played")
    DONE = "done", gettext_lazy("played")
    VOID = "void", gettext_lazy("void")


STILL_TO_PLAY = models.Q(over_at=None, played_at=None)
"""Matches blocks that are still to be played: neither over, nor played with their results held back."""


class Block(models.Model):
    """One deal seed and the seatings in which the same bots replay it. Hidden until `over_at`.

    Where results are held back, that is when they are revealed; until then `played_at` alone is set.
    """

    tournament = models.ForeignKey("tournaments.Tournament", models.CASCADE, related_name="blocks")
    number = models.PositiveIntegerField(help_text=gettext_lazy("Its place in the schedule, from 0."))
    round = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("From 0; a round is planned when all before it is over.")
    )
    seed = models.BinaryField(max_length=32)
    dealt_once = models.BooleanField(
        default=False,
        help_text=gettext_lazy("Each entrant is seated once: a remote bot would remember the cards."),
    )
    substitute_version = models.PositiveSmallIntegerField(
        default=1,
        help_text=gettext_lazy(
            "Version of the house bot that moves in place of failing bots, at all its tables."
        ),
    )
    node = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text=gettext_lazy("Whose arbiter plays it; empty until it has begun, and for remote bots."),
    )
    hinted_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When workers were last told of it.")
    )
    over_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When its last table ended.")
    )
    played_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When its last table ended, where results are held back.",
    )
    replaced_by = models.OneToOneField(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="replaces",
        help_text=gettext_lazy("The block that is played in its place; its own results are void."),
    )

    class Meta:
        ordering = ["tournament_id", "number"]  # by the column: the tournament's own order would be joined
        constraints = [models.UniqueConstraint(fields=["tournament", "number"], name="one_block_per_number")]
        indexes = [models.Index(fields=["over_at", "tournament", "number"], name="blocks_to_play")]

    def __str__(self) -> str:
        return _("{tournament}, block {number}").format(
            tournament=self.tournament.told_name, number=self.number + 1
        )

    def get_absolute_url(self) -> str:
        if self.tournament.experiment:
            return self.tournament.get_absolute_url()
        return localized(f"/blocks/{self.pk}/")

    @property
    def was_seen(self) -> bool:
        """True if anybody may have seen a result of it."""
        return self.over_at is not None or self.tables.exclude(revealed_at=None).exists()

    @property
    def shows_seats(self) -> bool:
        """True if everybody may see the seats: a remote bot could look up its opponents."""
        return self.over_at is not None or not self.dealt_once


class Table(models.Model):
    """One match of a block. A live lease says which worker plays it; nothing else does."""

    State = TableState

    # `db_index=False` here and below: a constraint has an index that begins so
    block = models.ForeignKey(Block, models.CASCADE, related_name="tables", db_index=False)
    lane = models.PositiveSmallIntegerField(
        help_text=gettext_lazy("Which seating of its block it is, from 0.")
    )
    state = models.CharField(max_length=4, choices=State, default=State.PENDING)
    generation = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Grows when the arbiter must play it again.")
    )
    kept = models.PositiveIntegerField(
        gettext_lazy("kept from a core"),
        default=0,
        help_text=gettext_lazy("How often its match failed because a bot got no processor core."),
    )
    attempts = models.PositiveIntegerField(
        default=0, help_text=gettext_lazy("Number of times that a worker took it.")
    )
    lease_owner = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True, help_text=gettext_lazy("The last failure of the platform's side."))
    trouble_parts = models.JSONField(null=True, blank=True, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When its scores were revealed that were held back."
    )

    class Meta:
        ordering = ["block_id", "lane"]
        constraints = [models.UniqueConstraint(fields=["block", "lane"], name="one_table_per_lane")]
        indexes = [
            models.Index(fields=["lease_until"], condition=models.Q(state="open"), name="open_leases"),
            models.Index(fields=["block", "state"], name="tables_by_state"),  # progress reads no table for it
            models.Index(fields=["block"], condition=~models.Q(trouble=""), name="tables_in_trouble"),
        ]

    def __str__(self) -> str:
        return _("{block}, table {number}").format(block=self.block, number=self.lane + 1)

    @property
    def told_trouble(self) -> str:
        """The last failure, in the present language."""
        return told(restored(self.trouble, self.trouble_parts))

    @property
    def idempotency_key(self) -> str:
        """The match's name at the arbiter."""
        return f"table-{self.pk}-{self.generation}"

    def get_absolute_url(self) -> str:
        return localized(f"/r/{self.pk}/")


def in_trouble(reason: str) -> dict[str, object]:
    """Return the fields of a table that hold a failure, which may be a `Sentence`; "" for none."""
    return {"trouble": reason, "trouble_parts": parts_of(reason)}


class Seat(models.Model):
    """An entrant at a table."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats", db_index=False)
    number = models.PositiveSmallIntegerField()
    entrant = models.ForeignKey("tournaments.Entrant", models.PROTECT, related_name="seats")

    class Meta:
        ordering = ["table_id", "number"]
        constraints = [models.UniqueConstraint(fields=["table", "number"], name="one_entrant_per_seat")]

    def __str__(self) -> str:
        return _("{table}, seat {number}").format(table=self.table, number=self.number + 1)


class Result(models.Model):
    """The result of a seat in its match. There is one per seat, for ever."""

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="result")
    score = models.IntegerField()
    rank = models.PositiveSmallIntegerField()
    faults = models.PositiveIntegerField(default=0)
    forfeited = models.BooleanField(
        default=False, help_text=gettext_lazy("It made more faults than allowed and loses on this hand.")
    )
    decisions = models.PositiveIntegerField(default=0)
    median_ms = models.FloatField(
        null=True, blank=True, help_text=gettext_lazy("Median thinking time of a decision in milliseconds.")
    )

    def __str__(self) -> str:
        return ngettext("{score} point", "{score} points", self.score).format(score=self.score)


class Fault(models.Model):
    """A move that the arbiter made because a bot failed."""

    result = models.ForeignKey(Result, models.CASCADE, related_name="fault_list", db_index=False)
    decision = models.PositiveIntegerField(
        null=True, help_text=gettext_lazy("Its number among all decisions of the match, from 1.")
    )
    deal = models.PositiveIntegerField()
    move = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)

    class Meta:
        ordering = ["deal", "move"]
        constraints = [models.UniqueConstraint(fields=["result", "deal", "move"], name="one_fault_per_move")]

    def page(self) -> str:
        """Return the address of the replay at this decision."""
        replay = self.result.seat.table.get_absolute_url()
        return replay if self.decision is None else f"{replay}{self.decision}"

    def __str__(self) -> str:
        return _("{kind} at deal {deal}, move {move}").format(
            kind=self.kind, deal=self.deal + 1, move=self.move + 1
        )


class MatchRecord(models.Model):
    """The file of a table's record. Read it through `tournaments.records`, which shows shown ones only."""

    table = models.OneToOneField(Table, models.CASCADE, related_name="match_record")
    file_name = models.CharField(max_length=200)
    digest = models.CharField("SHA-256", max_length=64)
    record_bytes = models.PositiveIntegerField()
    deals = models.PositiveIntegerField()
    moves = models.PositiveIntegerField()
    sandbox_level = models.CharField(max_length=20, blank=True)
    deleted_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When its file was deleted, its time being over.")
    )

    def __str__(self) -> str:
        return _("record of {table}").format(table=self.table)


class SeatReport(models.Model):
    """A bot's standard error and complaints in a match, for its owner and staff only; complaints about
    decisions are for everybody, with the fault (`records.fault_reasons`).

    `written` tells the lines of standard error that were written for a decision: [number of the decision
    among those of the seat, from 1; first line, from 0; line after the last]. `complaint_decisions` has for
    each complaint the number of the decision that it is about, so counted, or 0. Both are None in older ones.
    """

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="report")
    exit_kind = models.CharField(max_length=40, blank=True)
    exit_code = models.IntegerField(default=0)
    stderr = models.TextField(blank=True)
    complaints = models.JSONField(default=list)
    written = models.JSONField(null=True, blank=True, editable=False)
    complaint_decisions = models.JSONField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return _("report of {seat}").format(seat=self.seat)
