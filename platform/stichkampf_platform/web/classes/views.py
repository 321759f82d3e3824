"""Pages of classes, each for its own teacher alone: for all others they do not exist."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from stichkampf_platform.classes import enrolment, likeness
from stichkampf_platform.classes.closing import ACTIONS, PUPIL_ACTIONS
from stichkampf_platform.classes.code import code_file, readable
from stichkampf_platform.classes.export import EXPORTS, file_stem
from stichkampf_platform.classes.models import CodeLikeness, Pupil, SchoolClass
from stichkampf_platform.classes.progress import (
    SUBMISSIONS_SHOWN,
    PupilProgress,
    RatingTrend,
    progress_of,
    submissions_in_class,
)
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.services import may_teach
from stichkampf_platform.serving.streaming import exported, streamed
from stichkampf_platform.web.actions import act
from stichkampf_platform.web.charts import RatingMoment, rating_history, sparkline
from stichkampf_platform.web.classes.forms import ClassForm, EndClassForm, NameListForm, SentOnceForm
from stichkampf_platform.web.games import rulebook

CLASSES_A_PAGE = 50
CHOICES_OF_LADDERS = ("private", "public")
LONG_AGO = datetime.min.replace(tzinfo=UTC)
ORDERS: dict[str, Callable[[PupilProgress], object]] = {
    "name": lambda line: 0,
    "attempts": lambda line: -line.attempts,
    "approved": lambda line: -line.approved,
    "rejected": lambda line: -line.rejected,
    "matches": lambda line: -line.matches,
    "faults": lambda line: -line.faults,
    "rating": lambda line: -max((trend.newest.elo for trend in line.trends), default=float("-inf")),
    "active": lambda line: line.last_active or LONG_AGO,
}
"""Orders of the people of a class, by name among equals; who was active least of late comes first."""


def for_teachers(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Show a page to teachers only; a class that is named must be their own."""

    @login_required
    @never_cache
    @wraps(view)
    def shown(request: HttpRequest, class_id: int | None = None, **more: Any) -> HttpResponse:
        if not may_teach(request.user):
            raise Http404(_("There is no page at this address."))
        if class_id is None:
            return view(request, **more)
        own = SchoolClass.objects.of_teacher(request.user).select_related("teacher")
        return view(request, get_object_or_404(own, pk=class_id), **more)

    return shown


@for_teachers
def listing(request: HttpRequest) -> HttpResponse:
    """Show the classes of a teacher, those that go on first."""
    classes = SchoolClass.objects.of_teacher(request.user).listed()
    page = Paginator(classes, CLASSES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "web/classes/list.html", {"page": page, "kept": ""})


@for_teachers
def new(request: HttpRequest) -> HttpResponse:
    """Make a class from a list of names, and show the slips."""
    form = ClassForm(*_sent(request))
    if request.method == "POST" and form.is_valid() and not form.were_shown:
        return _preview(request, form, crumb=(_("New class"), reverse("web:new-class")))
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            made = enrolment.create_class(
                teacher=request.user,
                name=given["name"],
                games=given["games"],
                names=given["names"],
                key=given["key"],
                public=given["public"],
                code_read=given["code_read"],
            )
        except RequestRefused as error:
            form.add_error(None, str(error))
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            return _slips(request, made, given["key"])
    return render(request, "web/classes/new.html", {"form": form}, status=422 if form.errors else 200)


@for_teachers
def add(request: HttpRequest, found: SchoolClass) -> HttpResponse:
    """Add people to a class, and show their slips."""
    key = request.POST.get("key", "")
    if request.method == "POST" and enrolment.slips(school_class=found, key=key):
        return _slips(request, found, key)  # sent twice: their names are in the class by now
    known = list(found.pupils.values_list("name", flat=True))
    form = NameListForm(*_sent(request), known=known)
    if found.ended_at is None and request.method == "POST" and form.is_valid() and not form.were_shown:
        return _preview(request, form, crumb=(found.name, found.get_absolute_url()))
    if request.method == "POST" and form.is_valid():
        try:
            enrolment.add_people(school_class=found, names=form.cleaned_data["names"], key=key)
            return _slips(request, found, key)
        except RequestRefused as error:
            form.add_error(None, str(error))
    page = {"school_class": found, "form": form}
    return render(request, "web/classes/add.html", page, status=422 if form.errors else 200)


def _preview(request: HttpRequest, form: NameListForm, *, crumb: tuple[str, str]) -> HttpResponse:
    """Show the people who were read from a list; sending it again makes their accounts."""
    page = {"form": form, "crumb_title": crumb[0], "crumb_address": crumb[1]}
    return render(request, "web/classes/preview.html", page)


@for_teachers
def school_class(request: HttpRequest, found: SchoolClass) -> HttpResponse:
    """Show a class: its people's progress, its ladders, and hints about code."""
    order = request.GET.get("order", "name")
    if order not in ORDERS:
        raise Http404(
            _("There is no order {order!r:.40}; there are {orders}.").format(
                order=order, orders=", ".join(ORDERS)
            )
        )
    lines = progress_of(found)
    names = {line.pupil.person_id: line.pupil for line in lines}
    likenesses = found.likenesses.select_related("one__bot__owner", "other__bot__owner")
    page = {
        "school_class": found,
        "ladders": found.ladders.select_related("ladder").order_by("name"),
        "rows": [
            (line, [_trend(trend) for trend in line.trends]) for line in sorted(lines, key=ORDERS[order])
        ],
        "order": order,
        "files": EXPORTS.items(),
        "stuck": [line for line in lines if line.in_vain],
        "idle": [line.pupil for line in lines if not line.attempts],
        "choices": [(name, ACTIONS[name]) for name in CHOICES_OF_LADDERS if ACTIONS[name].useful(found)],
        "not_compared": likeness.what_is_missing(found),
        "likenesses": [_hint(hint, names) for hint in likenesses],
        "readable": set(readable(found).values_list("pk", flat=True)) if likenesses else (),
        "join_address": request.build_absolute_uri(reverse("web:code")),
    }
    return render(request, "web/classes/class.html", page)


@for_teachers
def pupil(request: HttpRequest, found: SchoolClass, pupil_id: int) -> HttpResponse:
    """Show a person of a class: ratings over time, versions, and a button for a new password."""
    one = get_object_or_404(found.pupils.select_related("person", "school_class"), pk=pupil_id)
    (line,) = progress_of(found, pupil=one)
    submissions = submissions_in_class(found).filter(submitted_by=one.person)
    page = {
        "school_class": found,
        "line": line,
        "charts": [(_trend(trend), _history(trend)) for trend in line.trends],
        "submissions": submissions.select_related("version__bot__owner")[:SUBMISSIONS_SHOWN],
        "readable": set(readable(found).filter(bot__owner=one.person).values_list("pk", flat=True)),
        "no_reset": enrolment.why_no_reset(one),
        "form": SentOnceForm(),
    }
    return render(request, "web/classes/pupil.html", page)


@for_teachers
@require_POST
def password(request: HttpRequest, found: SchoolClass, pupil_id: int) -> HttpResponse:
    """Give a person a new initial password, and show the slip."""
    one = get_object_or_404(found.pupils.select_related("school_class"), pk=pupil_id)
    form = SentOnceForm(request.POST)
    try:
        if not form.is_valid():
            raise RequestRefused(_("The form was incomplete; try again."))
        PUPIL_ACTIONS["password"].do(one, request.user, key=form.cleaned_data["key"])
    except RequestRefused as error:
        messages.error(request, str(error))
        return redirect(one)
    return _slips(request, found, form.cleaned_data["key"])


@for_teachers
def end(request: HttpRequest, found: SchoolClass) -> HttpResponse:
    """Ask before a class ends, then delete what is personal."""
    if found.ended_at is not None:
        return redirect(found)
    row, form = ACTIONS["end"], EndClassForm(*_sent(request))
    if request.method == "POST" and form.is_valid():
        return act(request, row, found, saved=True)
    page = {"school_class": found, "form": form, "row": row, "lost": row.question([found])}
    page["archive"] = EXPORTS["export.zip"]
    return render(request, "web/classes/end.html", page, status=422 if form.errors else 200)


@for_teachers
@require_POST
def choose_ladders(request: HttpRequest, found: SchoolClass) -> HttpResponse:
    """Keep a class off the public ladders, or let it play there."""
    name = request.POST.get("choice", "")
    if name not in CHOICES_OF_LADDERS:
        raise Http404(_("There is no page at this address."))
    return act(request, ACTIONS[name], found)


@for_teachers
def remove(request: HttpRequest, found: SchoolClass, pupil_id: int) -> HttpResponse:
    """Take a person out of a class, after showing what goes."""
    row = PUPIL_ACTIONS["remove"]
    one = get_object_or_404(found.pupils.select_related("person", "school_class"), pk=pupil_id)
    if request.method == "POST":
        return act(request, row, one, then=found)
    page = {"pupil": one, "row": row, "lost": row.question([one])}
    return render(request, "web/classes/remove.html", page)


@for_teachers
def file(request: HttpRequest, found: SchoolClass, name: str) -> HttpResponseBase:
    """Send a file of a class."""
    return exported(request, EXPORTS[name], found, f"{file_stem(found)}-{name}")


@for_teachers
def code(request: HttpRequest, found: SchoolClass, version_id: int) -> HttpResponseBase:
    """Send the archive of a version whose code the teacher may read."""
    version = get_object_or_404(readable(found), pk=version_id)
    try:
        name, pieces = code_file(version)
    except FileNotFoundError as error:
        raise Http404(_("This archive is gone.")) from error
    return streamed(
        request, pieces, content_type="application/octet-stream", file_name=name.replace("/", "-")
    )


def _sent(request: HttpRequest) -> tuple[QueryDict | None, MultiValueDict | None]:
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _slips(request: HttpRequest, found: SchoolClass, key: str) -> HttpResponse:
    page = {
        "school_class": found,
        "slips": enrolment.slips(school_class=found, key=key),
        "address": request.build_absolute_uri("/"),
        "join_address": request.build_absolute_uri(reverse("web:code")),
    }
    return render(request, "web/classes/slips.html", page)


def _trend(trend: RatingTrend) -> dict[str, object]:
    return {
        "ladder": trend.ladder,
        "game": rulebook.game_title(trend.ladder.game),
        "rating": trend.newest,
        "spark": sparkline([rating.elo for rating in trend.ratings]),
    }


def _history(trend: RatingTrend) -> str:
    moments = [
        RatingMoment(rating.snapshot.at, rating.elo, rating.plus_minus, rating.version.number)
        for rating in trend.ratings
    ]
    label = _("Elo over time in %(game)s") % {"game": rulebook.game_title(trend.ladder.game)}
    return rating_history(moments, label) if len(moments) > 1 else ""


def _hint(found: CodeLikeness, names: dict[int, Pupil]) -> dict[str, object]:
    one, other = found.one, found.other
    return {
        "percent": 100 * found.share,
        "pairs": [(names.get(version.bot.owner_id), version) for version in (one, other)],
    }
