"""Tournaments as `stichkampf organise` shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stichkampf.cli.server.listing import print_columns
from stichkampf.plain_text import plain_line

SHOWN = ("slug", "name", "state", "game", "seats", "format", "page", "progress", "entrants", "possible")
"""The fields that an answer must have."""
_STANDINGS_AT_MOST = 20


def print_list(tournaments: Sequence[Mapping[str, Any]]) -> None:
    """Print tournaments, a line each."""
    if not tournaments:
        print("You have no tournaments; make one with: stichkampf organise create")
        return
    rows = []
    for each in tournaments:
        start = _time(each.get("started_at") or each.get("starts_at"))
        rows.append([each["slug"], each["state"], each["game"], each["format"], start])
    print_columns(["tournament", "state", "game", "format", "start (UTC)"], rows)


def print_rulings(rulings: Sequence[Mapping[str, Any]]) -> None:
    """Print rulings and protests, a line each."""
    if not rulings:
        print("There are no rulings and no protests.")
        return
    rows = []
    for each in rulings:
        text = each["reason"] or "(shown when the blocks are over)"
        if each["answer"]:
            text += f" / {each['answer_role']}: {each['answer']}"
        rows.append(
            [
                *(each["id"], _time(each["made_at"]), each["kind"], each["person"] or each["role"]),
                *(_about(each), _changed(each["places"]), plain_line(text)),
            ]
        )
    print_columns(["id", "time (UTC)", "what", "by", "about", "places", "reason"], rows)


def _about(ruling: Mapping[str, Any]) -> str:
    """Return what it is about; a match before its block, which it names, too."""
    if ruling["entrant"]:
        return str(ruling["entrant"])
    if ruling["table"] is not None:
        return f"match {ruling['table']}"
    for name in ("block", "round"):
        if ruling[name] is not None:
            return f"{name} {ruling[name] + 1}"
    return ""


def _changed(places: Sequence[Mapping[str, Any]] | None) -> str:
    """Return the places before and after, such as `ann/karl v3 2-1`."""
    if places is None:
        return "not known yet"
    return ", ".join(f"{each['entrant']} {each['before'] or '?'}-{each['after'] or '?'}" for each in places)


def print_tournament(one: Mapping[str, Any]) -> None:
    """Print all that an organiser wants to know of a tournament now."""
    progress = one["progress"]
    print(f"{plain_line(one['name'])}  {one['slug']}  {one['state']}")
    print(f"{one['game']}, {one['seats']} seats, {one['format']}  {plain_line(one['page'])}")
    if one["state"] == "draft":
        start = _time(one.get("starts_at")) or "by hand"
        print(f"start: {start}; {len(one['entrants'])} entrants chosen, {len(one['entries'])} entries")
        if one.get("estimate"):
            print(f"estimate: {plain_line(one['estimate'])}")
        for reason in one.get("absent") or []:
            print(f"away: {plain_line(reason)}")
    else:
        left = f", {plain_line(one['time_left'])}" if one.get("time_left") else ""
        left += ", its plan is being drawn" if progress.get("being_drawn") else ""
        print(
            f"{progress['tables_done']} of {progress['tables']} tables played,"
            f" {progress['blocks_over']} of {progress['blocks']} blocks finished{left}"
        )
    for label in ("code", "outcome"):
        if one.get(label):
            print(f"{label}: {plain_line(one[label])}")
    for trouble in one.get("troubles") or []:
        print(f"trouble at {trouble['tables']} tables: {plain_line(trouble['reason'])}")
    _print_standings(one.get("standings") or [])
    print(f"possible now: {', '.join(one['possible'])}")


def _print_standings(standings: Sequence[Mapping[str, Any]]) -> None:
    if not standings:
        return
    rows = []
    for row in standings[:_STANDINGS_AT_MOST]:
        bot, reached = f"{row['bot']} v{row['version']}", row["round_reached"] or ""
        rows.append([row["place"] or "", bot, _number(row["points"], 2), reached, _number(row["elo"], 0)])
    print_columns(["place", "bot", "points", "round", "Elo"], rows)
    if len(standings) > _STANDINGS_AT_MOST:
        print(f"and {len(standings) - _STANDINGS_AT_MOST} more: stichkampf organise export … standings.csv")


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"


def _time(text: str | None) -> str:
    """Return a time of the API to the minute."""
    return "" if not text else text[:16].replace("T", " ")
