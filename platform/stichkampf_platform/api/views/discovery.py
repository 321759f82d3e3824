"""People, the state of the platform, and the rules of the games."""

from __future__ import annotations

from functools import cache

from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from stichkampf.games import GAMES
from stichkampf.games.facts import facts_json
from stichkampf.rulebook.pages import LANGUAGES
from stichkampf.rulebook.text import rules_text

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.discovery import AuthorSerializer, StatusSerializer
from stichkampf_platform.bots.queries import authors
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.operations.state_texts import part_states, recent_figures
from stichkampf_platform.people.models import User

WORDS, LANGUAGE = "q", "lang"
WORDS_CHARACTERS = 60


@extend_schema(parameters=[OpenApiParameter(WORDS, str, description="A part of the name.")])
class PeopleView(base_views.ListAPIView):
    """The people with a bot that everybody may see, by name."""

    serializer_class = AuthorSerializer

    def query_parameters(self) -> list[str]:
        return [*super().query_parameters(), WORDS]

    def get_queryset(self) -> QuerySet[User]:
        return authors(searched(self.request))


class PersonView(base_views.RetrieveAPIView):
    """A person with a bot that everybody may see; `GET /api/v1/bots/?q=` finds the bots."""

    serializer_class = AuthorSerializer

    def get_object(self) -> User:
        found: User = get_object_or_404(authors(), username=self.kwargs["name"])
        return found


class StatusView(base_views.APIView):
    """State of the parts of the platform, from figures a few seconds old."""

    @extend_schema(responses=StatusSerializer)
    def get(self, request) -> Response:
        figures = recent_figures()
        return Response(StatusSerializer({"at": figures.at, "parts": part_states(figures)}).data)


class RulesView(base_views.APIView):
    """The rules of a game in words, as plain text."""

    def query_parameters(self) -> list[str]:
        return [LANGUAGE]

    @extend_schema(
        responses={(200, "text/plain"): OpenApiTypes.STR},
        parameters=[OpenApiParameter(LANGUAGE, str, enum=list(LANGUAGES), description="en without it.")],
    )
    def get(self, request, slug: str) -> HttpResponse:
        language = request.query_params.get(LANGUAGE, "en")
        if language not in LANGUAGES:
            told = f"lang must be one of {', '.join(LANGUAGES)}, not {language[:80]!r}."
            raise ValidationError({"detail": told})
        return HttpResponse(_rules(known_game(slug), language), content_type="text/plain; charset=utf-8")


@cache  # their examples are matches that are played
def _rules(game: str, language: str) -> str:
    return rules_text(game, language)


class FactsView(base_views.APIView):
    """Phases, facts and secrets of a game: what a bot finds in `table`."""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request, slug: str) -> Response:
        return Response(facts_json(GAMES[known_game(slug)]))


def searched(request) -> str:  # type: ignore[no-untyped-def]
    """Return the words that are searched for.

    :raises ValidationError: they have a NUL, which no name has.
    """
    words: str = request.query_params.get(WORDS, "").strip()[:WORDS_CHARACTERS]
    if "\0" in words:
        raise ValidationError({"detail": f"q must be a part of a name, not {words!r}."})
    return words


def known_game(slug: str) -> str:
    """Return the name of a game.

    :raises NotShown: there is none; the message lists those that there are.
    """
    if slug not in GAMES:
        raise NotShown(f"No game is called {slug[:40]!r}; there are {', '.join(GAMES)}.")
    return slug
