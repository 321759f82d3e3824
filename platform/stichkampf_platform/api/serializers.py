"""What the API says of things. Nothing here opens what is closed: views hand in what may be shown."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from stichkampf_platform.bots.models import Bot, LogLine, RemoteAccess, Submission, TrialMatch, Version
from stichkampf_platform.bots.queries import place_in_queue
from stichkampf_platform.people.models import ApiToken, Notice, User
from stichkampf_platform.ratings.models import Ladder, Rating, Snapshot
from stichkampf_platform.ratings.places import holders_in
from stichkampf_platform.ratings.queries import ratings_of
from stichkampf_platform.ratings.standings import standings
from stichkampf_platform.tournaments.models import Fault, Result, SeatReport, Table, Tournament


class ErrorSerializer(serializers.Serializer):
    """Every error. Where fields are wrong, each of them stands beside `detail` too, with a list of texts."""

    detail = serializers.CharField(help_text="Why, and the right way.")


class PersonSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username", "email", "is_staff"]


class TokenSerializer(serializers.ModelSerializer):
    class Meta:
        model = ApiToken
        fields = ["id", "name", "hint", "created_at", "last_used_at"]
        read_only_fields = ["hint", "created_at", "last_used_at"]


class NewTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="Shown this once.")

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "token"]


class EvidenceSerializer(serializers.Serializer):
    match = serializers.CharField(help_text="Its name in words.")
    address = serializers.CharField(help_text="The page with the first fault.")
    faults = serializers.DictField(child=serializers.IntegerField(), help_text="How many of each kind.")
    forfeited = serializers.BooleanField()
    stderr = serializers.CharField(help_text="The end of standard error; for some of the matches.")
    stderr_waits = serializers.BooleanField(default=False)


class NoticeSerializer(serializers.ModelSerializer):
    evidence = EvidenceSerializer(many=True)
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Notice
        fields = ["id", "title", "text", "address", "evidence", "created_at", "mailed_at", "page"]


class GameSerializer(serializers.Serializer):
    name = serializers.CharField()
    title = serializers.CharField()
    players = serializers.ListField(child=serializers.IntegerField())
    options = serializers.DictField(help_text="Each option with its default at the smallest number of seats.")


class BotSerializer(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username", read_only=True)
    ranked_version = serializers.IntegerField(
        source="ranked_version.number",
        read_only=True,
        default=None,
        allow_null=True,
        help_text=(
            "The newest version that holds the bot's place on a ladder: it has 20 blocks of its own there, or"
            " its owner put it forward. It enters tournaments where no version is named. On each ladder"
            " `holds_place` says which version holds the place there."
        ),
    )

    class Meta:
        model = Bot
        fields = ["slug", "name", "owner", "description", "ranked_version", "created_at"]
        read_only_fields = ["created_at"]


class VersionSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="bot.slug", read_only=True)
    reason = serializers.SerializerMethodField(help_text="Why it is in this state; for its owner and staff.")

    class Meta:
        model = Version
        fields = [
            "bot",
            "number",
            "remote",
            "games",
            "state",
            "reason",
            "digest",
            "archive_bytes",
            "put_forward_at",
            "created_at",
        ]

    def get_reason(self, version: Version) -> str | None:
        return version.reason if is_ours(self.context["request"].user, version) else None


def is_ours(person, version: Version) -> bool:  # type: ignore[no-untyped-def]
    """Whether a person may read what only the owner of a version and staff may."""
    return person.is_staff or version.bot.owner_id == person.pk


class UploadSerializer(serializers.Serializer):
    archive = serializers.FileField(
        help_text="A zip or tar.gz file with bot.py or stichkampf.toml at its root."
    )
    games = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The games that it plays; else its manifest says.",
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
    matches = TrialMatchSerializer(many=True, read_only=True, help_text="Those of its last trial.")
    queue_place = serializers.SerializerMethodField(
        help_text="From 1, whose turn it is; null while it does not wait for a worker."
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

    def get_queue_place(self, submission: Submission) -> int | None:
        return place_in_queue(submission)


class RemoteGamesSerializer(serializers.Serializer):
    games = serializers.ListField(
        child=serializers.CharField(),
        min_length=1,
        error_messages={"min_length": "Name the games that it plays; a remote version cannot be asked."},
        help_text="The games that it plays.",
    )


class NewRemoteTokenSerializer(serializers.Serializer):
    version = VersionSerializer()
    token = serializers.CharField(help_text="Shown this once.")
    address = serializers.CharField(help_text="Where to dial in, host:port; empty while that is unknown.")
    command = serializers.CharField(help_text="What to type, with the token in STICHKAMPF_TOKEN.")
    submission = SubmissionSerializer()


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


class TournamentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tournament
        fields = [
            "slug",
            "name",
            "game",
            "seats",
            "options",
            "format",
            "blocks_planned",
            "move_seconds",
            "bank_seconds",
            "cap_seconds",
            "fault_allowance",
            "rated",
            "state",
            "created_at",
            "started_at",
            "finished_at",
        ]


class ProgressSerializer(serializers.Serializer):
    tables = serializers.IntegerField()
    tables_done = serializers.IntegerField()
    tables_running = serializers.IntegerField()
    blocks = serializers.IntegerField()
    blocks_over = serializers.IntegerField()


class TournamentDetailSerializer(TournamentSerializer):
    progress = ProgressSerializer(read_only=True)
    entrants = serializers.SerializerMethodField()

    class Meta(TournamentSerializer.Meta):
        fields = [*TournamentSerializer.Meta.fields, "progress", "entrants"]

    def get_entrants(self, tournament: Tournament) -> list[str]:
        entrants = tournament.entrants.select_related("version__bot__owner")
        return [f"{entrant.version.bot.full_name} v{entrant.version.number}" for entrant in entrants]


class FaultSerializer(serializers.ModelSerializer):
    class Meta:
        model = Fault
        fields = ["deal", "move", "kind"]


class BotFaultSerializer(FaultSerializer):
    table = serializers.IntegerField(source="result.seat.table_id")
    version = serializers.IntegerField(source="result.seat.entrant.version.number")
    forfeited = serializers.BooleanField(source="result.forfeited")

    class Meta(FaultSerializer.Meta):
        fields = ["table", "version", *FaultSerializer.Meta.fields, "forfeited"]


class ReportSerializer(serializers.ModelSerializer):
    table = serializers.IntegerField(source="seat.table_id")
    seat = serializers.IntegerField(source="seat.number")
    version = serializers.IntegerField(source="seat.entrant.version.number")

    class Meta:
        model = SeatReport
        fields = ["table", "seat", "version", "exit_kind", "exit_code", "complaints", "stderr"]


class ResultSerializer(serializers.ModelSerializer):
    seat = serializers.IntegerField(source="seat.number")
    bot = serializers.CharField(source="seat.entrant.version.bot.full_name")
    version = serializers.IntegerField(source="seat.entrant.version.number")
    faults = FaultSerializer(source="fault_list", many=True)
    median_ms = serializers.SerializerMethodField(
        help_text="Median thinking time in milliseconds; null without decisions, and for as long as it may"
        " tell of a block that is still to end."
    )

    class Meta:
        model = Result
        fields = ["seat", "bot", "version", "score", "rank", "forfeited", "decisions", "median_ms", "faults"]

    def get_median_ms(self, result: Result) -> float | None:
        return None if result.seat.held_back else result.median_ms


class TableSerializer(serializers.ModelSerializer):
    tournament = serializers.CharField(source="block.tournament.slug")
    block = serializers.IntegerField(source="block.number", help_text="From 0, as `lane` and `seat`.")
    seed = serializers.SerializerMethodField(help_text="The deal seed of its block, in hexadecimal.")
    results = serializers.SerializerMethodField()

    class Meta:
        model = Table
        fields = ["id", "tournament", "block", "lane", "seed", "started_at", "finished_at", "results"]

    def get_seed(self, table: Table) -> str:
        return bytes(table.block.seed).hex()

    def get_results(self, table: Table) -> list[dict]:
        return ResultSerializer([seat.result for seat in table.seats.all()], many=True).data


class RatingSerializer(serializers.ModelSerializer):
    bot = serializers.CharField(source="version.bot.full_name")
    version = serializers.IntegerField(source="version.number")
    holds_place = serializers.SerializerMethodField(
        help_text="Whether it holds its bot's place in the ranking now; in a tournament always."
    )

    class Meta:
        model = Rating
        fields = [
            "rank",
            "bot",
            "version",
            "elo",
            "plus_minus",
            "blocks",
            "comparisons",
            "rank_best",
            "rank_worst",
            "provisional",
            "anchor",
            "deals",
            "fault_permille",
            "median_ms",
            "holds_place",
        ]

    def get_holds_place(self, rating: Rating) -> bool:
        places = self.context["places"]
        return places is None or rating.version_id in places


class LadderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Ladder
        fields = ["slug", "game", "seats", "options", "main"]


class StandingSerializer(serializers.Serializer):
    place = serializers.IntegerField(
        allow_null=True, help_text="From 1; null for the disqualified where a format has an order of its own."
    )
    bot = serializers.CharField(source="entrant.version.bot.full_name")
    version = serializers.IntegerField(source="entrant.version.number")
    points = serializers.FloatField(
        source="entrant.points", allow_null=True, help_text="Swiss: of the rounds that are over."
    )
    round_reached = serializers.IntegerField(
        source="entrant.round_reached", allow_null=True, help_text="Knock-out: from 1."
    )
    elo = serializers.FloatField(source="rating.elo", default=None, allow_null=True)
    plus_minus = serializers.FloatField(source="rating.plus_minus", default=None, allow_null=True)


class SnapshotSerializer(serializers.ModelSerializer):
    ratings = serializers.SerializerMethodField()

    class Meta:
        model = Snapshot
        fields = ["at", "final", "blocks", "tables", "comparisons", "digest", "ratings"]

    @extend_schema_field(RatingSerializer(many=True))
    def get_ratings(self, snapshot: Snapshot) -> list[dict]:
        places = None if snapshot.tournament_id else {v.pk for v in holders_in(snapshot).values()}
        return RatingSerializer(ratings_of(snapshot), many=True, context={"places": places}).data


class StandingsSerializer(SnapshotSerializer):
    rounds_over = serializers.IntegerField(
        source="tournament.rounds_over", help_text="So many rounds count where a format ranks by them."
    )
    standings = serializers.SerializerMethodField(
        help_text="First to last: by the points or rounds that the format draws by, else by Elo."
    )

    class Meta(SnapshotSerializer.Meta):
        fields = [*SnapshotSerializer.Meta.fields, "rounds_over", "standings"]

    @extend_schema_field(StandingSerializer(many=True))
    def get_standings(self, snapshot: Snapshot) -> list[dict]:
        return StandingSerializer(standings(snapshot.tournament), many=True).data
