"""Matches as one bot sees them: its own result, and those of all at the table."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.tournaments.models import Result


class PlayerSerializer(serializers.Serializer):
    seat = serializers.IntegerField(source="number", help_text="From 0, as in the match record.")
    bot = serializers.CharField(source="entrant.version.bot.full_name")
    version = serializers.IntegerField(source="entrant.version.number")
    score = serializers.IntegerField(source="result.score")
    rank = serializers.IntegerField(source="result.rank")


class MatchSerializer(serializers.ModelSerializer):
    table = serializers.IntegerField(source="seat.table_id")
    page = serializers.CharField(source="seat.table.get_absolute_url", help_text="The replay.")
    tournament = serializers.CharField(source="seat.table.block.tournament.slug")
    game = serializers.CharField(source="seat.table.block.tournament.game")
    rated = serializers.BooleanField(source="seat.table.block.tournament.rated")
    bot = serializers.CharField(source="seat.entrant.version.bot.full_name")
    version = serializers.IntegerField(source="seat.entrant.version.number")
    seat = serializers.IntegerField(source="seat.number", help_text="From 0, as in the match record.")
    finished_at = serializers.DateTimeField(source="seat.table.finished_at")
    players = serializers.SerializerMethodField(help_text="Everybody at the table, by seat.")

    class Meta:
        model = Result
        fields = [
            "table",
            "page",
            "tournament",
            "game",
            "rated",
            "bot",
            "version",
            "seat",
            "score",
            "rank",
            "faults",
            "forfeited",
            "finished_at",
            "players",
        ]

    @extend_schema_field(PlayerSerializer(many=True))
    def get_players(self, result: Result) -> list[dict]:
        return PlayerSerializer(result.seat.table.seats.all(), many=True).data
