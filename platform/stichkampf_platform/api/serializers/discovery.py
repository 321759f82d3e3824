"""People, the state of the platform, blocks and the deals in them."""

from __future__ import annotations

from typing import Any

from django.utils.functional import cached_property
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.play import daily
from stichkampf_platform.play.models import DailyDeal
from stichkampf_platform.tournaments.block_rows import BlockRow, rows_of
from stichkampf_platform.tournaments.models import Block, Table

FROM_0 = "From 0, as in the match record; pages count from 1."


class AuthorSerializer(serializers.Serializer):
    name = serializers.CharField(source="username")
    bots = serializers.IntegerField(source="bot_count", help_text="Those that everybody may see.")


class DailyRankSerializer(serializers.Serializer):
    rank = serializers.IntegerField()
    name = serializers.CharField()
    points = serializers.IntegerField()


class DailySerializer(serializers.ModelSerializer):
    game = serializers.CharField(source="game_name")
    seats = serializers.IntegerField(source="seats_count")
    commitment = serializers.CharField(help_text="SHA-256 of the seed, in hexadecimal.")
    opens_at = serializers.DateTimeField(help_text="From then on everybody may see the deal.")
    seed = serializers.SerializerMethodField(help_text="In hexadecimal; null until the deal is open.")
    table = serializers.SerializerMethodField(help_text="Accounts by points; null until the deal is open.")
    guests = serializers.SerializerMethodField(help_text="Points of guests; null until the deal is open.")
    house = serializers.SerializerMethodField(help_text="Points of house bots; null until the deal is open.")

    class Meta:
        model = DailyDeal
        fields = (
            "game",
            "day",
            "options",
            "seats",
            "seat",
            "commitment",
            "opens_at",
            "seed",
            "table",
            "guests",
            "house",
        )
        extra_kwargs = {"seat": {"help_text": FROM_0}}

    def get_seed(self, deal: DailyDeal) -> str | None:
        return bytes(deal.seed).hex() if deal.is_open else None

    @extend_schema_field(DailyRankSerializer(many=True, allow_null=True))
    def get_table(self, deal: DailyDeal) -> Any:
        return DailyRankSerializer(daily.table_of_day(deal), many=True).data if deal.is_open else None

    def get_guests(self, deal: DailyDeal) -> list[int] | None:
        return daily.guest_points(deal) if deal.is_open else None

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": {"type": "integer"}})
    def get_house(self, deal: DailyDeal) -> dict[str, int] | None:
        return deal.house_scores if deal.is_open else None


class PartSerializer(serializers.Serializer):
    name = serializers.CharField()
    state = serializers.ChoiceField(["good", "slow", "bad"])
    text = serializers.CharField()


class StatusSerializer(serializers.Serializer):
    at = serializers.DateTimeField(help_text="A few seconds ago.")
    parts = PartSerializer(many=True)


class BlockSerializer(serializers.ModelSerializer):
    tournament = serializers.CharField(source="tournament.slug")
    seed = serializers.SerializerMethodField(help_text="In hexadecimal; null until the block is over.")
    replaced_by = serializers.IntegerField(
        source="replaced_by_id", allow_null=True, help_text="The block that is played in its place."
    )
    tables = serializers.SerializerMethodField(help_text="By lane; their results are read by their ids.")
    entrants = serializers.SerializerMethodField(
        help_text="Names with versions; null while a remote bot could look up its opponents."
    )

    class Meta:
        model = Block
        fields = [
            "id",
            "tournament",
            "number",
            "round",
            "over_at",
            "seed",
            "replaced_by",
            "tables",
            "entrants",
        ]
        extra_kwargs = {"number": {"help_text": FROM_0}, "round": {"help_text": FROM_0}}

    def get_seed(self, block: Block) -> str | None:
        return bytes(block.seed).hex() if block.over_at else None

    def get_tables(self, block: Block) -> list[int]:
        return [table for table, state in self._rows[block.pk].tables if state != Table.State.VOID]

    def get_entrants(self, block: Block) -> list[str] | None:
        if not block.shows_seats:
            return None
        return [entrant.full_name for entrant in self._rows[block.pk].entrants]

    @cached_property
    def _rows(self) -> dict[int, BlockRow]:
        """The rows of all blocks of the list, or of the only one."""
        return rows_of([self.instance] if self.parent is None else self.parent.instance)


class DealAtTableSerializer(serializers.Serializer):
    table = serializers.IntegerField()
    lane = serializers.IntegerField(help_text=FROM_0)
    deal = serializers.DictField(help_text="The deal as in the match record: dealer, hands, moves, scores.")
