"""Continuations of a decision, and the request for them."""

from __future__ import annotations

from rest_framework import serializers
from stichkampf.analysis import Continuations

from stichkampf_platform.api.serializers.sent import SentSerializer
from stichkampf_platform.marks.continuing import PLAYERS
from stichkampf_platform.marks.models import StoredContinuations


class AskedContinuationsSerializer(SentSerializer):
    bot = serializers.ChoiceField(PLAYERS, help_text="The house bot that plays on, at every seat.")
    action = serializers.CharField(
        max_length=60, help_text="With which they begin, in the words of the record: one that was possible."
    )


class ContinuationsSerializer(serializers.ModelSerializer):
    seat = serializers.SerializerMethodField(help_text="Which decided, from 0, as in the match record.")
    mean = serializers.SerializerMethodField(
        help_text="The mean score of that seat in the deal; null until they are played."
    )
    plus_minus = serializers.SerializerMethodField(
        help_text="Half the width of the 95% interval of the mean; null until they are played."
    )
    outcomes = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Pairs of a score of the deal and how often it came of it, ascending.",
    )

    class Meta:
        model = StoredContinuations
        fields = [
            *("decision", "seat", "action", "bot", "state", "mean", "plus_minus", "outcomes"),
            *("made_at", "engine", "seconds"),
        ]

    def get_seat(self, stored: StoredContinuations) -> int:
        seat: int = self.context["seat"]
        return seat

    def get_mean(self, stored: StoredContinuations) -> float | None:
        return round(self._found(stored).mean, 3) if stored.outcomes else None

    def get_plus_minus(self, stored: StoredContinuations) -> float | None:
        return round(self._found(stored).plus_minus, 3) if stored.outcomes else None

    def _found(self, stored: StoredContinuations) -> Continuations:
        outcomes = dict(stored.outcomes)
        return Continuations(self.context["seat"], stored.action, outcomes)
