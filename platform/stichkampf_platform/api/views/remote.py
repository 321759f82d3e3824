"""Remote bots, and the tokens with which they connect."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource, Resource
from stichkampf_platform.api.serializers.bots import NewRemoteTokenSerializer, RemoteBotSerializer
from stichkampf_platform.bots.arbiter_sync import connect_command, remote_address
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.queries import remote_accesses_for


class RemoteViewSet(ListResource):
    """The remote bots, connected or not. Latency and tables are null for bots of other people."""

    serializer_class = RemoteBotSerializer

    def get_queryset(self) -> QuerySet[RemoteAccess]:
        return remote_accesses_for(self.request.user)


def made_remote(view: Resource, version: Version, token: str) -> Response:
    """Answer with a new token."""
    made = {**where_it_connects(version), "token": token, "submission": version.submission}
    return view.created(NewRemoteTokenSerializer(made, context=view.get_serializer_context()).data)


def where_it_connects(version: Version) -> dict[str, object]:
    return {"version": version, "address": remote_address() or "", "command": connect_command()}
