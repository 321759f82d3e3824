"""Challenges, comparisons of versions, and counterfactual seats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from rest_framework import serializers
from stichkampf.limits import (
    CHALLENGE_BLOCKS,
    COMPARED_AT_ONCE,
    COMPARISON_BLOCKS,
    COUNTERFACTUAL_BLOCKS_PER_DAY,
)

from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.people.rates import Allowance

VERSIONS = 1_000_000
"""The highest number of a version that a bot can have."""


SAME_PROGRAM = "Begin even if both are the same program, which is mostly a slip and is refused with 409."


class ChallengeSerializer(serializers.Serializer):
    game = serializers.CharField()
    opponents = serializers.ListField(
        child=serializers.CharField(max_length=90),
        min_length=1,
        max_length=12,
        error_messages={"min_length": "Name at least one opponent, such as thumb or bob/otto."},
        help_text="AUTHOR/BOT, or BOT for a house bot; @N behind it names a version.",
    )
    blocks = serializers.IntegerField(min_value=1, max_value=CHALLENGE_BLOCKS, default=20)
    options = serializers.DictField(
        required=False, help_text="Options of the game that differ from those of its main ladder."
    )
    same_program = serializers.BooleanField(default=False, help_text=SAME_PROGRAM)


class ComparisonSerializer(serializers.Serializer):
    game = serializers.CharField()
    against = serializers.IntegerField(
        min_value=1, max_value=VERSIONS, help_text="The number of the other version."
    )
    also = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=VERSIONS),
        max_length=COMPARED_AT_ONCE - 1,
        default=list,
        help_text="Numbers of further versions that are tested against the same one, in the same test.",
    )
    blocks = serializers.IntegerField(
        min_value=1, max_value=COMPARISON_BLOCKS, default=200, help_text="Mirrored pairs of tables, at most."
    )
    fixed = serializers.BooleanField(
        default=False, help_text="Play all blocks; else it ends as soon as there is a verdict."
    )
    same_program = serializers.BooleanField(default=False, help_text=SAME_PROGRAM)


class CounterfactualSerializer(serializers.Serializer):
    game = serializers.CharField()
    against = serializers.IntegerField(
        min_value=1, max_value=VERSIONS, help_text="The version whose seats it takes."
    )
    blocks = serializers.IntegerField(min_value=1, max_value=COUNTERFACTUAL_BLOCKS_PER_DAY, default=100)
    same_program = serializers.BooleanField(default=False, help_text=SAME_PROGRAM)


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
