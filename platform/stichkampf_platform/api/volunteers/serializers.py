"""Blocks on their way to volunteers' machines and back."""

from __future__ import annotations

from rest_framework import serializers

WORD_CHARACTERS = 40
MOST_TABLES = 64


class VolunteerSerializer(serializers.Serializer):
    version = serializers.CharField(max_length=WORD_CHARACTERS, help_text="Of Stichkampf on the machine.")


class HouseSeatSerializer(serializers.Serializer):
    bot = serializers.CharField(help_text="A house bot.")
    version = serializers.IntegerField()


class HouseTableSerializer(serializers.Serializer):
    table = serializers.IntegerField()
    seats = HouseSeatSerializer(many=True)


class HouseBlockSerializer(serializers.Serializer):
    game = serializers.CharField()
    options = serializers.DictField(help_text="Every option of the game, defaults spelled out.")
    rules_version = serializers.IntegerField()
    seed = serializers.CharField(help_text="64 hex digits.")
    substitute_version = serializers.IntegerField(help_text="Of the bot that moves in place of another.")
    tables = HouseTableSerializer(many=True)


class HandedOutSerializer(serializers.Serializer):
    lease = serializers.UUIDField(allow_null=True, help_text="Null: there is no block at the moment.")
    lease_seconds = serializers.IntegerField(help_text="After so long without a renewal it is another's.")
    block = HouseBlockSerializer(allow_null=True)


class SentRecordSerializer(serializers.Serializer):
    table = serializers.IntegerField()
    record = serializers.DictField(help_text="The match record, without times.")


class VolunteersAnswerSerializer(serializers.Serializer):
    records = serializers.ListField(child=SentRecordSerializer(), max_length=MOST_TABLES)

    def validate_records(self, records: list[dict]) -> list[dict]:
        """Refuse two records of one table."""
        if len({sent["table"] for sent in records}) < len(records):
            raise serializers.ValidationError("One table has two records.")
        return records
