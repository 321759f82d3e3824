"""The games, their rules and facts."""

from __future__ import annotations

from datetime import date
from functools import cache

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from stichkampf.games import GAMES
from stichkampf.games.facts import facts_json
from stichkampf.rulebook.pages import LANGUAGES
from stichkampf.rulebook.text import rules_text

from stichkampf_platform.api.base_views import Resource
from stichkampf_platform.api.serializers.discovery import DailySerializer
from stichkampf_platform.api.serializers.tournaments import GameSerializer
from stichkampf_platform.api.views.discovery import known_game
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.play import daily

LANGUAGE = "lang"
DAY = "day"


class GameViewSet(Resource):
    """The games and their options."""

    asks = {
        "rules": [OpenApiParameter(LANGUAGE, str, enum=list(LANGUAGES), description="en without it.")],
        "day": [OpenApiParameter(DAY, OpenApiTypes.DATE, description="Of UTC; today without it.")],
    }
    lookup_field = "slug"
    pagination_class = None

    @extend_schema(responses=DailySerializer)
    @action(detail=True)
    def day(self, request, slug: str) -> Response:
        """The deal of a day: its digest at once; seed, points and table once it is open to everybody."""
        asked = request.query_params.get(DAY, "")
        try:
            day = date.fromisoformat(asked) if asked else daily.today()
        except ValueError as error:
            raise ValidationError({"detail": f"day must be like 2026-11-28, not {asked[:20]!r}."}) from error
        deal = daily.known_deal(known_game(slug), day)
        if deal is None:
            raise NotShown(f"There is no deal of {slug} on {day}.")
        return Response(DailySerializer(deal).data)

    @extend_schema(responses=GameSerializer(many=True))
    def list(self, request) -> Response:
        games = [
            {
                "name": name,
                "title": game.title,
                "players": list(game.players),
                "options": game(game.players[0], {}).options,
            }
            for name, game in GAMES.items()
        ]
        return Response(games)

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True)
    def rules(self, request, slug: str) -> HttpResponse:
        """The rules of a game in words, as plain text."""
        language = request.query_params.get(LANGUAGE, "en")
        if language not in LANGUAGES:
            told = f"lang must be one of {', '.join(LANGUAGES)}, not {language[:80]!r}."
            raise ValidationError({"detail": told})
        return HttpResponse(_rules(known_game(slug), language), content_type="text/plain; charset=utf-8")

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def facts(self, request, slug: str) -> Response:
        """Phases, facts and secrets of a game: what a bot finds in `table`."""
        return Response(facts_json(GAMES[known_game(slug)]))


@cache  # their examples are matches that are played
def _rules(game: str, language: str) -> str:
    return rules_text(game, language)
