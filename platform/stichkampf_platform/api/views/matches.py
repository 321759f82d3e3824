"""The matches of bots in finished blocks."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource, Resource
from stichkampf_platform.api.serializers.bots import BotSerializer
from stichkampf_platform.api.serializers.matches import MatchSerializer
from stichkampf_platform.api.views.bots import OfBot
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for
from stichkampf_platform.marks.chosen_matches import (
    COSTLIEST,
    FAULTS,
    NEWEST,
    RESULTS,
    MatchChoice,
)
from stichkampf_platform.marks.match_rows import MatchRows
from stichkampf_platform.tournaments.models import Result

LOST, FAULTY = "lost", "faulty"
CHOICES = [
    OpenApiParameter("game", str, description="Only matches of this game."),
    OpenApiParameter("version", int, description="Only those of this version."),
    OpenApiParameter("opponent", str, description="Only those with this bot, such as `house/thumb`."),
    OpenApiParameter(
        "result", str, enum=list(RESULTS), description="won: rank 1, perhaps shared; lost: a lower one."
    ),
    OpenApiParameter(
        "fault", str, enum=list(FAULTS), description="Only those in which the bot had such a fault."
    ),
    OpenApiParameter(
        "order",
        str,
        enum=[NEWEST, COSTLIEST],
        description="costliest: by the bot's costliest decision, among the matches that are marked.",
    ),
    OpenApiParameter(LOST, bool, description="true: the same as result=lost."),
    OpenApiParameter(FAULTY, bool, description="true: the same as fault=any."),
]


class OwnBotsViewSet(ListResource):
    """Your bots, by name."""

    permission_classes = [IsAuthenticated]
    serializer_class = BotSerializer
    queryset = Bot.objects.none()

    def get_queryset(self) -> QuerySet[Bot]:
        return bots_for(self.request.user).filter(owner=self.request.user)


class BotMatchesViewSet(OfBot):
    asks = {"matches": CHOICES}

    @extend_schema(responses=MatchSerializer(many=True))
    @action(detail=True, serializer_class=MatchSerializer, pagination_class=Resource.pagination_class)
    def matches(self, request, **_named: str) -> Response:
        """The matches of a bot in finished blocks, newest first: its result, and those of all at the table.

        Seats count from 0, as in the match record.
        """
        return self.pages(_chosen(request, [self.bot()]))


class OwnMatchesViewSet(ListResource):
    """The matches of all your bots in finished blocks, newest first.

    Seats count from 0, as in the match record.
    """

    asks = {"list": CHOICES}
    permission_classes = [IsAuthenticated]
    serializer_class = MatchSerializer
    queryset = Result.objects.none()

    def get_queryset(self) -> MatchRows:
        return _chosen(self.request, list(Bot.objects.filter(owner=self.request.user)))


def _chosen(request, bots: list[Bot]) -> MatchRows:  # type: ignore[no-untyped-def]
    """Return the results of these bots that the query asks for."""
    asked = request.query_params
    wanted = Q()
    if _is_true(LOST, asked.get(LOST)):
        wanted &= RESULTS["lost"]
    if _is_true(FAULTY, asked.get(FAULTY)):
        wanted &= FAULTS["any"]
    return MatchRows(MatchChoice.read(asked).results(bots, request.user).filter(wanted))


def _is_true(name: str, text: str | None) -> bool:
    if text not in (None, "true", "false"):
        raise ValidationError({"detail": f"{name} must be true or false, not {text[:80]!r}."})
    return text == "true"
