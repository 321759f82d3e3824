"""Tournaments as their organisers see and set them."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.api.serializers.ratings import StandingSerializer
from stichkampf_platform.api.serializers.tournaments import (
    EntrySerializer,
    ProgressSerializer,
    TournamentSerializer,
)
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.organising.setting_up import FIELDS


class OwnTournamentSerializer(TournamentSerializer):
    """One of your tournaments in a list."""

    class Meta(TournamentSerializer.Meta):
        fields = [
            *TournamentSerializer.Meta.fields,
            *("rounds", "stopping", "published", "outcome", "code"),
        ]


class TroubleSerializer(serializers.Serializer):
    reason = serializers.CharField()
    tables = serializers.IntegerField(help_text="The number of tables that wait for it.")


class DeskSerializer(OwnTournamentSerializer):
    """All that the head of a tournament's page in the administration shows."""

    page = serializers.CharField(source="get_absolute_url", read_only=True)
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
            *("page", "invited", "members", "entrants", "entries", "progress", "time_left", "estimate"),
            *("absent", "troubles", "standings", "qualifier", "version", "possible"),
        ]


class SettingsSerializer(serializers.ModelSerializer):
    """The settings of a tournament, all but three with a usual value."""

    preset = serializers.CharField(
        required=False, help_text="Settings to begin with: `ladder`, `class` or `championship`."
    )
    slug = serializers.CharField(
        required=False, help_text="Its word in addresses; made of the name where it is missing."
    )
    entrants = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Best seed first: `thumb`, `ann/karl v3`."
    )
    invited = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Names of accounts."
    )
    with_code = serializers.BooleanField(
        required=False, help_text="Anyone who enters its code becomes a member."
    )

    reason = serializers.CharField(
        required=False, help_text="Of another start or deadline, where authors may enter bots; all read it."
    )
    version = serializers.CharField(
        required=False, help_text="As read; the change is refused where the settings are others by now."
    )

    class Meta:
        model = Tournament
        fields = FIELDS
