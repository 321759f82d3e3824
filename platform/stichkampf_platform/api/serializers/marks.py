"""The marks of a match: which decisions cost something, by an estimate of our search."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.marks.models import StoredMark


class EstimateSerializer(serializers.Serializer):
    points = serializers.FloatField(help_text="Points of the deal above the mean of the table.")
    low = serializers.FloatField(help_text="The lower end of the 95% interval.")
    high = serializers.FloatField(help_text="The upper end of the 95% interval.")


class OpenCardsSerializer(serializers.Serializer):
    better = serializers.CharField(help_text="The best action with all cards open; may be the chosen one.")
    cost = EstimateSerializer(help_text="The cost against that, in the deal as it was.")


class MarkSerializer(serializers.Serializer):
    decision = serializers.IntegerField(help_text="Among all decisions of the match, from 1, as in a replay.")
    deal = serializers.IntegerField(help_text="From 0, as in the match record.")
    seat = serializers.IntegerField(help_text="From 0, as in the match record.")
    chosen = serializers.CharField(help_text="The action that was taken, in the words of the record.")
    better = serializers.CharField(help_text="The best action by our search.")
    cost = EstimateSerializer(help_text="By what the seat knew; the whole interval lies above 0.")
    worlds = serializers.IntegerField(help_text="The worlds from which it was estimated.")
    open_cards = OpenCardsSerializer(
        required=False, help_text="A second figure, in answers about all seats only."
    )


class MarksSerializer(serializers.Serializer):
    table = serializers.IntegerField()
    state = serializers.ChoiceField(
        ["none", "waiting", "made", "failed"], help_text="`none`: they were not asked for."
    )
    backlog = serializers.IntegerField(help_text="The matches that wait for their marks.")
    made_at = serializers.DateTimeField(allow_null=True)
    analysis_version = serializers.IntegerField(allow_null=True)
    engine = serializers.CharField(help_text="The version of Stichkampf that made them; empty before.")
    judged = serializers.ListField(
        child=serializers.IntegerField(), help_text="By seat, the own decisions with a choice."
    )
    marks = MarkSerializer(many=True)


class MarkOfTableSerializer(MarkSerializer):
    table = serializers.IntegerField()
    game = serializers.CharField()


class CostliestSerializer(serializers.Serializer):
    matches = serializers.IntegerField(help_text="The matches that were marked so far, of which these are.")
    marks = MarkOfTableSerializer(many=True, help_text="The costliest first.")


class FeaturedSerializer(serializers.Serializer):
    table = serializers.IntegerField()
    tournament = serializers.CharField(help_text="Its slug.")
    game = serializers.CharField()
    decision = serializers.IntegerField(
        allow_null=True, help_text="The costliest one, from 1; null where none was marked."
    )


def as_json(mark: StoredMark, *, all_hands: bool) -> dict:
    """Return a mark in the form of `stichkampf marks --json`.

    :param all_hands: whether all hands may be seen.
    """
    fields = {
        "decision": mark.decision,
        "deal": mark.deal,
        "seat": mark.judged.seat.number,
        "chosen": mark.chosen,
        "better": mark.better,
        "cost": _estimate(mark.points, mark.low, mark.high),
        "worlds": mark.worlds,
    }
    if all_hands:
        cost = _estimate(mark.open_points, mark.open_low, mark.open_high)
        fields["open_cards"] = {"better": mark.open_better, "cost": cost}
    return fields


def _estimate(points: float, low: float, high: float) -> dict[str, float]:
    return {"points": round(points, 3), "low": round(low, 3), "high": round(high, 3)}
