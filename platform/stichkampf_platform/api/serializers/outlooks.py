"""The outlook of a version on the ladders, with its rating there."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.ratings.models import Rating


class OwnRatingSerializer(serializers.ModelSerializer):
    class Meta:
        model = Rating
        fields = ["elo", "plus_minus", "rank", "blocks", "provisional"]


class OutlookSerializer(serializers.Serializer):
    tournament = serializers.CharField(source="tournament.slug")
    game = serializers.CharField(source="tournament.game")
    ladder = serializers.CharField(source="tournament.ladder.slug")
    page = serializers.CharField(source="tournament.ladder.get_absolute_url", help_text="The ladder's page.")
    blocks = serializers.IntegerField(help_text="Finished blocks of the version there.")
    blocks_to_go = serializers.IntegerField(help_text="Blocks that are missing to a rank.")
    playing = serializers.BooleanField(help_text="True while it plays a block.")
    place = serializers.IntegerField(
        allow_null=True, help_text="Position of its first block, from 1; null once that has begun."
    )
    seconds = serializers.IntegerField(
        allow_null=True, help_text="About how long until its first block begins; null where nothing tells."
    )
    waits = serializers.CharField(help_text="The reason why it is drawn later or not at all, or empty.")
    rating = OwnRatingSerializer(allow_null=True, help_text="Its newest rating there; null before the first.")
