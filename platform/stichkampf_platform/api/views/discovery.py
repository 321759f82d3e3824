"""People, and the state of the platform."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response
from stichkampf.games import GAMES

from stichkampf_platform.api.base_views import APIView, ListResource, ReadResource
from stichkampf_platform.api.serializers.discovery import AuthorSerializer, StatusSerializer
from stichkampf_platform.bots.queries import authors
from stichkampf_platform.core.errors import NotShown
from stichkampf_platform.operations.state_texts import part_states, recent_figures
from stichkampf_platform.people.models import User

WORDS = "q"
WORDS_CHARACTERS = 60


class PeopleViewSet(ListResource, ReadResource):
    """The people with a bot that everybody may see, by name."""

    asks = {"list": [OpenApiParameter(WORDS, str, description="A part of the name.")]}
    lookup_field, lookup_url_kwarg = "username", "name"
    serializer_class = AuthorSerializer

    def get_queryset(self) -> QuerySet[User]:
        return authors(searched(self.request))

    def retrieve(self, request, **named: str) -> Response:
        """A person with a bot that everybody may see; `GET /api/v1/bots/?q=` finds the bots."""
        return super().retrieve(request, **named)


class StatusView(APIView):
    """State of the parts of the platform, from figures a few seconds old."""

    @extend_schema(responses=StatusSerializer)
    def get(self, request) -> Response:
        figures = recent_figures()
        return Response(StatusSerializer({"at": figures.at, "parts": part_states(figures)}).data)


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
