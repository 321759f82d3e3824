from __future__ import annotations

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from stichkampf.games import game_class

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.bots import BotSerializer
from stichkampf_platform.api.serializers.matches import MatchSerializer
from stichkampf_platform.api.views.bots import seen_bot
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for
from stichkampf_platform.tournaments.models import Result
from stichkampf_platform.tournaments.queries import revealed_results

GAME, VERSION, LOST, FAULTY = "game", "version", "lost", "faulty"


class OwnBotsView(base_views.ListAPIView):
    """Your bots, by name."""

    permission_classes = [IsAuthenticated]
    serializer_class = BotSerializer

    def get_queryset(self) -> QuerySet[Bot]:
        if getattr(self, "swagger_fake_view", False):
            return Bot.objects.none()
        return bots_for(self.request.user).filter(owner=self.request.user)


@extend_schema(
    parameters=[
        OpenApiParameter(GAME, str, description="Only matches of this game."),
        OpenApiParameter(VERSION, int, description="Only those of this version."),
        OpenApiParameter(LOST, bool, description="true: only those in which somebody had a better rank."),
        OpenApiParameter(FAULTY, bool, description="true: only those in which the bot had a fault."),
    ]
)
class MatchesView(base_views.ListAPIView):
    """The matches of a bot in finished blocks, newest first: its result, and those of all at the table.

    Seats count from 0, as in the match record.
    """

    serializer_class = MatchSerializer

    def query_parameters(self) -> list[str]:
        return [*super().query_parameters(), GAME, VERSION, LOST, FAULTY]

    def get_queryset(self) -> QuerySet[Result]:
        if getattr(self, "swagger_fake_view", False):
            return Result.objects.none()
        asked = self.request.query_params
        wanted = Q()
        if game := asked.get(GAME):
            wanted &= Q(seat__table__block__tournament__game=game_class(game).name)
        if version := asked.get(VERSION):
            if not (version.isascii() and version.isdigit() and len(version) < 9):
                raise ValidationError(
                    {"detail": f"version must be a number such as 2, not {version[:80]!r}."}
                )
            wanted &= Q(seat__entrant__version__number=int(version))
        if _is_true(LOST, asked.get(LOST)):
            wanted &= Q(rank__gt=1)
        if _is_true(FAULTY, asked.get(FAULTY)):
            wanted &= Q(faults__gt=0)
        bot = seen_bot(self.request, self.kwargs["slug"], self.kwargs.get("author", ""))
        results = revealed_results(self.request.user).filter(wanted, seat__entrant__version__bot=bot)
        results = results.select_related("seat__table__block__tournament", "seat__entrant__version")
        results = results.prefetch_related(
            "seat__table__seats__result", "seat__table__seats__entrant__version__bot__owner"
        )
        return results.order_by("-seat__table__block__over_at", "-pk")


def _is_true(name: str, text: str | None) -> bool:
    if text not in (None, "true", "false"):
        raise ValidationError({"detail": f"{name} must be true or false, not {text[:80]!r}."})
    return text == "true"
