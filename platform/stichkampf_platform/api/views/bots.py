"""Bots: the list of them, and what there is to know of one."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied
from rest_framework.mixins import CreateModelMixin
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource, ReadResource, Resource
from stichkampf_platform.api.pagination import SmallerPages
from stichkampf_platform.api.rows import add_rows, serializer_of
from stichkampf_platform.api.serializers.bots import (
    BestAndWorstSerializer,
    BotSerializer,
    NewRemoteTokenSerializer,
    RemoteGamesSerializer,
    SeatsOfGameSerializer,
)
from stichkampf_platform.api.serializers.tournaments import BotFaultSerializer, ReportSerializer
from stichkampf_platform.api.views.discovery import WORDS, known_game, searched
from stichkampf_platform.api.views.remote import made_remote
from stichkampf_platform.bots import queries, remote, services
from stichkampf_platform.bots.actions import CONSENT, CONSENTS
from stichkampf_platform.bots.models import Bot, Version
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Entrant, Fault
from stichkampf_platform.tournaments.queries import reports_for, shown_results
from stichkampf_platform.tournaments.seat_results import SeatResult, best_and_worst, by_seat, newest_results
from stichkampf_platform.tournaments.shown import shown_to

ACCEPTED = serializer_of("accepted", CONSENT)


class BotsViewSet(CreateModelMixin, ListResource):
    """The bots that you may see, your own included. POST makes a bot without a version.

    A search, with `q` or `game`, finds what everybody may see.
    """

    asks = {
        "list": [
            OpenApiParameter(WORDS, str, description="A part of the name of the bot or of its author."),
            OpenApiParameter("game", str, description="Only those that play this game."),
        ]
    }
    more_errors = {"GET": (404,)}
    permission_classes = [IsAuthenticatedOrReadOnly]
    serializer_class = BotSerializer

    def get_queryset(self) -> QuerySet[Bot]:
        words, game = searched(self.request), self.request.query_params.get("game", "")
        if words or game:
            return queries.found_bots(words, known_game(game) if game else "")
        return queries.bots_for(self.request.user)

    def perform_create(self, serializer) -> None:
        serializer.instance = services.create_bot(owner=self.request.user, **serializer.validated_data)


class OfBot(Resource):
    """The base of what is below the address of a bot."""

    lookup_field = "slug"

    def bot(self) -> Bot:
        """Return the bot of the address, if this person may see it."""
        return seen_bot(self.request, self.kwargs["slug"], self.kwargs["author"])

    def own_bot(self) -> Bot:
        """Return the bot of the address, if this person may change it."""
        own: Bot = get_object_or_404(
            queries.own_named(self.request.user, self.kwargs["slug"], self.kwargs["author"])
        )
        return own

    def versions(self) -> QuerySet[Version]:
        """Return the versions of the bot that this person may see."""
        return queries.versions_for(self.request.user, self.bot()).select_related("bot__owner")

    def only_own(self, what: str) -> None:
        """Refuse a name of somebody else's bot, whether there is one or not."""
        author, slug = self.kwargs["author"], self.kwargs["slug"]
        if author != self.request.user.username:
            raise PermissionDenied(f"{author}/{slug} belongs to someone else; you {what} your own bots.")


class BotViewSet(ReadResource, OfBot):
    """One bot."""

    serializer_class = BotSerializer

    def get_object(self) -> Bot:
        return self.own_bot() if self.action in CONSENTS else self.bot()

    def answered(self, on: Bot, given: Any) -> Any:
        return given

    @extend_schema(request=RemoteGamesSerializer, responses={201: NewRemoteTokenSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticated], more_errors={"POST": (429,)})
    def remote(self, request, slug: str, **_named: str) -> Response:
        """Make a remote version of your bot, and the bot if it is new. The token is shown only once."""
        self.only_own("connect")
        submission, token = remote.create_remote_version(
            owner=request.user, slug=slug, address=address_of(request), **self.sent(RemoteGamesSerializer)
        )
        return made_remote(self, submission.version, token)

    @extend_schema(responses=BotFaultSerializer(many=True))
    @action(detail=True, serializer_class=BotFaultSerializer, pagination_class=Resource.pagination_class)
    def faults(self, request, **_named: str) -> Response:
        """The faults of a bot in finished blocks, newest first. Everybody may see them.

        Seats, deals and moves count from 0, as in the match record, decisions of a match from 1.
        """
        results = shown_results(request.user).filter(seat__entrant__version__bot=self.bot())
        found = Fault.objects.filter(result__in=results).order_by("-pk")
        shown = ("result__seat__entrant__version", "result__seat__table__block__tournament")
        return self.pages(found.select_related(*shown))

    @extend_schema(responses=ReportSerializer(many=True))
    @action(
        detail=True, permission_classes=[IsAuthenticated], serializer_class=ReportSerializer,
        pagination_class=SmallerPages,
    )  # fmt: skip
    def reports(self, request, **_named: str) -> Response:
        """Standard error, exit and protocol complaints of your bot in finished blocks.

        Seats count from 0, as in the match record.
        """
        found = reports_for(request.user).filter(seat__entrant__version__bot=self.own_bot())
        return self.pages(found.select_related("seat__entrant__version").order_by("-pk"))

    @extend_schema(responses=SeatsOfGameSerializer(many=True))
    @action(detail=True)
    def seats(self, request, **_named: str) -> Response:
        """Mean ranks of a bot by seat, from at most 400 of its newest matches."""
        return Response(SeatsOfGameSerializer(by_seat(self._results()), many=True).data)

    @extend_schema(responses=BestAndWorstSerializer(many=True))
    @action(detail=True, url_path="best-and-worst")
    def best_and_worst(self, request, **_named: str) -> Response:
        """The best and the worst match of a bot in each game, against the same hands, in 20 newest blocks."""
        return Response(BestAndWorstSerializer(best_and_worst(self._results()), many=True).data)

    def _results(self) -> list[SeatResult]:
        seen = Entrant.objects.filter(
            shown_to(self.request.user, "tournament__"), version__in=self.versions()
        )
        return newest_results(list(seen.values_list("pk", flat=True)))


add_rows(BotViewSet, ACCEPTED, CONSENTS, sent=ACCEPTED)


def seen_bot(request, slug: str, author: str) -> Bot:  # type: ignore[no-untyped-def]
    """Return a bot, if this person may see it."""
    found: Bot = get_object_or_404(queries.named(queries.bots_for(request.user), slug, author))
    return found
