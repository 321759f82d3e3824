from __future__ import annotations

from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.pagination import ARRAY_PARAMETERS, ArrayPages, in_array_pages
from stichkampf_platform.api.serializers.tournaments import (
    CodeSerializer,
    EntrySerializer,
    NewEntrySerializer,
    TournamentSerializer,
)
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.classes import enrolment
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.entry import entries, leaving
from stichkampf_platform.tournaments.models import Entry, Tournament


class EntriesView(base_views.APIView):
    """The bots that authors have entered in a tournament, in the order in which they came."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticatedOrReadOnly]
    paginator = ArrayPages

    @extend_schema(responses=EntrySerializer(many=True), parameters=ARRAY_PARAMETERS)
    def get(self, request, slug: str) -> Response:
        return in_array_pages(listed_entries(_seen(request, slug)), request, EntrySerializer)

    @extend_schema(request=NewEntrySerializer, responses={201: EntrySerializer})
    def post(self, request, slug: str) -> Response:
        """Enter one of your bots. Entering it again changes the version and keeps its place."""
        given = NewEntrySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        code, number = given.validated_data.get("code", ""), given.validated_data.get("version")
        author, _, name = given.validated_data["bot"].rpartition("/")
        bot = own_named(request.user, name, author).select_related("owner").first()
        if bot is None:
            raise RequestRefused(
                f"{request.user.username} has no bot {given.validated_data['bot']!r}; see /api/me/bots/."
            )
        version = None
        if number is not None:
            version = bot.versions.select_related("bot__owner").filter(number=number).first()
            if version is None:
                raise RequestRefused(f"{bot} has no version {number}.")
        made: list[Entry] = []

        def enter() -> None:
            tournament = _seen(request, slug)
            entry = entries.enter(tournament=tournament, bot=bot, by=request.user, version=version)
            made.extend(each for each in listed_entries(tournament) if each.pk == entry.pk)

        if code:
            enrolment.join(code=code, by=request.user, address=address_of(request), then=enter)
        else:
            enter()
        return Response(EntrySerializer(made[0]).data, status.HTTP_201_CREATED)


class EntryView(base_views.APIView):
    """A bot's entry in a tournament."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses={204: None})
    def delete(self, request, slug: str, author: str, bot: str) -> Response:
        """Withdraw your bot before or after the start, also one that the organiser chose. Results stay."""
        tournament = get_object_or_404(leaving.known_to(request.user), slug=slug)
        entered = Bot.objects.filter(
            Q(entries__tournament=tournament) | Q(versions__entries__tournament=tournament),
            owner__username=author,
            slug=bot,
        )
        found = entered.select_related("owner").first()
        if found is None:
            raise Http404(f"{author}/{bot} is not entered in {tournament}.")
        leaving.withdraw(tournament=tournament, bot=found, by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MembershipsView(base_views.APIView):
    """The tournaments of which you are a member: by invitation or by a code."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]
    paginator = ArrayPages

    @extend_schema(responses=TournamentSerializer(many=True), parameters=ARRAY_PARAMETERS)
    def get(self, request) -> Response:
        mine = Tournament.objects.shown_to(request.user).filter(members__person=request.user)
        return in_array_pages(mine, request, TournamentSerializer)

    @extend_schema(request=CodeSerializer, responses={201: TournamentSerializer(many=True)})
    def post(self, request) -> Response:
        """Become a member by a code; the answer lists the tournaments that it opens."""
        given = CodeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        opened = enrolment.join(by=request.user, address=address_of(request), **given.validated_data)
        return Response(TournamentSerializer(opened, many=True).data, status.HTTP_201_CREATED)


def _seen(request, slug: str) -> Tournament:  # type: ignore[no-untyped-def]
    return get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)


def listed_entries(tournament: Tournament) -> list[Entry]:
    """Return the entries with their places as the serializer reads them."""
    found = []
    for each in entries.listed(tournament):
        each.entry.place, each.entry.waits = each.place, each.waits
        found.append(each.entry)
    return found
