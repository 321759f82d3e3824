"""Accounts, their tokens and notices."""

from __future__ import annotations

from datetime import datetime

from rest_framework import serializers

from stichkampf_platform.core import clock
from stichkampf_platform.people.models import ApiToken, Notice, NoticeKind, NoticeWay, User
from stichkampf_platform.people.notice_choices import possible_ways


class PersonSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username", "email", "is_staff"]


class TokenSerializer(serializers.ModelSerializer):
    class Meta:
        model = ApiToken
        fields = ["id", "name", "hint", "scope", "created_at", "expires_at", "last_used_at"]
        read_only_fields = ["hint", "created_at", "last_used_at"]

    def validate_expires_at(self, wanted: datetime | None) -> datetime | None:
        """Refuse a moment that is over."""
        if wanted is not None and wanted <= clock.now():
            raise serializers.ValidationError(f"{wanted:%Y-%m-%dT%H:%M:%SZ} is over; give a later moment.")
        return wanted


class NewTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="Shown only once.")

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "token"]


class EvidenceSerializer(serializers.Serializer):
    match = serializers.CharField(help_text="The name of the match in words.")
    address = serializers.CharField(help_text="The page with the first fault.")
    faults = serializers.DictField(child=serializers.IntegerField(), help_text="Number of faults by kind.")
    forfeited = serializers.BooleanField()
    stderr = serializers.CharField(help_text="The end of standard error, for some of the matches.")
    stderr_waits = serializers.BooleanField(default=False)


class NoticeSerializer(serializers.ModelSerializer):
    evidence = EvidenceSerializer(many=True)
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Notice
        fields = ["id", "kind", "title", "text", "address", "evidence", "created_at", "mailed_at", "page"]


class NoticeChoiceSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(NoticeKind.choices)
    way = serializers.ChoiceField(
        NoticeWay.choices, help_text="off is not possible for `conduct`: that is told at least on the site."
    )

    def validate(self, attrs: dict) -> dict:
        if attrs["way"] not in possible_ways(attrs["kind"]):
            possible = " or ".join(possible_ways(attrs["kind"]))
            told = f"{attrs['kind']} can be {possible}, not {attrs['way']!r}."
            raise serializers.ValidationError({"way": told})
        return attrs
