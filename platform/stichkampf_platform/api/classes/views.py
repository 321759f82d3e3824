"""Classes for programs of their teachers: the same checks and services as on the pages.

For all others a class answers as one that does not exist.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from stichkampf_platform.api.base_views import ListResource
from stichkampf_platform.api.classes.sent import (
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
from stichkampf_platform.api.rows import add_files, add_rows
from stichkampf_platform.api.views.organising import refuse_other_tokens
from stichkampf_platform.classes import enrolment, likeness
from stichkampf_platform.classes.closing import ACTIONS, PUPIL_ACTIONS
from stichkampf_platform.classes.export import EXPORTS, file_stem
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.classes.name_lists import ListedName, name_order
from stichkampf_platform.classes.progress import SUBMISSIONS_SHOWN, progress_of, submissions_in_class
from stichkampf_platform.core.actions import Action
from stichkampf_platform.people.services import may_teach


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
class ClassViewSet(ListResource):
    """Your classes, those that go on first."""

    lookup_field, lookup_url_kwarg, lookup_value_converter = "pk", "class_id", "int"
    permission_classes = [MayTeach]
    parser_classes = [NestingLimitedJSONParser]
    more_errors = {"GET": (403,)}
    serializer_class = OwnClassSerializer
    queryset = SchoolClass.objects.none()

    def get_queryset(self) -> QuerySet[SchoolClass]:
        return SchoolClass.objects.of_teacher(self.request.user).select_related("teacher").listed()

    @extend_schema(request=NewClassSerializer, responses={200: NamesReadSerializer, 201: SlipsSerializer})
    def create(self, request: Request) -> Response:
        """Make a class with accounts from a list of names, and a private ladder for each game."""
        given = self.sent(NewClassSerializer)
        if given["dry_run"]:
            return _read(given["names"])
        key = self._key(given)
        made = enrolment.create_class(
            teacher=request.user,
            name=given["name"],
            games=given["games"],
            names=given["names"],
            key=key,
            public=given["public"],
            code_read=given["code_read"],
        )
        return self._slips(made, key)

    @extend_schema(responses=ClassSerializer)
    def retrieve(self, request: Request, class_id: int) -> Response:
        """One of your classes: its ladders, its people's progress, and hints about code that is alike."""
        return Response(_described(self.get_object()))

    @extend_schema(request=NameListSerializer, responses={200: NamesReadSerializer, 201: SlipsSerializer})
    @action(detail=True, methods=["post"])
    def people(self, request: Request, class_id: int) -> Response:
        """Make accounts for more names."""
        found = self.get_object()
        sent = request.data if isinstance(request.data, dict) else {}
        again = KeySerializer(data={name: sent[name] for name in sent if name == "key"})
        key = self._key(again.validated_data) if again.is_valid() else ""
        if not enrolment.slips(school_class=found, key=key):  # sent twice, the names are in the class by now
            given = self.sent(NameListSerializer, known=list(found.pupils.values_list("name", flat=True)))
            if given["dry_run"]:
                return _read(given["names"])
            enrolment.add_people(school_class=found, names=given["names"], key=key)
        return self._slips(found, key)

    @extend_schema(responses=ClassPersonSerializer)
    @action(detail=True, url_path="people/<int:pupil_id>")
    def person(self, request: Request, class_id: int, pupil_id: int) -> Response:
        """A person of one of your classes: the numbers, ratings over time, and submitted versions."""
        one = self._pupil()
        (line,) = progress_of(one.school_class, pupil=one)
        submissions = submissions_in_class(one.school_class).filter(submitted_by=one.person)
        shown = {
            **vars(line),
            "submissions": submissions.select_related("version__bot__owner")[:SUBMISSIONS_SHOWN],
            "no_reset": enrolment.why_no_reset(one),
        }
        return Response(ClassPersonSerializer(shown).data)

    @extend_schema(responses={204: None})
    @person.mapping.delete
    def remove_person(self, request: Request, class_id: int, pupil_id: int) -> Response:
        """Take the person out of the class; an account that the class made is closed, for good."""
        self.act(PUPIL_ACTIONS["remove"], self._pupil(), {})
        return Response(status=status.HTTP_204_NO_CONTENT)

    def answered(self, on: SchoolClass, given: Any) -> Any:
        return _described(self.get_object())

    def _pupil(self) -> Pupil:
        pupils = self.get_object().pupils.select_related("person", "school_class")
        return get_object_or_404(pupils, pk=self.kwargs["pupil_id"])

    def _key(self, given: dict) -> str:
        """Return the key that was sent, bound to the address of this call, or a new one if none was sent."""
        if "key" not in given:
            return new_key()
        match = self.request.resolver_match
        return f"{match.url_name} {sorted(match.kwargs.items())} {given['key']}"

    def _slips(self, found: SchoolClass, key: str) -> Response:
        answer = {
            "class_id": found.pk,
            "code": found.code,
            "sign_in_at": self.request.build_absolute_uri(reverse("account_login")),
            "code_at": self.request.build_absolute_uri(reverse("web:code")),
            "slips": enrolment.slips(school_class=found, key=key),
        }
        return self.created(SlipsSerializer(answer).data)


def _read(people: list[ListedName]) -> Response:
    names = [listed.name for listed in sorted(people, key=name_order)]
    return Response(NamesReadSerializer({"names": names}).data)


def _described(found: SchoolClass) -> Any:
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
    return ClassSerializer(found).data


def _on_pupil(view: ClassViewSet, of: SchoolClass, row: Action, given: dict, **_named: int) -> Response:
    if not row.adds:
        view.act(row, view._pupil(), given)
        return Response(view.answered(of, given))
    key = view._key(given)
    view.act(row, view._pupil(), {"key": key})
    return view._slips(of, key)


FILE_ADDRESSES = add_files(ClassViewSet, EXPORTS, "classes/<int:class_id>/", file_stem, "class")
add_rows(ClassViewSet, ClassSerializer, ACTIONS)
for name, row in PUPIL_ACTIONS.items():
    takes, answer = (KeySerializer, SlipsSerializer) if row.adds else (None, ClassSerializer)
    add_rows(ClassViewSet, answer, {name: row}, _on_pupil, below="people/<int:pupil_id>/", sent=takes)
