"""The public list of rulings, and what organisers and participants send to it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.api.rows import field_of
from stichkampf_platform.api.serializers.sent import SentSerializer
from stichkampf_platform.tournaments.models import Entrant, Entry, Ruling, Tournament
from stichkampf_platform.tournaments.organising.actions import PROTEST_ACTIONS, REASON


class ChangedRankSerializer(serializers.Serializer):
    entrant = serializers.CharField(help_text="As in all files: `ann/karl v3`.")
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class RulingSerializer(serializers.ModelSerializer):
    """A ruling, or a protest with its answer."""

    entrant = serializers.SerializerMethodField()
    block = serializers.IntegerField(
        source="block.number", allow_null=True, default=None, help_text="From 0."
    )
    table = serializers.IntegerField(source="table_id", allow_null=True, help_text="The match of a protest.")
    person = serializers.SerializerMethodField(help_text="Who protests; otherwise empty.")
    reason = serializers.SerializerMethodField(
        help_text="Or the text of a protest; null until it gives no hand away."
    )
    places = serializers.SerializerMethodField(
        "get_changed_ranks", help_text="The places that it changed; null until they are known."
    )
    times = serializers.SerializerMethodField(help_text="Of another deadline: each field before and after.")

    class Meta:
        model = Ruling
        fields = [
            *("id", "kind", "made_at", "role", "person", "entrant", "block", "table", "round", "fault"),
            *("reason", "places", "times", "answer", "answer_role", "answered_at"),
        ]

    def get_entrant(self, ruling: Ruling) -> str | None:
        return None if ruling.version is None else full_name(ruling.version)

    def get_person(self, ruling: Ruling) -> str:
        return ruling.by.username if ruling.kind == Ruling.Kind.PROTEST and ruling.by else ""

    def get_reason(self, ruling: Ruling) -> str | None:
        return None if ruling.waits else ruling.told_reason

    @extend_schema_field(ChangedRankSerializer(many=True, allow_null=True))
    def get_changed_ranks(self, ruling: Ruling) -> list[dict[str, Any]] | None:
        if ruling.after is None:
            return None
        if ruling.kind == Ruling.Kind.DEADLINE:
            return []
        names = self._names(ruling)
        return [
            {"entrant": names[key], "before": before, "after": after}
            for key, (before, after) in ruling.changed.items()
        ]

    def get_times(self, ruling: Ruling) -> dict[str, list[str | None]]:
        times = ruling.changed if ruling.kind == Ruling.Kind.DEADLINE else {}
        return {name: list(both) for name, both in times.items()}

    def _names(self, ruling: Ruling) -> dict[str, str]:
        """Return the entrants' names by their ids, read once for the whole list."""
        known = self.context.setdefault("names", {})
        if ruling.tournament_id not in known:
            entrants = Entrant.objects.filter(tournament=ruling.tournament_id)
            known[ruling.tournament_id] = {
                str(entrant.pk): full_name(entrant.version)
                for entrant in entrants.select_related("version__bot__owner")
            }
        return known[ruling.tournament_id]


def full_name(version) -> str:  # type: ignore[no-untyped-def]
    return f"{version.bot.full_name} v{version.number}"


class EntrantRulingSerializer(SentSerializer):
    """Needs the tournament as `tournament` of the context; an entrant of a draft may be an entry."""

    entrant = serializers.CharField(
        max_length=100, help_text="As in all files: `ann/karl v3`; of an entry `ann/karl`."
    )
    reason = field_of(REASON["reason"])

    def validate_entrant(self, name: str) -> Entrant | Entry:
        of: Tournament = self.context["on"]
        entrants = of.entrants.select_related("version__bot__owner")
        known: dict[str, Entrant | Entry] = {full_name(entrant.version): entrant for entrant in entrants}
        if of.state == Tournament.State.DRAFT:
            known |= {entry.bot.full_name: entry for entry in of.entries.select_related("bot__owner")}
        if name not in known:
            told = f"{name!r} is no entrant; there are {', '.join(known) or 'none'}."
            raise serializers.ValidationError(told)
        return known[name]


class TextSerializer(SentSerializer):
    text = field_of(PROTEST_ACTIONS["answer"].needs["text"])


class ProtestSerializer(TextSerializer):
    table = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="A match, by its id."
    )
    round = serializers.IntegerField(
        required=False, min_value=0, max_value=10**6, help_text="Or a round, from 0."
    )
