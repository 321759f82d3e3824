"""The pages on which a person plays on: from a decision of a replay, or of a record file that is sent."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.match import records
from stichkampf.rulebook.examples import examples
from stichkampf.whole_numbers import whole_number

from stichkampf_platform.core.errors import NotAllowed, NotShown, RecordUnreadable, RequestRefused
from stichkampf_platform.play import daily, play_on
from stichkampf_platform.play.models import PlayedState, PlayedTable
from stichkampf_platform.play.play_on import PlayOnPoint
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.web.games.rulebook import game_title
from stichkampf_platform.web.play.occupants import occupant
from stichkampf_platform.web.play.seats_kept import keep_seat, kept_seat
from stichkampf_platform.web.play.start_pages import LEVELS
from stichkampf_platform.web.views.error_pages import no_record, page_again, refused

PAGE = "web/play/play_on.html"
SEEN, OPEN = "seen", "open"
"""Kinds of knowledge: that of the seat, or of all cards."""
MOST_DECISIONS = 999_999
UNTAKEN = 422


class RecordForm(forms.Form):
    """A record file, and where in it somebody sits down."""

    file = forms.FileField(
        label=gettext_lazy("Match record"),
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
        error_messages={"required": gettext_lazy("Choose the file of a match record.")},
    )
    decision = forms.IntegerField(
        label=gettext_lazy("Decision"),
        min_value=1,
        max_value=MOST_DECISIONS,
        required=False,
        help_text=gettext_lazy("Its number in the match, from 1, which is taken without one."),
    )
    seat = forms.IntegerField(
        label=gettext_lazy("Your seat"),
        min_value=1,
        max_value=max(seats for game in GAMES.values() for seats in game.players),
        required=False,
        help_text=gettext_lazy("From 1; without a number that which decides there."),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def from_file(request: HttpRequest) -> HttpResponse:
    """Play on from a record file, of which nothing is kept but the table that is begun."""
    sent = request.method == "POST"
    form = RecordForm(request.POST, request.FILES) if sent else RecordForm()
    refusal: StichkampfError | None = None
    if sent and form.is_valid():
        decision, seat = form.cleaned_data["decision"] or 1, form.cleaned_data["seat"]
        try:
            record = play_on.uploaded_record(form.cleaned_data["file"])
            if not seat:
                seat = 1 + play_on.decider(record, decision)
            return _begun(request, PlayOnPoint(record=record, decision=decision, seat=seat - 1))
        except StichkampfError as error:
            refusal = error
    return _page(request, {"most": play_on.RECORD_BYTES, "form": form}, refusal)


@require_http_methods(["GET", "HEAD", "POST"])
def from_replay(request: HttpRequest, table_id: int, step: int) -> HttpResponse:
    """Play on from a decision of a tournament's match that is shown to this visitor."""
    try:
        record = records.parse(record_files.record_text(table_id, request.user))
    except NotShown as error:
        raise Http404(str(error)) from error
    except RecordUnreadable as error:
        return no_record(request, error)
    origin = _address("web:replay-at", table_id, step)
    return _chosen(request, record, step, origin)


@require_http_methods(["GET", "HEAD", "POST"])
def from_example(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """Play what an example of the rules shows, from where it begins."""
    example = examples(game).get(name) if game in GAMES else None
    if example is None:
        raise Http404
    origin = f"{_address('web:rules', game)}#example-{name}"
    return _chosen(request, dict(example.record), example.first, origin)


@require_http_methods(["GET", "HEAD", "POST"])
def from_played(request: HttpRequest, table: str, step: int) -> HttpResponse:
    """Play on from a decision of a person's match that is over."""
    played = PlayedTable.objects.filter(public_id=table, state=PlayedState.OVER).first()
    if played is None:
        raise Http404
    if daily.is_closed_to_others(table):
        return refused(request, 403, _("This is the deal of the day: it is played on once the day is over."))
    try:
        kept_seat(request, table)
        origin = _address("web:play-result", table)
    except NotAllowed:
        origin = _address("web:play-replay-at", table, step)
    seed = b"" if played.deals else bytes(played.seed)
    return _chosen(request, played.record, step, origin, seed)


def _chosen(
    request: HttpRequest, record: dict[str, Any], step: int, origin: str, seed: bytes = b""
) -> HttpResponse:
    """Show what can be chosen at a decision, or begin with what was."""
    decision = max(step, 1)
    refusal: StichkampfError | None = None
    decides = play_on.decider(record, decision)
    point = PlayOnPoint(record=record, decision=decision, seat=decides, origin=origin, seed=seed)
    try:
        point.check()
    except RequestRefused as error:
        raise Http404(str(error)) from error
    if request.method == "POST":
        try:
            seat = (_seat(request) or decides + 1) - 1
            return _begun(
                request,
                PlayOnPoint(record=record, decision=decision, seat=seat, origin=origin, seed=seed),
            )
        except StichkampfError as error:
            refusal = error
    names = [occupant(seat, str(entry["bot"])) for seat, entry in enumerate(record["seats"])]
    page = {
        "decision": decision,
        "origin": origin,
        "title": game_title(record["game"]),
        "seats": [(seat + 1, player, seat == decides) for seat, player in enumerate(names)],
    }
    return _page(request, page, refusal)


def _begun(request: HttpRequest, point: PlayOnPoint) -> HttpResponse:
    knows = request.POST.get("knows", SEEN)
    if knows not in (SEEN, OPEN):
        raise RequestRefused(
            _("There is no knowledge {knows!r:.40}; there are {kinds}.").format(
                knows=knows, kinds=f"{SEEN}, {OPEN}"
            )
        )
    key = play_on.start(
        point,
        level=request.POST.get("level", "even"),
        open_cards=knows == OPEN,
        account=request.user if request.user.is_authenticated else None,
        address=address_of(request),
    )
    answer = redirect("web:play-table", key.table)
    keep_seat(answer, key)
    return answer


def _page(request: HttpRequest, page: dict[str, Any], refusal: StichkampfError | None) -> HttpResponse:
    chosen = {"level": request.POST.get("level", "even"), "knows": request.POST.get("knows", SEEN)}
    answer = page_again(request, PAGE, {"levels": LEVELS, **chosen, **page}, refusal, UNTAKEN)
    if refusal is None and "form" in page and page["form"].errors:
        answer.status_code = UNTAKEN
    return answer


def _seat(request: HttpRequest) -> int:
    """Return the number of a seat from 1 that was sent; 0 for an empty field.

    :raises RequestRefused: it is none.
    """
    said = request.POST.get("seat", "").strip()
    number = whole_number(said, 6) if said else 0
    if number is None or (said and number < 1):
        raise RequestRefused(_("{said!r:.20} is no number of a seat; seats count from 1.").format(said=said))
    return number


def _address(name: str, *parts: str | int) -> str:
    """Return the address of a page in whatever language it is read later."""
    with translation.override("en"):
        return reverse(name, args=parts)
