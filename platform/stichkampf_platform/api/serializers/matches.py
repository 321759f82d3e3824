"""Matches as one bot sees them: its own result, and those of all at the table."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.marks.match_rows import MatchRow
from stichkampf_platform.tournaments.block_rows import SeatRow
from stichkampf_platform.tournaments.models import Result


class PlayerSerializer(serializers.Serializer):
    """A seat at a played table."""

    seat = serializers.IntegerField(help_text="From 0, as in the match record.")
    bot = serializers.CharField()
    version = serializers.IntegerField()
    score = serializers.IntegerField()
    rank = serializers.IntegerField()


class MatchSerializer(serializers.ModelSerializer):
    table = serializers.IntegerField()
    page = serializers.CharField(help_text="The replay.")
    tournament = serializers.CharField()
    game = serializers.CharField()
    rated = serializers.BooleanField()
    bot = serializers.CharField(source="own.bot")
    version = serializers.IntegerField(source="own.version")
    seat = serializers.IntegerField(source="own.number", help_text="From 0, as in the match record.")
    score = serializers.IntegerField(source="own.score")
    rank = serializers.IntegerField(source="own.rank")
    forfeited = serializers.BooleanField(
        source="own.forfeited",
        help_text="It made more faults than allowed and loses on this hand.",
    )
    finished_at = serializers.DateTimeField()
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
    def get_players(self, match: MatchRow) -> list[dict]:
        return [player_fields(seat) for seat in match.seats]


def player_fields(seat: SeatRow) -> dict:
    """Return the fields of `PlayerSerializer`."""
    return {
        "seat": seat.number,
        "bot": seat.bot,
        "version": seat.version,
        "score": seat.score,
        "rank": seat.rank,
    }
