"""Challenges, comparisons of versions, and counterfactual seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from rest_framework import serializers

from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.people.rates import Allowance


class AllowanceSerializer(serializers.Serializer):
    kind = serializers.CharField(help_text="challenge, comparison or counterfactual")
    most = serializers.IntegerField(help_text="Blocks a day.")
    left = serializers.IntegerField(help_text="Blocks that you may still ask for.")
    ends_at = serializers.DateTimeField(help_text="When all of them may be asked for again.")


def told_allowances(found: Mapping[str, Allowance]) -> list[dict[str, object]]:
    """Return what is left of each kind, as the API tells it."""
    rows = [{"kind": kind, **asdict(each)} for kind, each in found.items()]
    return AllowanceSerializer(rows, many=True).data


class ExperimentSerializer(serializers.ModelSerializer):
    page = serializers.CharField(source="get_absolute_url", read_only=True)
    bot = serializers.CharField(source="version.bot.full_name", read_only=True)
    version = serializers.IntegerField(source="version.number", read_only=True)
    against = serializers.IntegerField(
        source="against.number",
        read_only=True,
        default=None,
        help_text="The other version of the bot; null in a challenge.",
    )
    game = serializers.CharField(source="tournament.game", read_only=True)
    seats = serializers.IntegerField(source="tournament.seats", read_only=True)
    options = serializers.JSONField(source="tournament.options", read_only=True)
    state = serializers.CharField(source="tournament.state", read_only=True)
    blocks_planned = serializers.IntegerField(source="tournament.blocks_planned", read_only=True)
    outcome = serializers.CharField(
        source="tournament.outcome", read_only=True, help_text="What a comparison proved; else empty."
    )
    finished_at = serializers.DateTimeField(source="tournament.finished_at", read_only=True)

    class Meta:
        model = Experiment
        fields = [
            "id",
            "page",
            "kind",
            "bot",
            "version",
            "against",
            "game",
            "seats",
            "options",
            "state",
            "blocks_planned",
            "outcome",
            "left_out",
            "created_at",
            "finished_at",
        ]


class BetweenSerializer(serializers.Serializer):
    estimate = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class DifferenceSerializer(serializers.Serializer):
    version = serializers.IntegerField(source="version.number", help_text="The version of your bot.")
    opponent = serializers.CharField(source="opponent.bot.full_name")
    opponent_version = serializers.IntegerField(source="opponent.number")
    blocks = serializers.IntegerField(help_text="Blocks that are over, in which the two were compared.")
    points = BetweenSerializer(help_text="Points of the match with the same hand, with a 95% interval.")
    elo = BetweenSerializer(help_text="Elo, with a 95% interval.")
    llr = serializers.FloatField(
        allow_null=True,
        help_text="Log likelihood ratio of 20 Elo better against not better; from ln 19 = 2.94 on it is"
        " better, from -2.94 down it is not. Null in other kinds, and where all pairs ended alike.",
    )


class ExperimentStandingSerializer(serializers.Serializer):
    blocks = serializers.IntegerField(source="progress.blocks", help_text="Blocks drawn so far.")
    blocks_over = serializers.IntegerField(source="progress.blocks_over")
    first_table_at = serializers.DateTimeField(
        allow_null=True, help_text="When its first table started; null before."
    )
    differences = DifferenceSerializer(many=True)


class ExperimentDetailSerializer(ExperimentSerializer):
    standing = ExperimentStandingSerializer(read_only=True)

    class Meta(ExperimentSerializer.Meta):
        fields = [*ExperimentSerializer.Meta.fields, "standing"]
