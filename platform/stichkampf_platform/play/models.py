"""Tables at which people play, for themselves: no blocks, so that no rating and no conduct knows of them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy
from stichkampf.engine.game import Game
from stichkampf.games import new_game

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.sentences import parts_of, restored, told

GUEST = "guest"
PLAYED_OUT_HOURS = 2
"""The time for tables that were begun, after their day."""


class PlayedState(models.TextChoices):
    """States of a table: waiting for people, if by link; open; over with a record; void with a sentence.

    One that is put aside keeps its moves without a room at the arbiter, until its person is back.
    """

    GATHERING = "wait", gettext_lazy("waiting for people")
    OPEN = "open", gettext_lazy("open")
    ASIDE = "away", gettext_lazy("put aside")
    OVER = "over", gettext_lazy("over")
    VOID = "void", gettext_lazy("void")


GOING_ON = (PlayedState.OPEN, PlayedState.ASIDE)
"""The states of a table whose match has begun and is not over."""


class PlayedTable(models.Model):
    """A match with one person or several, on cards that nobody else gets.

    :ivar public_id: its name in addresses, too long to be guessed.
    :ivar seed: of the cards; nobody reads it before the match is over.
    :ivar start: counts the times that its match was started from its first moves, from 1.
    :ivar arbiter: the process of the arbiter that plays it.
    :ivar practice: something was taken back or hinted, or it did not begin with its first card.
    :ivar deals: given deals, as in a record; None where all follow from the seed.
    :ivar opening: seats and words of the moves with which its match began, before its person was asked.
    :ivar open_cards: its person sees all hands.
    :ivar origin: the address of the replay from which it was played on; empty for none.
    :ivar origin_points: what the seat had made there.
    :ivar begins_at: of a table by link, the time at which bots take its empty seats.
    """

    State = PlayedState

    public_id = models.CharField(max_length=32, unique=True)
    game_name = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    seats_count = models.PositiveSmallIntegerField()
    seed = models.BinaryField(max_length=32)
    state = models.CharField(max_length=4, choices=State, default=State.OPEN)
    start = models.PositiveIntegerField(default=1)
    arbiter = models.CharField(max_length=40, blank=True)
    practice = models.BooleanField(default=False)
    deals = models.JSONField(null=True, blank=True, editable=False)
    opening = models.JSONField(default=list, blank=True, editable=False)
    open_cards = models.BooleanField(default=False)
    origin = models.CharField(max_length=200, blank=True)
    origin_points = models.IntegerField(null=True, blank=True)
    begins_at = models.DateTimeField(null=True, blank=True)
    void_reason = models.TextField(blank=True)
    void_parts = models.JSONField(null=True, blank=True, editable=False)
    record = models.JSONField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state="over", record__isnull=False)
                | (~models.Q(state="over") & models.Q(record__isnull=True)),
                name="a_table_has_a_record_where_it_is_over",
            )
        ]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(state="open"), name="open_played_tables"),
            models.Index(fields=["id"], condition=models.Q(state="away"), name="tables_put_aside"),
        ]

    def __str__(self) -> str:
        return f"{self.game_name} {self.public_id}"

    @property
    def game(self) -> Game:
        return new_game(self.game_name, self.seats_count, self.options)

    @property
    def match(self) -> str:
        """The name of its match for the arbiter, of which the last part changes with every start."""
        return f"play/{self.public_id}/{self.start}"

    @property
    def entry(self) -> DailyEntry | None:
        """The person's entry, where it is of a day's deal."""
        return getattr(self, "daily_entry", None)

    @property
    def is_played_on(self) -> bool:
        """Tell whether its match began in the middle of another, whose points the seat is told of."""
        return self.origin_points is not None

    @property
    def void(self) -> str:
        """The reason for which it is void, perhaps a `Sentence`; empty where it is not."""
        return restored(self.void_reason, self.void_parts)

    @property
    def told_void(self) -> str:
        """The reason for which it is void, in the present language."""
        return told(self.void)

    def end_void(self, reason: str) -> None:
        """Set the fields of a table that is void for a reason, which may be a `Sentence`."""
        self.state = PlayedState.VOID
        self.void_reason, self.void_parts = str(reason), parts_of(reason)


class PlayedSeat(models.Model):
    """A seat of such a table: a person, a house bot, or a version of an author's bot.

    :ivar person: it is, or was, a person's; without an account a guest's.
    :ivar bot_plays: a bot answers for the person, who may take the seat again.
    :ivar helped: a bot has answered for the person.
    :ivar resigned: the person gave up the match, and cannot take the seat again.
    """

    table = models.ForeignKey(PlayedTable, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    person = models.BooleanField(default=False)
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="played_seats"
    )
    house = models.CharField(max_length=40, blank=True)
    version = models.ForeignKey(Version, models.PROTECT, null=True, blank=True, related_name="played_seats")
    bot_plays = models.BooleanField(default=False)
    helped = models.BooleanField(default=False)
    resigned = models.BooleanField(default=False)

    class Meta:
        ordering = ["table", "number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="one_played_seat_a_number"),
            models.UniqueConstraint(
                fields=["table", "account"],
                condition=models.Q(account__isnull=False),
                name="one_played_seat_an_account",
            ),
            models.CheckConstraint(
                condition=models.Q(person=True, house="", version=None)
                | (models.Q(person=False, account=None) & ~models.Q(house="") & models.Q(version=None))
                | models.Q(person=False, account=None, house="", version__isnull=False),
                name="a_played_seat_is_a_person_house_bot_or_version",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table}, seat {self.number}: {self.name}"

    @property
    def name(self) -> str:
        """Its name on the page: of the account, of the bot, or `guest`."""
        if self.person:
            return self.account.username if self.account else GUEST
        return f"house/{self.house}" if self.house else self.version.bot.full_name

    @property
    def told_name(self) -> str:
        """Its name in the record, which tells nobody's account: `guest` for every person."""
        return GUEST if self.person else self.name


class OwnResult(models.Model):
    """A match that counts for a person's own rating.

    :ivar kept: the person played it to its end; else nothing of it is kept.
    :ivar house_scores: by name of a house bot, what it made of the same hands; empty until they have played.
    :ivar compared: they have.
    """

    table = models.OneToOneField(PlayedTable, models.CASCADE, related_name="own_result")
    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="own_results")
    points = models.IntegerField()
    kept = models.BooleanField(default=True)
    house_scores = models.JSONField(default=dict)
    compared = models.BooleanField(db_default=False)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["id"], condition=models.Q(compared=False), name="own_results_to_compare")
        ]

    def __str__(self) -> str:
        return f"{self.table}, {self.account}: {self.points}"


class DailyDeal(models.Model):
    """The match of a game on a day of UTC.

    :ivar seat: the person's.
    :ivar seed: of the cards; its digest is public at once, the seed itself once the deal is open.
    :ivar house_scores: by name of a house bot, what it made of the person's hand; empty until a person has.
    """

    day = models.DateField()
    game_name = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    seats_count = models.PositiveSmallIntegerField()
    seat = models.PositiveSmallIntegerField()
    seed = models.BinaryField(max_length=32)
    house_scores = models.JSONField(default=dict)

    class Meta:
        ordering = ["-day", "pk"]
        constraints = [models.UniqueConstraint(fields=["day", "game_name"], name="one_deal_a_game_and_day")]

    def __str__(self) -> str:
        return f"{self.game_name}, {self.day}"

    @property
    def game(self) -> Game:
        return new_game(self.game_name, self.seats_count, self.options)

    @property
    def commitment(self) -> str:
        """The SHA-256 digest of the seed, which says nothing of the cards and fixes them."""
        return hashlib.sha256(bytes(self.seed)).hexdigest()

    @property
    def ends_at(self) -> datetime:
        """The end of its day, after which no table is begun."""
        return datetime.combine(self.day, time(), UTC) + timedelta(days=1)

    @property
    def opens_at(self) -> datetime:
        """The time from which seed, replays and tables are everybody's, and nothing is counted any more."""
        return self.ends_at + timedelta(hours=PLAYED_OUT_HOURS)

    @property
    def is_open(self) -> bool:
        return clock.now() >= self.opens_at

    @property
    def house_mean(self) -> float | None:
        """The mean score of the house bots; None until it is known."""
        scores = list(self.house_scores.values())
        return sum(scores) / len(scores) if scores else None


class DailyState(models.TextChoices):
    """Outcomes of a person's match of a day."""

    PLAYING = "playing", gettext_lazy("being played")
    COUNTED = "counted", gettext_lazy("counted")
    GIVEN_UP = "given up", gettext_lazy("given up")
    LATE = "late", gettext_lazy("over too late to count")
    VOID = "void", gettext_lazy("void by our fault")


class DailyEntry(models.Model):
    """A person at the deal of a day: of an account, or of a browser in which nobody is signed in.

    :ivar browser: the digest of the secret that the browser keeps; empty where it keeps none.
    :ivar cards_seen: the person has decided, and so has seen more than the cards of the beginning.
    """

    State = DailyState

    deal = models.ForeignKey(DailyDeal, models.CASCADE, related_name="entries")
    table = models.OneToOneField(PlayedTable, models.CASCADE, related_name="daily_entry")
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="daily_entries"
    )
    browser = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.PLAYING)
    points = models.IntegerField(null=True, blank=True)
    cards_seen = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "daily entries"
        constraints = [
            models.UniqueConstraint(
                fields=["deal", "account"],
                condition=models.Q(account__isnull=False),
                name="one_entry_a_deal_and_account",
            ),
            models.UniqueConstraint(
                fields=["deal", "browser"],
                condition=models.Q(account__isnull=True),
                name="one_entry_a_deal_and_guest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deal}, {self.account or 'guest'}"

    @property
    def may_begin_anew(self) -> bool:
        """Tell whether it is void by our fault before anything was decided: then the person begins anew."""
        return self.state == DailyState.VOID and not self.cards_seen


class SameHandState(models.TextChoices):
    """States of a match with a person's hand."""

    WAITING = "waiting", gettext_lazy("waiting")
    PLAYING = "playing", gettext_lazy("being played")
    OVER = "over", gettext_lazy("over")
    FAILED = "failed", gettext_lazy("failed")


class SameHand(models.Model):
    """The match of an author's bot in the seat and with the cards that a person had.

    :ivar points: of the bot; None where it has none, or made a fault.
    """

    State = SameHandState

    table = models.ForeignKey(PlayedTable, models.CASCADE, related_name="same_hands")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey(Version, models.PROTECT, related_name="same_hands")
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    points = models.IntegerField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["table", "seat", "version"], name="one_match_a_hand_and_version")
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=models.Q(state__in=["waiting", "playing"]), name="open_same_hands"
            )
        ]

    def __str__(self) -> str:
        return f"{self.version} with the hand of {self.table}, seat {self.seat}"

    @property
    def match(self) -> str:
        """The name of its match for the arbiter."""
        return f"hand/{self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state in (SameHandState.WAITING, SameHandState.PLAYING)
