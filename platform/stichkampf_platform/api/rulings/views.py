"""Rulings by API: organisers rule, participants protest, everybody who sees a tournament reads the list."""

from __future__ import annotations

from django.contrib.admin.models import CHANGE, LogEntry
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.pagination import ARRAY_PARAMETERS, ArrayPages, in_array_pages
from stichkampf_platform.api.rulings.serializers import (
    BlockRulingSerializer,
    EntrantRulingSerializer,
    ProtestSerializer,
    RulingSerializer,
    TextSerializer,
)
from stichkampf_platform.api.serializers.organising import DeskSerializer
from stichkampf_platform.api.views.organiser_views import OrganiserView, described, entrants_of, full_name
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.tournaments.entry import leaving, protests
from stichkampf_platform.tournaments.models import Entrant, Entry, Ruling, Table, Tournament
from stichkampf_platform.tournaments.organising import rulings


class RulingView(OrganiserView):
    """A ruling on one of your tournaments; it stands on the public list with its reason.

    :ivar kind: one of `rulings.RULINGS`.
    """

    kind = ""

    def rule(self, tournament: Tournament, on, given: dict) -> Response:  # type: ignore[no-untyped-def]
        ruling = rulings.rule(self.kind, on=on, by=self.request.user, **given)
        told = f"{ruling.Kind(self.kind).name}: {ruling.reason}"
        LogEntry.objects.log_actions(
            self.request.user.pk, [on], CHANGE, change_message=told, single_object=True
        )
        return Response(described(tournament, self.request.user))


class BlockRulingView(RulingView):
    """A ruling on a block of one of your tournaments."""

    @extend_schema(request=BlockRulingSerializer, responses=DeskSerializer)
    def post(self, request, slug: str, number: int) -> Response:
        """Make it void, `again`: and play another with other cards. Blocks count from 0 in the API."""
        tournament = self.tournament(slug)
        block = get_object_or_404(tournament.blocks.select_related("tournament"), number=number)
        given = BlockRulingSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        return self.rule(tournament, block, given.validated_data)


class EntrantRulingView(RulingView):
    """A ruling on an entrant of one of your tournaments."""

    @extend_schema(request=EntrantRulingSerializer, responses=DeskSerializer)
    def post(self, request, slug: str) -> Response:
        """Take an entrant out: for good reason, or because its author wishes it."""
        tournament = self.tournament(slug)
        by_name: dict[str, Entrant | Entry] = {
            full_name(entrant.version): entrant for entrant in entrants_of(tournament)
        }
        if tournament.state == Tournament.State.DRAFT:
            entries = tournament.entries.select_related("bot__owner")
            by_name |= {entry.bot.full_name: entry for entry in entries}
        given = EntrantRulingSerializer(data=request.data, context={"entrants": by_name})
        given.is_valid(raise_exception=True)
        on = given.validated_data.pop("entrant")
        if tournament.state != Tournament.State.DRAFT:
            return self.rule(tournament, on, given.validated_data)
        if self.kind != str(Ruling.Kind.WITHDRAW):
            raise RequestRefused(f"{tournament} has not started; change its entrants, or withdraw them.")
        bot = on.bot if isinstance(on, Entry) else on.version.bot
        leaving.withdraw(tournament=tournament, bot=bot, by=request.user, **given.validated_data)
        return Response(described(tournament, self.request.user))


class RulingsView(base_views.APIView):
    """The rulings and protests of a tournament, newest first."""

    paginator = ArrayPages
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(responses=RulingSerializer(many=True), parameters=ARRAY_PARAMETERS)
    def get(self, request, slug: str) -> Response:
        found = protests.listed(_seen(request, slug), request.user)
        return in_array_pages(found, request, RulingSerializer)


class ProtestsView(base_views.APIView):
    """Protests of those who take part."""

    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticatedOrReadOnly]

    @extend_schema(request=ProtestSerializer, responses={201: RulingSerializer})
    def post(self, request, slug: str) -> Response:
        """Protest against a match whose block is over, or a round. It stands on the list of rulings."""
        tournament, given = _seen(request, slug), ProtestSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        fields = dict(given.validated_data)
        if "table" in fields:
            of_it = Table.objects.filter(block__tournament=tournament).select_related("block")
            fields["table"] = get_object_or_404(of_it, pk=fields["table"])
        made = protests.protest(tournament=tournament, by=request.user, **fields)
        shown = protests.listed(tournament, request.user).get(pk=made.pk)
        return Response(RulingSerializer(shown).data, status.HTTP_201_CREATED)


class AnswerView(OrganiserView):
    """The answer to a protest in one of your tournaments."""

    @extend_schema(request=TextSerializer, responses=RulingSerializer)
    def post(self, request, slug: str, pk: int) -> Response:
        """Answer it, once, for everybody to read."""
        tournament, given = self.tournament(slug), TextSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        protest = get_object_or_404(tournament.rulings, pk=pk)
        protests.answer(protest=protest, by=request.user, **given.validated_data)
        return Response(RulingSerializer(protests.listed(tournament, request.user).get(pk=pk)).data)


def _seen(request, slug: str) -> Tournament:  # type: ignore[no-untyped-def]
    return get_object_or_404(Tournament.objects.shown_to(request.user), slug=slug)
