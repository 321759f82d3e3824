"""Challenges, comparisons and counterfactual seats of authors."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource, ReadResource
from stichkampf_platform.api.rows import add_files, add_rows
from stichkampf_platform.api.serializers.experiments import (
    AllowanceSerializer,
    ExperimentDetailSerializer,
    ExperimentSerializer,
    told_allowances,
)
from stichkampf_platform.experiments import queries
from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.experiments.services import ACTIONS, EXPORTS
from stichkampf_platform.experiments.standing import standing


class ExperimentViewSet(ListResource, ReadResource):
    """Your challenges, comparisons and counterfactual seats, newest first."""

    lookup_value_converter = "int"
    queryset = Experiment.objects.none()
    permission_classes = [IsAuthenticated]
    serializer_class = ExperimentSerializer

    def get_queryset(self) -> QuerySet[Experiment]:
        found = queries.experiments_for(self.request.user)
        return found.filter(tournament__created_by=self.request.user) if self.action == "list" else found

    @extend_schema(responses=ExperimentDetailSerializer)
    def retrieve(self, request, pk: int) -> Response:
        """One of your challenges, comparisons or counterfactual seats, and what its blocks say so far."""
        experiment = self.get_object()
        experiment.standing = standing(experiment)
        return Response(ExperimentDetailSerializer(experiment).data)

    @extend_schema(responses=AllowanceSerializer(many=True))
    @action(detail=False, filter_backends=[])
    def quota(self, request) -> Response:
        """Blocks of each kind that you may still ask for today; a version may have fewer."""
        return Response(told_allowances(queries.allowances(request.user)))


FILE_ADDRESSES = add_files(
    ExperimentViewSet, EXPORTS, "experiments/<int:pk>/", lambda found: f"experiment-{found.pk}", "experiment"
)
add_rows(ExperimentViewSet, ExperimentSerializer, ACTIONS)
