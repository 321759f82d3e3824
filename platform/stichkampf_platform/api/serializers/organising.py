"""Tournaments as their organisers see and set them."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.api.rows import field_of
from stichkampf_platform.api.serializers.ratings import StandingSerializer
from stichkampf_platform.api.serializers.tournaments import (
    EntrySerializer,
    ProgressSerializer,
    TournamentSerializer,
)
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS, SETTINGS
from stichkampf_platform.tournaments.models import Tournament


class OwnTournamentSerializer(TournamentSerializer):
    """One of your tournaments in a list."""

    class Meta(TournamentSerializer.Meta):
        fields = [*TournamentSerializer.Meta.fields, "outcome", "code"]


class TroubleSerializer(serializers.Serializer):
    reason = serializers.CharField()
    tables = serializers.IntegerField(help_text="The number of tables that wait for it.")


class DeskSerializer(OwnTournamentSerializer):
    """All that the head of a tournament's page in the administration shows."""

    page = serializers.CharField(source="get_absolute_url", read_only=True)
    organisers = serializers.ListField(
        source="organiser_names", child=serializers.CharField(), read_only=True,
        help_text="Who organises it; the first has made it.",
    )  # fmt: skip
    invited = serializers.ListField(source="invited_names", child=serializers.CharField(), read_only=True)
    members = serializers.ListField(
        source="member_names",
        child=serializers.CharField(),
        read_only=True,
        help_text="Invited people, and those with the code.",
    )
    entrants = serializers.ListField(
        source="entrant_names",
        child=serializers.CharField(),
        read_only=True,
        help_text="As in all files: `ann/karl v3`.",
    )
    entries = EntrySerializer(source="listed_entries", many=True, read_only=True)
    progress = ProgressSerializer(read_only=True)
    time_left = serializers.CharField(read_only=True, help_text="In words; empty where it cannot be known.")
    estimate = serializers.CharField(
        read_only=True, help_text="Before the start: tables and time here, in words."
    )
    absent = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Before the start: who is away, and why."
    )
    troubles = TroubleSerializer(many=True, read_only=True)
    standings = StandingSerializer(many=True, read_only=True)
    qualifier = serializers.CharField(
        source="qualifier.slug", allow_null=True, default=None, help_text="The tournament before this final."
    )
    version = serializers.CharField(
        read_only=True, help_text="Of the settings: send it with a change, to change only what you have read."
    )
    possible = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="The actions that do something now."
    )

    class Meta(OwnTournamentSerializer.Meta):
        fields = [
            *OwnTournamentSerializer.Meta.fields,
            *(
                "page",
                "organisers",
                "invited",
                "members",
                "entrants",
                "entries",
                "progress",
                "time_left",
                "estimate",
            ),
            *("absent", "troubles", "standings", "qualifier", "version", "possible"),
        ]


class SettingsSerializer(serializers.ModelSerializer):
    """The settings of a tournament, all but three with a usual value."""

    class Meta:
        model = Tournament
        fields = COLUMNS
        extra_kwargs = {name: {"help_text": SETTINGS[name].told} for name in COLUMNS}

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        fields |= {name: field_of(row) for name, row in SETTINGS.items() if row.sent and not row.column}
        for name in ("slug", *(fields.keys() - COLUMNS)):
            fields[name].required = False
        return fields
