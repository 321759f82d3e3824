from __future__ import annotations

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from stichkampf.games import GAMES
from stichkampf.limits import ARCHIVE_BYTES

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.bots import (
    BestAndWorstSerializer,
    BotSerializer,
    SeatsOfGameSerializer,
    SubmissionSerializer,
    UploadSerializer,
    VersionSerializer,
)
from stichkampf_platform.api.serializers.outlooks import OutlookSerializer
from stichkampf_platform.api.serializers.tournaments import GameSerializer
from stichkampf_platform.api.views.discovery import WORDS, known_game, searched
from stichkampf_platform.bots import queries, services
from stichkampf_platform.bots.models import Bot, Submission, Version
from stichkampf_platform.bots.validation import match_records
from stichkampf_platform.ratings.queries import history
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.serving.streaming import streamed
from stichkampf_platform.tournaments.models import Entrant
from stichkampf_platform.tournaments.scheduling.outlook import outlooks
from stichkampf_platform.tournaments.seat_results import best_and_worst, by_seat, newest_results
from stichkampf_platform.tournaments.shown import shown_to

OUTLOOK_FIELDS = ("blocks", "blocks_to_go", "playing", "place", "seconds", "waits")


class GamesView(base_views.APIView):
    """The games and their options."""

    @extend_schema(responses=GameSerializer(many=True))
    def get(self, request) -> Response:
        return Response(
            [
                {
                    "name": name,
                    "title": game.title,
                    "players": list(game.players),
                    "options": game(game.players[0], {}).options,
                }
                for name, game in GAMES.items()
            ]
        )


@extend_schema_view(
    get=extend_schema(
        parameters=[
            OpenApiParameter(WORDS, str, description="A part of the name of the bot or of its author."),
            OpenApiParameter("game", str, description="Only those that play this game."),
        ]
    )
)
class BotsView(base_views.ListCreateAPIView):
    """The bots that you may see, your own included. POST makes a bot without a version.

    A search, with `q` or `game`, finds what everybody may see.
    """

    more_errors = {"GET": (404,)}
    permission_classes = [IsAuthenticatedOrReadOnly]
    serializer_class = BotSerializer

    def query_parameters(self) -> list[str]:
        known = super().query_parameters()
        return [*known, WORDS, "game"] if known else known

    def get_queryset(self):
        words, game = searched(self.request), self.request.query_params.get("game", "")
        if words or game:
            return queries.found_bots(words, known_game(game) if game else "")
        return queries.bots_for(self.request.user)

    def perform_create(self, serializer) -> None:
        serializer.instance = services.create_bot(owner=self.request.user, **serializer.validated_data)


class BotView(base_views.RetrieveAPIView):
    """One bot. Without an author in the address, the first bot that ever had the name."""

    serializer_class = BotSerializer

    def get_object(self):
        return seen_bot(self.request, **self.kwargs)


class MeanRanksView(base_views.APIView):
    """Mean ranks of a bot by seat, from at most 400 of its newest matches."""

    @extend_schema(responses=SeatsOfGameSerializer(many=True))
    def get(self, request, slug: str, author: str = "") -> Response:
        versions = queries.versions_for(request.user, seen_bot(request, slug, author))
        seen = Entrant.objects.filter(shown_to(request.user, "tournament__"), version__in=versions)
        lines = by_seat(newest_results(list(seen.values_list("pk", flat=True))))
        return Response(SeatsOfGameSerializer(lines, many=True).data)


class BestAndWorstView(base_views.APIView):
    """The best and the worst match of a bot in each game, against the same hands, in 20 newest blocks."""

    @extend_schema(responses=BestAndWorstSerializer(many=True))
    def get(self, request, slug: str, author: str = "") -> Response:
        versions = queries.versions_for(request.user, seen_bot(request, slug, author))
        seen = Entrant.objects.filter(shown_to(request.user, "tournament__"), version__in=versions)
        lines = best_and_worst(newest_results(list(seen.values_list("pk", flat=True))))
        return Response(BestAndWorstSerializer(lines, many=True).data)


class VersionsView(base_views.ListAPIView):
    """The versions of a bot. POST submits an archive as the next version of your bot; a new name makes it."""

    more_errors = {"POST": (429, 507)}
    permission_classes = [IsAuthenticatedOrReadOnly]
    serializer_class = VersionSerializer
    parser_classes = [MultiPartParser]

    def get_queryset(self):
        bot = seen_bot(self.request, **self.kwargs)
        return queries.versions_for(self.request.user, bot).select_related("bot__owner", "submission")

    @extend_schema(request={"multipart/form-data": UploadSerializer}, responses={201: SubmissionSerializer})
    def post(self, request, slug: str, author: str = "") -> Response:
        if author not in ("", request.user.username):
            raise PermissionDenied(f"{author}/{slug} belongs to someone else; you submit to your own bots.")
        given = UploadSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        archive = given.validated_data["archive"]
        if archive.size > ARCHIVE_BYTES:
            raise ValidationError(
                {"archive": f"{archive.size:,} bytes; an archive has at most {ARCHIVE_BYTES:,}."}
            )
        submission = services.submit_version(
            owner=request.user,
            slug=slug,
            content=archive.read(),
            file_name=archive.name,
            games=given.validated_data.get("games"),
            address=address_of(request),
        )
        answer = SubmissionSerializer(submission, context=self.get_serializer_context())
        return Response(answer.data, status.HTTP_201_CREATED)


class VersionView(base_views.RetrieveAPIView):
    """One version of a bot."""

    serializer_class = VersionSerializer

    def get_object(self):
        bot = seen_bot(self.request, self.kwargs["slug"], self.kwargs.get("author", ""))
        versions = queries.versions_for(self.request.user, bot).select_related("bot__owner")
        return get_object_or_404(versions, number=self.kwargs["number"])


class OutlookView(base_views.APIView):
    """The ladders on which your version plays now: how far it is there, or when its first block comes."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=OutlookSerializer(many=True))
    def get(self, request, slug: str, number: int, author: str = "") -> Response:
        version = get_object_or_404(
            Version.objects.select_related("bot__owner"),
            bot__in=queries.own_named(request.user, slug, author),
            number=number,
        )
        rows = [
            {
                "tournament": each.tournament,
                **{name: getattr(each, name) for name in OUTLOOK_FIELDS},
                "rating": history(version, each.tournament.ladder).last(),
            }
            for each in outlooks(version, request.user)
        ]
        return Response(OutlookSerializer(rows, many=True).data)


class PutForwardView(base_views.APIView):
    """POST makes a version hold its bot's position in the rankings before it has 20 blocks of its own."""

    permission_classes = [IsAuthenticated]

    @extend_schema(request=None, responses=BotSerializer)
    def post(self, request, slug: str, number: int, author: str = "") -> Response:
        bot = seen_bot(request, slug, author)
        version = get_object_or_404(queries.versions_for(request.user, bot), number=number)
        services.put_forward(version=version, by=request.user)
        return Response(BotSerializer(queries.bots_for(request.user).get(pk=bot.pk)).data)


class SubmissionView(base_views.RetrieveAPIView):
    """One of your submissions, with its log."""

    permission_classes = [IsAuthenticated]
    serializer_class = SubmissionSerializer

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return Submission.objects.none()
        return queries.submissions_for(self.request.user).prefetch_related("lines", "matches")


class TrialRecordsView(base_views.APIView):
    """The match records of your submission's last validation, as JSON lines. They are kept for 30 days."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request, pk: int) -> StreamingHttpResponse:
        submission = get_object_or_404(queries.submissions_for(request.user), pk=pk)
        return streamed(
            request._request,
            match_records.export(submission),
            content_type="application/x-ndjson",
            file_name=f"trial-{pk}.jsonl",
        )


def seen_bot(request, slug: str, author: str = "") -> Bot:  # type: ignore[no-untyped-def]
    """Return the bot of an address, if this person may see it; without an author the first of that name."""
    return get_object_or_404(queries.named(queries.bots_for(request.user), slug, author))
