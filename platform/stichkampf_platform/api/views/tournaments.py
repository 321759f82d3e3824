"""Tournaments, their tables, entries, rulings and protests, as everybody sees them."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated, IsAuthenticatedOrReadOnly
from rest_framework.response import Response

from stichkampf_platform.api.base_views import JSON_LINES, ListResource, ReadResource, Resource
from stichkampf_platform.api.pagination import ARRAY_PARAMETERS, ArrayPages, SmallerPages
from stichkampf_platform.api.serializers.discovery import BlockSerializer
from stichkampf_platform.api.serializers.ratings import StandingsSerializer
from stichkampf_platform.api.serializers.rulings import ProtestSerializer, RulingSerializer
from stichkampf_platform.api.serializers.tournaments import (
    EntrySerializer,
    NewEntrySerializer,
    TableSerializer,
    TournamentDetailSerializer,
    TournamentSerializer,
)
from stichkampf_platform.api.views.discovery import known_game
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import own_named
from stichkampf_platform.classes import enrolment
from stichkampf_platform.core.errors import NotShown, RequestRefused
from stichkampf_platform.ratings.queries import newest_snapshot
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.entry import entries, leaving, protests
from stichkampf_platform.tournaments.models import Block, Entry, Table, Tournament
from stichkampf_platform.tournaments.records import record_files

ARRAY = {"pagination_class": ArrayPages, "permission_classes": [IsAuthenticatedOrReadOnly]}
COSTLY = {"more_errors": {"POST": (429,)}}


class TournamentViewSet(ListResource, ReadResource):
    """The tournaments that have been started, newest first."""

    asks = {
        "list": [
            OpenApiParameter("game", str, description="Only those of this game."),
            OpenApiParameter(
                "state", str, enum=list(Tournament.State.values), description="Only those in it."
            ),
        ],
        "entries": ARRAY_PARAMETERS,
        "rulings": ARRAY_PARAMETERS,
    }
    lookup_field = "slug"
    more_errors = {"GET": (404,)}
    serializer_class = TournamentSerializer

    def get_queryset(self) -> QuerySet[Tournament]:
        asked = self.request.query_params
        found = Tournament.objects.shown_to(self.request.user)
        if game := asked.get("game"):
            found = found.filter(game=known_game(game))
        if state := asked.get("state"):
            if state not in Tournament.State.values:
                told = f"state must be one of {', '.join(Tournament.State.values)}, not {state[:80]!r}."
                raise ValidationError({"detail": told})
            found = found.filter(state=state)
        return found

    @extend_schema(responses=TournamentDetailSerializer)
    def retrieve(self, request, slug: str) -> Response:
        """One tournament with its entrants and its progress."""
        tournament = self.get_object()
        tournament.progress = queries.progress(tournament)
        return Response(TournamentDetailSerializer(tournament).data)

    @extend_schema(responses=EntrySerializer(many=True))
    @action(detail=True, serializer_class=EntrySerializer, **ARRAY, **COSTLY)
    def entries(self, request, slug: str) -> Response:
        """The bots that authors have entered in a tournament, in the order in which they came."""
        return self.pages(listed_entries(self.get_object()))

    @extend_schema(request=NewEntrySerializer, responses={201: EntrySerializer})
    @entries.mapping.post
    def enter(self, request, slug: str) -> Response:
        """Enter one of your bots. Entering it again changes the version and keeps its place."""
        given = self.sent(NewEntrySerializer)
        code, number = given.get("code", ""), given.get("version")
        author, _, name = given["bot"].rpartition("/")
        bot = own_named(request.user, name, author).select_related("owner").first()
        if bot is None:
            raise RequestRefused(f"{request.user} has no bot {given['bot']!r}; see /api/v1/me/bots/.")
        version = None
        if number is not None:
            version = bot.versions.select_related("bot__owner").filter(number=number).first()
            if version is None:
                raise RequestRefused(f"{bot} has no version {number}.")
        made: list[Entry] = []

        def enter() -> None:
            tournament = self.get_object()
            entry = entries.enter(tournament=tournament, bot=bot, by=request.user, version=version)
            made.extend(each for each in listed_entries(tournament) if each.pk == entry.pk)

        if code:
            enrolment.join(code=code, by=request.user, address=address_of(request), then=enter)
        else:
            enter()
        return self.created(EntrySerializer(made[0]).data)

    @extend_schema(responses={204: None})
    @action(
        detail=True, methods=["delete"], url_path="entries/<slug:author>/<slug:bot>",
        permission_classes=[IsAuthenticated],
    )  # fmt: skip
    def entry(self, request, slug: str, author: str, bot: str) -> Response:
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

    @extend_schema(responses=RulingSerializer(many=True))
    @action(detail=True, serializer_class=RulingSerializer, **ARRAY)
    def rulings(self, request, slug: str) -> Response:
        """The rulings and protests of a tournament, newest first."""
        return self.pages(protests.listed(self.get_object(), request.user))

    @extend_schema(request=ProtestSerializer, responses={201: RulingSerializer})
    @action(detail=True, methods=["post"], permission_classes=[IsAuthenticatedOrReadOnly], **COSTLY)
    def protests(self, request, slug: str) -> Response:
        """Protest against a match whose block is over, or a round. It stands on the list of rulings."""
        tournament, given = self.get_object(), self.sent(ProtestSerializer)
        if "table" in given:
            of_it = Table.objects.filter(block__tournament=tournament).select_related("block")
            given["table"] = get_object_or_404(of_it, pk=given["table"])
        made = protests.protest(tournament=tournament, by=request.user, **given)
        shown = protests.listed(tournament, request.user).get(pk=made.pk)
        return self.created(RulingSerializer(shown).data)

    @extend_schema(responses=TableSerializer(many=True))
    @action(detail=True, serializer_class=TableSerializer, pagination_class=Resource.pagination_class)
    def tables(self, request, slug: str) -> Response:
        """The tables of a tournament's finished blocks, with their results.

        Blocks, lanes, seats, deals and moves count from 0, as in the match record.
        """
        of_it = queries.shown_tables(request.user).filter(block__tournament=self.get_object())
        return self.pages(of_it.select_related("block__tournament").order_by("block__number", "lane"))

    @extend_schema(responses=BlockSerializer(many=True))
    @action(detail=True, serializer_class=BlockSerializer, pagination_class=SmallerPages)
    def blocks(self, request, slug: str) -> Response:
        """The schedule of a tournament: its blocks in order. Blocks and rounds count from 0."""
        found = Block.objects.filter(tournament=self.get_object())
        return self.pages(found.select_related("tournament").order_by("number"))

    @extend_schema(responses=JSON_LINES)
    @action(detail=True)
    def records(self, request, slug: str) -> StreamingHttpResponse:
        """All match records of a tournament's finished blocks, as JSON lines."""
        return self.lines(record_files.export(self.get_object()), slug)

    @extend_schema(responses=StandingsSerializer)
    @action(detail=True)
    def standings(self, request, slug: str) -> Response:
        """The standings of a tournament, and the ratings that follow from it alone."""
        tournament = self.get_object()
        ladder = tournament.ladder
        snapshot = newest_snapshot(ladder, tournament) if ladder else None
        if snapshot is None:
            raise NotShown(f"{tournament.name} has no ratings yet: none of its blocks is finished.")
        return Response(StandingsSerializer(snapshot).data)


def listed_entries(tournament: Tournament) -> list[Entry]:
    """Return the entries with their places as the serializer reads them."""
    found = []
    for each in entries.listed(tournament):
        each.entry.place, each.entry.waits = each.place, each.waits
        found.append(each.entry)
    return found
