"""Bots, versions, submissions and remote access."""

from __future__ import annotations

from rest_framework import serializers

from stichkampf_platform.bots.models import Bot, LogLine, RemoteAccess, Submission, TrialMatch, Version
from stichkampf_platform.bots.queries import queue_position


class BotSerializer(serializers.ModelSerializer):
    full_name = serializers.CharField(read_only=True, help_text="With its author, as in match records.")
    page = serializers.CharField(source="get_absolute_url", read_only=True)
    owner = serializers.CharField(source="owner.username", read_only=True)
    ranked_version = serializers.IntegerField(
        source="ranked_version.number",
        read_only=True,
        default=None,
        allow_null=True,
        help_text=(
            "The newest version that holds the bot's position on a ladder: it has 20 blocks of its own there,"
            " or its owner put it forward. It enters tournaments in which no version is named. On each ladder"
            " `holds_place` tells which version holds the position there."
        ),
    )

    class Meta:
        model = Bot
        fields = [
            "slug",
            "full_name",
            "page",
            "name",
            "owner",
            "description",
            "ranked_version",
            "accepts_challenges",
            "may_be_entered",
            "created_at",
        ]
        read_only_fields = ["accepts_challenges", "may_be_entered", "created_at"]


class VersionSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", read_only=True)
    author = serializers.CharField(source="bot.owner.username", read_only=True)
    page = serializers.CharField(source="get_absolute_url", read_only=True)
    submission = serializers.SerializerMethodField(help_text="Its submission's id; for its owner and staff.")
    weight = serializers.CharField(
        source="weight_class",
        read_only=True,
        help_text="The weight class of its archive, such as `light` or `net`; empty without an archive.",
    )
    reason = serializers.SerializerMethodField(help_text="The reason of its state; for its owner and staff.")

    class Meta:
        model = Version
        fields = [
            "author",
            "bot",
            "number",
            "page",
            "remote",
            "weight",
            "games",
            "state",
            "reason",
            "submission",
            "digest",
            "archive_bytes",
            "put_forward_at",
            "created_at",
        ]

    def get_submission(self, version: Version) -> int | None:
        submission = getattr(version, "submission", None)
        return submission.pk if submission and is_ours(self.context["request"].user, version) else None

    def get_reason(self, version: Version) -> str | None:
        return version.reason if is_ours(self.context["request"].user, version) else None


def is_ours(person, version: Version) -> bool:  # type: ignore[no-untyped-def]
    """Tell whether a person is the owner of a version or staff, and so may read everything about it."""
    return person.is_staff or version.bot.owner_id == person.pk


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(
        help_text="A zip or tar.gz file with bot.py or stichkampf.toml at its root."
    )
    games = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The games that it plays; without them those of its manifest.",
    )


class LogLineSerializer(serializers.ModelSerializer):
    class Meta:
        model = LogLine
        fields = ["number", "at", "level", "text"]


class TrialMatchSerializer(serializers.ModelSerializer):
    class Meta:
        model = TrialMatch
        fields = ["game", "record_bytes", "printed", "created_at"]


class SubmissionSerializer(serializers.ModelSerializer):
    version = VersionSerializer(read_only=True)
    lines = LogLineSerializer(many=True, read_only=True)
    matches = TrialMatchSerializer(many=True, read_only=True, help_text="The matches of its last validation.")
    queue_place = serializers.SerializerMethodField(
        "get_queue_position",
        help_text="Position in the queue, from 1; null while it does not wait for a worker.",
    )
    page = serializers.CharField(source="get_absolute_url", read_only=True)

    class Meta:
        model = Submission
        fields = [
            "id",
            "version",
            "file_name",
            "created_at",
            "finished_at",
            "queue_place",
            "page",
            "lines",
            "matches",
        ]

    def get_queue_position(self, submission: Submission) -> int | None:
        return queue_position(submission)


class RemoteGamesSerializer(serializers.Serializer):
    games = serializers.ListField(
        child=serializers.CharField(),
        min_length=1,
        error_messages={"min_length": "Name the games that it plays: a remote version has no manifest."},
        help_text="The games that it plays.",
    )


class NewRemoteTokenSerializer(serializers.Serializer):
    version = VersionSerializer()
    token = serializers.CharField(help_text="Shown only once.")
    address = serializers.CharField(help_text="Address to connect to, host:port; empty while unknown.")
    command = serializers.CharField(help_text="The command to run, with the token in STICHKAMPF_TOKEN.")
    submission = SubmissionSerializer()


class RemoteTokenSerializer(serializers.Serializer):
    version = VersionSerializer()
    hint = serializers.CharField(source="access.hint", help_text="The first characters of its token.")
    revoked = serializers.BooleanField(help_text="true if no token holds.")
    address = serializers.CharField(help_text="Address to connect to, host:port; empty while unknown.")
    command = serializers.CharField(help_text="The command to run, with the token in STICHKAMPF_TOKEN.")


class RemoteBotSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="version.bot.full_name")
    version = serializers.IntegerField(source="version.number")
    games = serializers.ListField(child=serializers.CharField(), source="version.games")
    connected = serializers.BooleanField()
    latency_seconds = serializers.SerializerMethodField()
    tables = serializers.SerializerMethodField()

    class Meta:
        model = RemoteAccess
        fields = [
            "bot",
            "version",
            "games",
            "connected",
            "connected_at",
            "last_seen_at",
            "latency_seconds",
            "tables",
        ]

    def get_latency_seconds(self, access: RemoteAccess) -> float | None:
        return access.latency_seconds if is_ours(self.context["request"].user, access.version) else None

    def get_tables(self, access: RemoteAccess) -> int | None:
        return access.tables if is_ours(self.context["request"].user, access.version) else None


class SeatsOfGameSerializer(serializers.Serializer):
    game = serializers.CharField()
    seats = serializers.IntegerField(help_text="At the table.")
    matches = serializers.IntegerField()
    mean_ranks = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="From the first seat; 1 is the best, null without a match there.",
    )


class ComparedMatchSerializer(serializers.Serializer):
    table = serializers.IntegerField(source="result.table")
    seat = serializers.IntegerField(source="result.seat", help_text="From 0.")
    ahead = serializers.FloatField(help_text="Points above the mean of the same hand at all tables.")


class BestAndWorstSerializer(serializers.Serializer):
    game = serializers.CharField()
    seats = serializers.IntegerField(help_text="At the table.")
    best = ComparedMatchSerializer()
    worst = ComparedMatchSerializer()
