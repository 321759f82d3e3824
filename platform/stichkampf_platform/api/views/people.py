from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.serializers.people import (
    NewTokenSerializer,
    NoticeChoiceSerializer,
    NoticeSerializer,
    PersonSerializer,
    TokenSerializer,
)
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people import notice_choices, queries, services
from stichkampf_platform.people.models import ApiToken, Notice
from stichkampf_platform.serving.addresses import address_of


class MeView(base_views.RetrieveAPIView):
    """Your account."""

    permission_classes = [IsAuthenticated]
    serializer_class = PersonSerializer

    def get_object(self):
        return self.request.user


class TokensView(base_views.ListCreateAPIView):
    """Your API tokens. A new token is shown in full only once."""

    more_errors = {"POST": (429,)}

    permission_classes = [IsAuthenticated]
    serializer_class = TokenSerializer

    def get_queryset(self):
        return queries.live_tokens(self.request.user)

    @extend_schema(responses={201: NewTokenSerializer})
    def post(self, request) -> Response:
        given = TokenSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        scope = given.validated_data.get("scope", ApiToken.Scope.AUTHOR)
        if request.auth is not None and scope == ApiToken.Scope.ORGANISER != request.auth.scope:
            raise RequestRefused("A token of an author makes no token of an organiser; make it on the site.")
        expires_at = given.validated_data.get("expires_at")
        own_end = getattr(request.auth, "expires_at", None)
        if own_end is not None and (expires_at is None or expires_at > own_end):
            raise RequestRefused(
                "A token makes none that outlives it: give an expires_at no later than"
                f" {own_end:%Y-%m-%dT%H:%M:%SZ}, or make it on the site."
            )
        token, text = services.create_token(
            owner=request.user,
            name=given.validated_data["name"],
            address=address_of(request),
            scope=scope,
            expires_at=expires_at,
        )
        return Response({**TokenSerializer(token).data, "token": text}, status.HTTP_201_CREATED)


class TokenView(base_views.APIView):
    """One of your tokens."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses={204: None})
    def delete(self, request, token_id: int) -> Response:
        """Revoke the token."""
        services.revoke_token(owner=request.user, token_id=token_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class NoticesView(base_views.ListAPIView):
    """Your notices, newest first, such as the suspension of a bot with its evidence."""

    permission_classes = [IsAuthenticated]
    serializer_class = NoticeSerializer

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return Notice.objects.none()
        return queries.notices_for(self.request.user)


class NoticeChoicesView(base_views.APIView):
    """Your choice for each kind of notice: not at all, on the site, or on the site and by mail."""

    permission_classes = [IsAuthenticated]

    @extend_schema(responses=NoticeChoiceSerializer(many=True))
    def get(self, request) -> Response:
        ways = notice_choices.ways_of(request.user)
        return Response([{"kind": kind, "way": way} for kind, way in ways.items()])

    @extend_schema(request=NoticeChoiceSerializer, responses=NoticeChoiceSerializer)
    def put(self, request) -> Response:
        """Choose for one kind."""
        given = NoticeChoiceSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        notice_choices.choose(person=request.user, **given.validated_data)
        return Response(given.data)
