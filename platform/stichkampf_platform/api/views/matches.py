from __future__ import annotations

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.bots import BotSerializer
from stichkampf_platform.api.serializers.matches import MatchSerializer
from stichkampf_platform.api.views.bots import seen_bot
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for
from stichkampf_platform.marks.chosen_matches import (
    COSTLIEST,
    FAULTS,
    NAMES,
    NEWEST,
    RESULTS,
    MatchChoice,
)
from stichkampf_platform.marks.match_rows import MatchRows
from stichkampf_platform.tournaments.models import Result

LOST, FAULTY = "lost", "faulty"


class OwnBotsView(base_views.ListAPIView):
    """Your bots, by name."""

    permission_classes = [IsAuthenticated]
    serializer_class = BotSerializer

    def get_queryset(self) -> QuerySet[Bot]:
        if getattr(self, "swagger_fake_view", False):
            return Bot.objects.none()
        return bots_for(self.request.user).filter(owner=self.request.user)


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


class _MatchesView(base_views.ListAPIView):
    serializer_class = MatchSerializer

    def query_parameters(self) -> list[str]:
        return [*super().query_parameters(), *NAMES, LOST, FAULTY]

    def chosen(self, bots: list[Bot]) -> MatchRows:
        """Return the results of these bots that the query asks for."""
        asked = self.request.query_params
        wanted = Q()
        if _is_true(LOST, asked.get(LOST)):
            wanted &= RESULTS["lost"]
        if _is_true(FAULTY, asked.get(FAULTY)):
            wanted &= FAULTS["any"]
        results = MatchChoice.read(asked).results(bots, self.request.user).filter(wanted)
        return MatchRows(results)


@extend_schema(parameters=CHOICES)
class MatchesView(_MatchesView):
    """The matches of a bot in finished blocks, newest first: its result, and those of all at the table.

    Seats count from 0, as in the match record.
    """

    def get_queryset(self) -> QuerySet[Result] | MatchRows:
        if getattr(self, "swagger_fake_view", False):
            return Result.objects.none()
        return self.chosen([seen_bot(self.request, **self.kwargs)])


@extend_schema(parameters=CHOICES)
class OwnMatchesView(_MatchesView):
    """The matches of all your bots in finished blocks, newest first.

    Seats count from 0, as in the match record.
    """

    permission_classes = [IsAuthenticated]

    def get_queryset(self) -> QuerySet[Result] | MatchRows:
        if getattr(self, "swagger_fake_view", False):
            return Result.objects.none()
        return self.chosen(list(Bot.objects.filter(owner=self.request.user)))


def _is_true(name: str, text: str | None) -> bool:
    if text not in (None, "true", "false"):
        raise ValidationError({"detail": f"{name} must be true or false, not {text[:80]!r}."})
    return text == "true"
