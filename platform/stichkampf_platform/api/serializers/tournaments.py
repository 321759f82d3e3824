"""Games, tournaments, tables, results and faults."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime

from django.utils.functional import cached_property
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.api.serializers.matches import player_fields
from stichkampf_platform.api.serializers.sent import SentSerializer
from stichkampf_platform.ratings.qualification import decided_by_lot
from stichkampf_platform.tournaments.block_rows import SeatRow, seats_at
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS
from stichkampf_platform.tournaments.models import (
    Entry,
    Fault,
    Result,
    Seat,
    SeatReport,
    Table,
    Tournament,
)
from stichkampf_platform.tournaments.queries import begun_meanwhile
from stichkampf_platform.tournaments.running.revealing import held_back_part
from stichkampf_platform.tournaments.scheduling.played_rounds import rests

FROM_0 = "From 0, as in the match record; pages count from 1."
DECISION = "Its number among all decisions of the match, from 1, as on pages; null for old faults."


class GameSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    players = serializers.ListField(child=serializers.IntegerField())
    options = serializers.DictField(help_text="Each option with its default for the fewest seats.")


class TournamentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tournament
        fields = [*COLUMNS, "released", "state", "created_at", "started_at", "finished_at"]


class ProgressSerializer(serializers.Serializer):
    tables = serializers.IntegerField()
    tables_done = serializers.IntegerField()
    tables_running = serializers.IntegerField()
    blocks = serializers.IntegerField()
    blocks_over = serializers.IntegerField()
    being_drawn = serializers.BooleanField(help_text="Further blocks of its plan are still being drawn.")


class RestSerializer(serializers.Serializer):
    round = serializers.IntegerField(help_text="From 0.")
    entrant = serializers.CharField(help_text="As in all files: `ann/karl v3`.")
    worth = serializers.FloatField(
        allow_null=True, help_text="The points that the round is worth; null where no points are counted."
    )


class RevealedSeatSerializer(serializers.Serializer):
    entrant = serializers.SerializerMethodField(help_text="As in all files: `ann/karl v3`.")
    score = serializers.IntegerField(source="result.score")
    rank = serializers.IntegerField(source="result.rank")

    def get_entrant(self, seat: Seat) -> str:
        version = seat.entrant.version
        return f"{version.bot.full_name} v{version.number}"


class RevealedTableSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    block = serializers.IntegerField(source="block.number", help_text=FROM_0)
    lane = serializers.IntegerField(help_text=FROM_0)
    seats = RevealedSeatSerializer(source="seats.all", many=True)


class HeldBackSerializer(serializers.Serializer):
    left = serializers.IntegerField(help_text="Tables still to be revealed.")
    is_played = serializers.BooleanField(help_text="The round has been played: they may be revealed.")
    tables = RevealedTableSerializer(
        many=True, help_text="Those that were revealed, last first, of blocks that are not over."
    )


class TournamentDetailSerializer(TournamentSerializer):
    progress = ProgressSerializer(read_only=True)
    entrants = serializers.SerializerMethodField()
    rests = serializers.SerializerMethodField(help_text="Who had no table in a round.")
    lot = serializers.SerializerMethodField(
        help_text="Of a knock-out of the best: between whom a lot decided who enters; else empty."
    )

    held_back = serializers.SerializerMethodField(
        help_text="Results that are held back; null where all that was played is shown."
    )

    class Meta(TournamentSerializer.Meta):
        fields = [
            *TournamentSerializer.Meta.fields,
            *("waiting_round", "next_round_at", "progress", "entrants", "rests", "lot", "held_back"),
        ]
        extra_kwargs = {
            "waiting_round": {"help_text": "The round that waits for its start, from 0; null if none does."},
            "next_round_at": {
                "help_text": "When it starts, or the last one that waited did; null by a press."
            },
        }

    @extend_schema_field(HeldBackSerializer(allow_null=True))
    def get_held_back(self, tournament: Tournament) -> dict | None:
        held = held_back_part(tournament)
        return None if held is None else HeldBackSerializer(held).data

    @extend_schema_field(RestSerializer(many=True))
    def get_rests(self, tournament: Tournament) -> list[dict]:
        return [
            {
                "round": number - 1,
                "entrant": f"{each.entrant.version.bot.full_name} v{each.entrant.version.number}",
                "worth": each.worth,
            }
            for number, each in rests(tournament)
        ]

    def get_lot(self, tournament: Tournament) -> str:
        return str(decided_by_lot(tournament))

    def get_entrants(self, tournament: Tournament) -> list[str]:
        names = ("version__bot__owner__username", "version__bot__slug", "version__number")
        return [
            f"{author}/{bot} v{number}" for author, bot, number in tournament.entrants.values_list(*names)
        ]


class EntrySerializer(serializers.ModelSerializer):
    """An entry in the order of the list."""

    bot = serializers.CharField(source="bot.full_name")
    version = serializers.IntegerField(
        source="version.number",
        allow_null=True,
        default=None,
        help_text="null: the newest that was submitted before the deadline and is approved.",
    )
    place = serializers.IntegerField(help_text="Its place in the list, from 1.")
    waits = serializers.BooleanField(help_text="true if all places are taken before it.")

    class Meta:
        model = Entry
        fields = ["bot", "version", "place", "waits", "left_out", "entered_at"]


class NewEntrySerializer(SentSerializer):
    bot = serializers.CharField(max_length=80, help_text="One of your bots: `karl` or `ann/karl`.")
    version = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="Without one, the newest that is approved at the deadline plays.",
    )
    code = serializers.CharField(
        required=False, allow_blank=True, max_length=40, help_text="The code, where the tournament has one."
    )


class CodeSerializer(SentSerializer):
    code = serializers.CharField(max_length=40, help_text="As the organiser told it.")


class FaultSerializer(serializers.ModelSerializer):
    class Meta:
        model = Fault
        fields = ["decision", "deal", "move", "kind"]
        extra_kwargs = {
            "decision": {"help_text": DECISION},
            "deal": {"help_text": FROM_0},
            "move": {"help_text": FROM_0},
        }


class BotFaultSerializer(FaultSerializer):
    table = serializers.IntegerField(source="result.seat.table_id")
    game = serializers.CharField(source="result.seat.table.block.tournament.game")
    page = serializers.SerializerMethodField(help_text="The replay at this decision.")
    version = serializers.IntegerField(source="result.seat.entrant.version.number")
    seat = serializers.IntegerField(source="result.seat.number", help_text=FROM_0)
    forfeited = serializers.BooleanField(source="result.forfeited")

    class Meta(FaultSerializer.Meta):
        fields = ["table", "game", "page", "version", "seat", *FaultSerializer.Meta.fields, "forfeited"]

    def get_page(self, fault: Fault) -> str:
        return fault.page()


class TableFaultSerializer(serializers.Serializer):
    decision = serializers.IntegerField(help_text=DECISION)
    seat = serializers.IntegerField(help_text=FROM_0)
    deal = serializers.IntegerField(help_text=FROM_0)
    move = serializers.IntegerField(help_text=FROM_0)
    kind = serializers.CharField()
    reasons = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the server said to the answer, or the line of the bot's error. Empty where nothing is"
        " known, and as long as it could reveal something of an unfinished block.",
    )


class WrittenSerializer(serializers.Serializer):
    decision = serializers.IntegerField(help_text="Its number among the decisions of the seat, from 1.")
    first_line = serializers.IntegerField(help_text=FROM_0)
    end_line = serializers.IntegerField(help_text="The line after the last one.")


class ReportSerializer(serializers.ModelSerializer):
    table = serializers.IntegerField(source="seat.table_id")
    seat = serializers.IntegerField(source="seat.number", help_text=FROM_0)
    version = serializers.IntegerField(source="seat.entrant.version.number")
    complaint_decisions = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="For each complaint the number of the decision, counted as in `written`; 0 for none.",
    )
    written = serializers.SerializerMethodField(
        help_text="The lines of `stderr` that were written for a decision."
    )

    class Meta:
        model = SeatReport
        fields = [
            *("table", "seat", "version", "exit_kind", "exit_code", "complaints", "complaint_decisions"),
            *("stderr", "written"),
        ]

    @extend_schema_field(WrittenSerializer(many=True))
    def get_written(self, report: SeatReport) -> list[dict[str, int]]:
        return [
            {"decision": decision, "first_line": first, "end_line": end}
            for decision, first, end in report.written or []
        ]


class ResultSerializer(serializers.ModelSerializer):
    """The result of a seat."""

    seat = serializers.IntegerField(help_text=FROM_0)
    bot = serializers.CharField()
    version = serializers.IntegerField()
    faults = FaultSerializer(many=True)
    median_ms = serializers.FloatField(
        allow_null=True,
        help_text="Median thinking time in milliseconds; null without decisions, and as long as it could"
        " reveal something of an unfinished block.",
    )

    class Meta:
        model = Result
        fields = ["seat", "bot", "version", "score", "rank", "forfeited", "decisions", "median_ms", "faults"]


class TableSerializer(serializers.ModelSerializer):
    tournament = serializers.CharField(source="block.tournament.slug")
    block = serializers.IntegerField(source="block.number", help_text="From 0, as `lane` and `seat`.")
    seed = serializers.SerializerMethodField(help_text="The deal seed of its block, in hexadecimal.")
    results = serializers.SerializerMethodField()

    class Meta:
        model = Table
        fields = ["id", "tournament", "block", "lane", "seed", "started_at", "finished_at", "results"]

    def get_seed(self, table: Table) -> str:
        return bytes(table.block.seed).hex()

    @extend_schema_field(ResultSerializer(many=True))
    def get_results(self, table: Table) -> list[dict]:
        seats, faults = self._seats
        return [
            {
                **player_fields(seat),
                "forfeited": seat.forfeited,
                "decisions": seat.decisions,
                "median_ms": None if self._is_held_back(seat, table) else seat.median_ms,
                "faults": faults[seat.result],
            }
            for seat in seats[table.pk]
        ]

    @cached_property
    def _seats(self) -> tuple[dict[int, list[SeatRow]], dict[int, list[dict]]]:
        """The seats at all tables of the list, or at the only one, and the faults by result."""
        tables = [self.instance] if self.parent is None else self.parent.instance
        seats = seats_at({table.pk for table in tables})
        faults: dict[int, list[dict]] = defaultdict(list)
        results = [seat.result for at_table in seats.values() for seat in at_table]
        for fault in Fault.objects.filter(result__in=results).values(
            "result_id", *FaultSerializer.Meta.fields
        ):
            faults[fault.pop("result_id")].append(fault)
        return seats, faults

    def _is_held_back(self, seat: SeatRow, table: Table) -> bool:
        begun = self._begun.get(seat.version_id)
        return begun is not None and begun < table.finished_at

    @cached_property
    def _begun(self) -> dict[int, datetime]:
        return begun_meanwhile()
