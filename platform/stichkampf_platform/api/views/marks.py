"""The costliest decisions of a bot, and the match on the front page."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response

from stichkampf_platform.api.base_views import APIView
from stichkampf_platform.api.serializers.marks import CostliestSerializer, FeaturedSerializer, as_json
from stichkampf_platform.api.views.bots import OfBot
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.bots.queries import bots_for
from stichkampf_platform.bots.queries import named as named_bot
from stichkampf_platform.marks import queries
from stichkampf_platform.tournaments.featured import featured_table

BESIDE = "beside"
COSTLIEST_TOLD = 40


class BotMarksViewSet(OfBot):
    asks = {
        "marks": [OpenApiParameter(BESIDE, str, description="Only beside this bot, such as `house/thumb`.")]
    }

    @extend_schema(responses=CostliestSerializer)
    @action(detail=True)
    def marks(self, request, **_named: str) -> Response:
        """The costliest decisions of a bot, among the matches marked so far."""
        versions, beside = list(self.versions()), self._beside()
        marks = queries.costliest_of(versions, COSTLIEST_TOLD, request.user, beside=beside)
        told = [
            {
                "table": mark.judged.seat.table_id,
                "game": mark.judged.seat.table.block.tournament.game,
                **as_json(mark, all_hands=True),
            }
            for mark in marks
        ]
        matches = queries.judged_matches(versions, request.user, beside=beside)
        return Response(CostliestSerializer({"matches": matches, "marks": told}).data)

    def _beside(self) -> Bot | None:
        named = self.request.query_params.get(BESIDE)
        if named is None:
            return None
        author, _, slug = named.rpartition("/")
        bot = None if "\0" in named else named_bot(bots_for(self.request.user), slug, author).first()
        if bot is None:
            raise ValidationError({"detail": f"beside names a bot, such as house/thumb, not {named[:80]!r}."})
        return bot


class FeaturedView(APIView):
    """The match on the front page: the closest one of the newest finished blocks."""

    more_errors = {"GET": (404,)}

    @extend_schema(responses=FeaturedSerializer)
    def get(self, request) -> Response:
        table = featured_table()
        if table is None:
            raise NotFound("No block is over yet, so no match is featured.")
        costliest = queries.marks_of(table.pk).order_by("-points", "pk").first()
        told = {
            "table": table.pk,
            "tournament": table.block.tournament.slug,
            "game": table.block.tournament.game,
            "decision": costliest and costliest.decision,
        }
        return Response(FeaturedSerializer(told).data)
