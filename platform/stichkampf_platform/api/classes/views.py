"""Classes for programs of their teachers: the same checks and services as on the pages.

For all others a class answers as one that does not exist.
"""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from stichkampf_platform.api import base_views
from stichkampf_platform.api.classes.sent import (
    EndSerializer,
    KeySerializer,
    NameListSerializer,
    NewClassSerializer,
)
from stichkampf_platform.api.classes.serializers import (
    ClassPersonSerializer,
    ClassSerializer,
    NamesReadSerializer,
    OwnClassSerializer,
    SlipsSerializer,
)
from stichkampf_platform.api.parsers import NestingLimitedJSONParser
from stichkampf_platform.api.views.organiser_views import refuse_other_tokens
from stichkampf_platform.classes import closing, enrolment, likeness
from stichkampf_platform.classes.export import class_archive, file_stem
from stichkampf_platform.classes.grading import grading_csv
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.classes.name_lists import ListedName, name_order
from stichkampf_platform.classes.progress import SUBMISSIONS_SHOWN, progress_of, submissions_in_class
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.services import may_teach
from stichkampf_platform.serving.streaming import streamed


class MayTeach(BasePermission):
    """Teachers, with a session or a token of the organiser's scope."""

    def has_permission(self, request: Request, view: object) -> bool:
        if not request.user.is_authenticated:
            raise NotAuthenticated
        if not may_teach(request.user):
            raise PermissionDenied(
                f"{request.user.username} may lead no classes; an administrator adds people to the group"
                " Teachers."
            )
        refuse_other_tokens(request)
        return True


@method_decorator(never_cache, name="dispatch")
class ForTeachers(base_views.APIView):
    """The base of these views: teachers only, JSON only, and nothing is kept on the way."""

    permission_classes = [MayTeach]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}

    def own_class(self, class_id: int) -> SchoolClass:
        return get_object_or_404(_own_classes(self.request), pk=class_id)

    def pupil(self, class_id: int, pupil_id: int) -> Pupil:
        pupils = self.own_class(class_id).pupils.select_related("person", "school_class")
        return get_object_or_404(pupils, pk=pupil_id)

    def key(self, given: dict) -> str:
        """Return the key that was sent, bound to the address of this call, or a new one if none was sent."""
        if "key" not in given:
            return new_key()
        match = self.request.resolver_match
        return f"{match.url_name} {sorted(match.kwargs.items())} {given['key']}"


class OwnClassesView(ForTeachers, base_views.ListAPIView):
    """Your classes, those that go on first."""

    serializer_class = OwnClassSerializer

    def get_queryset(self):
        if getattr(self, "swagger_fake_view", False):
            return SchoolClass.objects.none()
        return _own_classes(self.request)

    @extend_schema(request=NewClassSerializer, responses={200: NamesReadSerializer, 201: SlipsSerializer})
    def post(self, request: Request) -> Response:
        """Make a class with accounts from a list of names, and a private ladder for each game."""
        given = _checked(NewClassSerializer(data=request.data))
        if given["dry_run"]:
            return _read(given["names"])
        key = self.key(given)
        made = enrolment.create_class(
            teacher=request.user, name=given["name"], games=given["games"], names=given["names"], key=key
        )
        return _slips(request, made, key)


class OwnClassView(ForTeachers):
    """One of your classes: its ladders, its people's progress, and hints about code that is alike."""

    @extend_schema(responses=ClassSerializer)
    def get(self, request: Request, class_id: int) -> Response:
        return _described(self.own_class(class_id))


class ClassPeopleView(ForTeachers):
    """More people for one of your classes."""

    @extend_schema(request=NameListSerializer, responses={200: NamesReadSerializer, 201: SlipsSerializer})
    def post(self, request: Request, class_id: int) -> Response:
        """Make accounts for more names."""
        found = self.own_class(class_id)
        sent = request.data if isinstance(request.data, dict) else {}
        again = KeySerializer(data={name: sent[name] for name in sent if name == "key"})
        key = self.key(again.validated_data) if again.is_valid() else ""
        if not enrolment.slips(school_class=found, key=key):  # sent twice, the names are in the class by now
            known = list(found.pupils.values_list("name", flat=True))
            given = _checked(NameListSerializer(data=request.data, context={"known": known}))
            if given["dry_run"]:
                return _read(given["names"])
            enrolment.add_people(school_class=found, names=given["names"], key=key)
        return _slips(request, found, key)


class ClassPersonView(ForTeachers):
    """A person of one of your classes: the numbers, ratings over time, and submitted versions."""

    @extend_schema(responses=ClassPersonSerializer)
    def get(self, request: Request, class_id: int, pupil_id: int) -> Response:
        one = self.pupil(class_id, pupil_id)
        (line,) = progress_of(one.school_class, pupil=one)
        submissions = submissions_in_class(one.school_class).filter(submitted_by=one.person)
        shown = {
            **vars(line),
            "submissions": submissions.select_related("version__bot__owner")[:SUBMISSIONS_SHOWN],
            "no_reset": enrolment.why_no_reset(one),
        }
        return Response(ClassPersonSerializer(shown).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, class_id: int, pupil_id: int) -> Response:
        """Take the person out of the class; an account that the class made is closed, for good."""
        closing.remove_person(pupil=self.pupil(class_id, pupil_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ClassPasswordView(ForTeachers):
    """A forgotten password of a person of one of your classes."""

    @extend_schema(request=KeySerializer, responses={201: SlipsSerializer})
    def post(self, request: Request, class_id: int, pupil_id: int) -> Response:
        """Give the person a new one; the old one ends, and the person is signed out everywhere."""
        one = self.pupil(class_id, pupil_id)
        key = self.key(_checked(KeySerializer(data=request.data)))
        enrolment.reset_password(pupil=one, key=key)
        return _slips(request, one.school_class, key)


class EndOfClassView(ForTeachers):
    """The end of one of your classes, for good."""

    @extend_schema(request=EndSerializer, responses=ClassSerializer)
    def post(self, request: Request, class_id: int) -> Response:
        """Delete what is personal; unless the export is saved, say what would be deleted."""
        found = self.own_class(class_id)
        saved = _checked(EndSerializer(data=request.data))["saved"]
        if not saved and found.ended_at is None:
            raise RequestRefused(_what_goes(found))
        closing.end_class(school_class=found)
        return _described(self.own_class(class_id))


class GradingView(ForTeachers):
    """The numbers of one of your classes as CSV."""

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, class_id: int) -> StreamingHttpResponse:
        found = self.own_class(class_id)
        return streamed(
            request._request,
            grading_csv(found),
            content_type="text/csv",
            file_name=f"{file_stem(found)}.csv",
        )


class ClassExportView(ForTeachers):
    """Everything about one of your classes as one archive."""

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, class_id: int) -> StreamingHttpResponse:
        found = self.own_class(class_id)
        return streamed(
            request._request,
            class_archive(found),
            content_type="application/zip",
            file_name=f"{file_stem(found)}.zip",
        )


def _own_classes(request: Request) -> QuerySet[SchoolClass]:
    return SchoolClass.objects.of_teacher(request.user).select_related("teacher").listed()


def _checked(serializer) -> dict:  # type: ignore[no-untyped-def]
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _read(people: list[ListedName]) -> Response:
    names = [listed.name for listed in sorted(people, key=name_order)]
    return Response(NamesReadSerializer({"names": names}).data)


def _slips(request: Request, found: SchoolClass, key: str) -> Response:
    answer = {
        "class_id": found.pk,
        "code": found.code,
        "sign_in_at": request.build_absolute_uri(reverse("account_login")),
        "code_at": request.build_absolute_uri(reverse("web:code")),
        "slips": enrolment.slips(school_class=found, key=key),
    }
    return Response(SlipsSerializer(answer).data, status.HTTP_201_CREATED)


def _described(found: SchoolClass) -> Response:
    lines = progress_of(found)
    names = {line.pupil.person_id: line.pupil.name for line in lines}
    likenesses = found.likenesses.select_related("one__bot__owner", "other__bot__owner")
    found.progress = lines
    found.what_is_missing = likeness.what_is_missing(found)
    found.alike = [
        {
            "share": hint.share,
            "programs": [
                {"name": names.get(version.bot.owner_id, ""), "version": version}
                for version in (hint.one, hint.other)
            ],
        }
        for hint in likenesses
    ]
    return Response(ClassSerializer(found).data)


def _what_goes(found: SchoolClass) -> str:
    lost = closing.losses(found)
    return (
        f"This cannot be undone. It deletes the names, passwords, tokens and notices of {lost.accounts}"
        f" accounts, {lost.archives} archives of code, the logs of {lost.submissions} submissions, and the"
        f" tables of the private ladders that are not over. {lost.bots} bots stay with their results, under"
        f" names that say nothing of the people; {lost.guests} people with accounts of their own leave the"
        ' class. Save export.zip first; to end the class for good, send {"saved": true}.'
    )
