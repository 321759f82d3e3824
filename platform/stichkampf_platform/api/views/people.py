"""A person's own account, tokens, notices and memberships."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api.base_views import APIView, ListResource
from stichkampf_platform.api.pagination import ARRAY_PARAMETERS, ArrayPages
from stichkampf_platform.api.serializers.people import (
    NewTokenSerializer,
    NoticeChoiceSerializer,
    NoticeSerializer,
    PersonSerializer,
    TokenSerializer,
)
from stichkampf_platform.api.serializers.tournaments import CodeSerializer, TournamentSerializer
from stichkampf_platform.classes import enrolment
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import notice_choices, queries, services
from stichkampf_platform.people.models import ApiToken, Notice
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.models import Tournament


class MeView(APIView):
    """Your account."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=PersonSerializer)
    def get(self, request) -> Response:
        return Response(PersonSerializer(request.user).data)


class TokenViewSet(ListResource):
    """Your API tokens. A new token is shown in full only once."""

    lookup_field, lookup_url_kwarg, lookup_value_converter = "pk", "token_id", "int"
    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]
    serializer_class = TokenSerializer
    queryset = ApiToken.objects.none()

    def get_queryset(self) -> QuerySet[ApiToken]:
        return queries.live_tokens(self.request.user)

    @extend_schema(responses={201: NewTokenSerializer})
    def create(self, request) -> Response:
        given = self.sent(TokenSerializer)
        scope, expires_at = given.get("scope", ApiToken.Scope.AUTHOR), given.get("expires_at")
        if request.auth is not None and scope == ApiToken.Scope.ORGANISER != request.auth.scope:
            raise RequestRefused("A token of an author makes no token of an organiser; make it on the site.")
        own_end = getattr(request.auth, "expires_at", None)
        if own_end is not None and (expires_at is None or expires_at > own_end):
            raise RequestRefused(
                "A token makes none that outlives it: give an expires_at no later than"
                f" {own_end:%Y-%m-%dT%H:%M:%SZ}, or make it on the site."
            )
        token, text = services.create_token(
            owner=request.user, name=given["name"], address=address_of(request), scope=scope,
            expires_at=expires_at,
        )  # fmt: skip
        return self.created({**TokenSerializer(token).data, "token": text})

    @extend_schema(responses={204: None})
    def destroy(self, request, token_id: int) -> Response:
        """Revoke the token."""
        services.revoke_token(owner=request.user, token_id=token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class NoticeViewSet(ListResource):
    """Your notices, newest first, such as the suspension of a bot with its evidence."""

    permission_classes = [IsAuthenticated]
    serializer_class = NoticeSerializer
    queryset = Notice.objects.none()

    def get_queryset(self) -> QuerySet[Notice]:
        return queries.notices_for(self.request.user)


class NoticeChoicesView(APIView):
    """Your choice for each kind of notice: not at all, on the site, or on the site and by mail."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=NoticeChoiceSerializer(many=True))
    def get(self, request) -> Response:
        ways = notice_choices.ways_of(request.user)
        return Response([{"kind": kind, "way": way} for kind, way in ways.items()])

    @extend_schema(request=NoticeChoiceSerializer, responses=NoticeChoiceSerializer)
    def put(self, request) -> Response:
        """Choose for one kind."""
        given = self.sent(NoticeChoiceSerializer)
        notice_choices.choose(person=request.user, **given)
        return Response(given)


class MembershipViewSet(ListResource):
    """The tournaments of which you are a member: by invitation or by a code."""

    asks = {"list": ARRAY_PARAMETERS}
    more_errors = {"POST": (429,)}
    permission_classes = [IsAuthenticated]
    pagination_class = ArrayPages
    serializer_class = TournamentSerializer
    queryset = Tournament.objects.none()

    def get_queryset(self) -> QuerySet[Tournament]:
        return Tournament.objects.shown_to(self.request.user).filter(members__person=self.request.user)

    @extend_schema(request=CodeSerializer, responses={201: TournamentSerializer(many=True)})
    def create(self, request) -> Response:
        """Become a member by a code; the answer lists the tournaments that it opens."""
        opened = enrolment.join(by=request.user, address=address_of(request), **self.sent(CodeSerializer))
        return self.created(self.get_serializer(opened, many=True).data)
