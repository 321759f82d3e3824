"""Ladders, ratings and standings."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.api.serializers.long_lists import rating_entries, standing_entries
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.ratings.figures import FIGURES
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.ranked_versions import holders_in

MEANINGS = {name: {"help_text": figure.meaning} for name, figure in FIGURES.items()}


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="version.bot.full_name")
    version = serializers.IntegerField(source="version.number")
    weight = serializers.CharField(
        source="version.weight_class",
        help_text="The weight class of its archive, such as `light` or `net`; empty without an archive.",
    )
    holds_place = serializers.BooleanField(
        read_only=True,
        help_text="True if it holds its bot's position in the ranking now; in a tournament always true.",
    )

    class Meta:
        model = Rating
        fields = ["rank", "bot", "version", "weight", *FIGURES, "holds_place"]
        extra_kwargs = MEANINGS


class LadderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ladder
        fields = ["slug", "game", "seats", "options", "main", "slow"]


class OverallRatingSerializer(serializers.Serializer):
    bot = serializers.CharField(source="version.bot.full_name")
    elo = serializers.FloatField(help_text="The mean over the main ladders on which it has a rank.")
    plus_minus = serializers.FloatField(
        allow_null=True, help_text="Half the width of the 95% interval of the mean."
    )
    ladders = serializers.DictField(
        child=serializers.FloatField(), help_text="Its Elo on the main ladder of each game."
    )


class StandingSerializer(serializers.Serializer):
    place = serializers.IntegerField(
        allow_null=True,
        help_text="From 1; equals share one. Null for those that are out, and before a first round is over.",
    )
    bot = serializers.CharField(source="entrant.version.bot.full_name")
    version = serializers.IntegerField(source="entrant.version.number")
    points = serializers.FloatField(
        source="entrant.points", allow_null=True, help_text="Swiss: points of the finished rounds."
    )
    tie_breaks = serializers.DictField(
        source="entrant.tie_breaks",
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text=(
            "Swiss: what parts equals, in order: `direct` (encounter; null where it says nothing),"
            " `buchholz`, `sonneborn_berger`."
        ),
    )
    round_reached = serializers.IntegerField(
        source="entrant.round_reached", allow_null=True, help_text="Knock-out: from 1."
    )
    elo = serializers.FloatField(source="rating.elo", default=None, allow_null=True)
    plus_minus = serializers.FloatField(source="rating.plus_minus", default=None, allow_null=True)


class SnapshotSerializer(serializers.ModelSerializer):
    ratings = serializers.SerializerMethodField()

    class Meta:
        model = Snapshot
        fields = ["at", "final", "blocks", "tables", "comparisons", "forfeit_rule", "digest", "ratings"]

    @extend_schema_field(RatingSerializer(many=True))
    def get_ratings(self, snapshot: Snapshot) -> list[dict]:
        ranked = None if snapshot.tournament_id else set(holders_in(snapshot).values())
        return rating_entries(snapshot, ranked)


class StandingsSerializer(SnapshotSerializer):
    rounds_over = serializers.IntegerField(
        source="tournament.rounds_over", help_text="Finished rounds, which count if the format ranks by them."
    )
    standings = serializers.SerializerMethodField(
        help_text="First to last: by the points or rounds of the format, else by Elo."
    )

    class Meta(SnapshotSerializer.Meta):
        fields = [*SnapshotSerializer.Meta.fields, "rounds_over", "standings"]

    @extend_schema_field(StandingSerializer(many=True))
    def get_standings(self, snapshot: Snapshot) -> list[dict]:
        return standing_entries(snapshot)


class MeetingSerializer(serializers.Serializer):
    ladder = serializers.CharField(source="ladder.slug")
    game = serializers.CharField(source="ladder.game")
    bot = serializers.CharField(source="own.bot.full_name")
    version = serializers.IntegerField(source="own.number")
    rival = serializers.CharField(source="rival.bot.full_name")
    rival_version = serializers.IntegerField(source="rival.number")
    difference = serializers.FloatField(help_text="In Elo; above 0 the first is rated higher.")
    comparisons = serializers.IntegerField(help_text="Hands that both held.")
    blocks = serializers.IntegerField()
    share = serializers.FloatField(help_text="Percent of the points with the same hands.")
    expected = serializers.FloatField(help_text="The percentage that the ratings predict.")
    superiority = serializers.FloatField(
        allow_null=True, help_text="Percent: how likely the first is the stronger; null with too few blocks."
    )
    z = serializers.FloatField(
        allow_null=True, help_text="Points of the first beyond expectation, in standard errors."
    )
    more_blocks = serializers.IntegerField(
        allow_null=True,
        help_text="About how many more blocks of both would separate them; 0: none; null: too many.",
    )


class BlockBetweenSerializer(serializers.Serializer):
    block = serializers.IntegerField(source="block.pk")
    tournament = serializers.CharField(source="block.tournament.slug")
    over_at = serializers.DateTimeField(source="block.over_at")
    hands = serializers.IntegerField(help_text="Hands that both held.")
    points = serializers.FloatField(
        help_text="A point for each hand with the higher score, ½ for equal ones."
    )
    margin = serializers.FloatField(source="margin_a_hand", help_text="Mean difference of the scores.")


class VersusSerializer(serializers.Serializer):
    ladders = MeetingSerializer(many=True)
    blocks = BlockBetweenSerializer(many=True, help_text="The newest twenty in which both took part.")


class VersionRatingSerializer(serializers.ModelSerializer):
    ladder = serializers.CharField(source="snapshot.ladder.slug")
    game = serializers.CharField(source="snapshot.ladder.game")
    at = serializers.DateTimeField(source="snapshot.at")
    version = serializers.IntegerField(source="version.number")

    class Meta:
        model = Rating
        fields = ["ladder", "game", "at", "version", "rank", *FIGURES]
        extra_kwargs = MEANINGS
