"""The page after a match: how it went, beside what bots made of the same hands; and its replay."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.play import daily, other_bots
from stichkampf_platform.play.models import GUEST, PlayedState, PlayedTable, SameHandState
from stichkampf_platform.ratings.queries import ranked_on
from stichkampf_platform.serving.addresses import address_of
from stichkampf_platform.web.play.occupants import LEVELS, guest, house_name, occupant
from stichkampf_platform.web.play.same_hands import hindsight
from stichkampf_platform.web.play.seats_kept import kept_seat
from stichkampf_platform.web.replay.action_texts import short
from stichkampf_platform.web.replay.replay import build_replay
from stichkampf_platform.web.replay.scene import Scene
from stichkampf_platform.web.replay.scene_parts import SeatOccupant
from stichkampf_platform.web.views.error_pages import page_again, refused
from stichkampf_platform.web.views.replays import known_parts, observer_of, shows_forced


@require_http_methods(["GET", "HEAD", "POST"])
def result(request: HttpRequest, table: str) -> HttpResponse:
    """Show a person how the match went, once it is stored, and have ranked bots play the same hands."""
    try:
        key = kept_seat(request, table)
    except RequestRefused as error:
        return refused(request, 403, str(error))
    played = PlayedTable.objects.filter(public_id=table).first()
    if played is None:
        raise Http404
    if played.state == PlayedState.VOID:
        return refused(request, 410, played.told_void)
    if played.state != PlayedState.OVER:
        answer = render(request, "web/play/storing.html", {"table": table, "title": played.game.title})
        answer["Refresh"] = "2"
        return answer
    refusal: RequestRefused | None = None
    if request.method == "POST":
        try:
            other_bots.ask(played, key.seat, _ranked(played.game_name), address=address_of(request))
            return redirect(f"{request.path}#same")
        except RequestRefused as error:
            refusal = error
    return page_again(request, "web/play/result.html", _result(request, played, key.seat), refusal, 409)


def _ranked(game: str) -> list[int]:
    """Return the versions of authors that have a rank on the main ladder of a game, the best first."""
    ranked = ranked_on(main_ladders().filter(game=game)).filter(version__house="")
    return list(ranked.order_by("rank").values_list("version", flat=True))


def _result(request: HttpRequest, played: PlayedTable, seat: int) -> dict[str, object]:
    record, game = played.record, played.game
    found = hindsight(played, seat)
    mine, players = record["scores"][seat], _players(played, seat)
    hands = list(played.same_hands.filter(seat=seat).select_related("version__bot__owner"))
    scores = found.scores + [
        (hand.version.bot.full_name, hand.points) for hand in hands if hand.points is not None
    ]
    beaten = sum(score < mine for _name, score in found.scores)
    told = _("{points}, better than {beaten} of {bots} house bots").format(
        points=signed(mine), beaten=beaten, bots=len(found.scores)
    )
    day = formats.date_format(played.ended_at or played.created_at, "SHORT_DATE_FORMAT")
    match = reverse("web:play-replay", args=[played.public_id])
    rows = [*((house_name(name), score, False) for name, score in scores), (_("You"), mine, True)]
    return {
        "title": game.title,
        "game_name": game.name,
        "table": played.public_id,
        "practice": played.practice,
        "seat": seat + 1,
        "played_on": played.is_played_on,
        "origin": played.origin,
        "origin_points": played.origin_points,
        "learns": not daily.is_closed_to_others(played.public_id),
        "points": mine,
        "rank": record["ranks"][seat],
        "scores": sorted(
            zip(players, record["scores"], record["ranks"], strict=True), key=lambda row: row[2]
        ),
        "house": sorted(rows, key=lambda row: -row[1]),
        "level": next((name for name in found.against if name in LEVELS), ""),
        "against": ", ".join(house_name(name) for name in found.against),
        "beaten": beaten,
        "own_rank": 1 + sum(score > mine for _name, score in scores),
        "may_ask": not hands and other_bots.may_ask(played),
        "asked": len(hands),
        "waiting": sum(hand.is_open for hand in hands),
        "failed": sum(hand.state == SameHandState.FAILED for hand in hands),
        "costliest": [
            {"mark": each, "chosen": short(type(game), each.chosen), "better": short(type(game), each.better)}
            for each in found.costliest
        ],
        "share": f"Stichkampf · {game.title} · {day}\n{told}\n{request.build_absolute_uri(match)}",
    }


def replay(request: HttpRequest, table_id: str, step: int = 0) -> HttpResponse:
    """Show the replay of a match that is over: who has its address may see it, all hands open."""
    played = PlayedTable.objects.filter(public_id=table_id).first()
    if played is None or played.state != PlayedState.OVER:
        raise Http404
    is_closed = daily.is_closed_to_others(table_id)
    if is_closed:
        try:
            kept_seat(request, table_id)
        except RequestRefused:
            told = _("This is the deal of the day: others see its replay once the day is over.")
            return refused(request, 403, told)
    built = build_replay(played.record, observer_of(request, played.seats_count))
    if step > built.steps:
        raise Http404
    scene = Scene(built, step, _players(played), every=shows_forced(request))
    page = {
        "scene": scene,
        "known": known_parts(request),
        "table": {"pk": table_id},
        "game": played.game.title,
        "seat_numbers": range(1, played.seats_count + 1),
        "place": "web:play-replay-at",
        "play_on": "" if is_closed else "web:play-on-played",
    }
    drawn = "web/replay/scene.html" if request.headers.get("X-Fragment") else "web/play/replay.html"
    return render(request, drawn, page)


def _players(played: PlayedTable, me: int = -1) -> list[SeatOccupant]:
    """Name the seats as at the table; other persons are guests."""
    names = [str(entry["bot"]) for entry in played.record["seats"]]
    alone = names.count(GUEST) == 1

    def person(seat: int, name: str) -> str:
        if name != GUEST:
            return ""
        return _("You") if seat == me else _("Guest") if alone else guest(seat)

    return [occupant(seat, name, person(seat, name)) for seat, name in enumerate(names)]
