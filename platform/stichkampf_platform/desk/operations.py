"""The operators' page in the administration: the figures in words, with bars where there is a limit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from stichkampf_platform.core.machines.nodes import SILENCE
from stichkampf_platform.core.models import Node
from stichkampf_platform.core.number_formats import signed
from stichkampf_platform.operations.figures import MOST_COUNTED, ArbiterFigures, Figures, measure
from stichkampf_platform.operations.moving import STILL_SECONDS
from stichkampf_platform.operations.state_texts import concerns, counted

MEGABYTE = 10**6


@dataclass(frozen=True)
class FigureRow:
    """A figure as the page shows it.

    :ivar value: the length of its bar out of `most`; without a bar, `most` is 0.
    """

    name: str
    text: str
    value: float = 0
    most: float = 0


def operations(request: HttpRequest) -> HttpResponse:
    """Show the figures of this moment to staff."""
    if not request.user.is_staff:
        raise PermissionDenied
    figures = measure()
    groups = [
        (_("Play"), _play(figures)),
        (_("Arbiter"), _arbiter(figures.arbiter)),
        (_("Nodes"), [_node(node, figures.at) for node in figures.nodes]),
        (_("Queues"), [_bar(queue, number, 50) for queue, number in figures.queued.items()]),
        (_("Faults at the newest 200 tables"), _faults(figures)),
        (_("Oldest result that is not rated"), _ratings(figures)),
        (_("Space"), _space(figures)),
        (_("Waits, and none has ended"), _still(figures)),
        (_("Fails again and again"), [FigureRow(str(each), each.reason) for each in figures.parked]),
    ]
    page = {
        **admin.site.each_context(request),
        "title": _("Operations"),
        "at": figures.at,
        "concerns": concerns(figures),
        "groups": [(name, rows) for name, rows in groups if rows],
    }
    return TemplateResponse(request, "admin/operations.html", page)


def _play(figures: Figures) -> list[FigureRow]:
    rows = [
        FigureRow(_("Waiting blocks"), counted(figures.blocks_waiting), figures.blocks_waiting, MOST_COUNTED),
        _bar(_("Waiting submissions"), figures.submissions_waiting, 50),
        FigureRow(_("Tables that a worker holds"), str(figures.tables_leased)),
    ]
    if figures.table_seconds_median is not None:
        rows.append(FigureRow(_("Median time of the newest tables"), _seconds(figures.table_seconds_median)))
        rows.append(FigureRow(_("Longest of them"), _seconds(figures.table_seconds[-1])))
    if figures.first_table_seconds:
        first = figures.first_table_seconds[0]
        rows.append(FigureRow(_("From the newest start to its first table"), _seconds(first)))
    beat = figures.beat_seconds
    rows.append(FigureRow(_("Last beat"), _("none") if beat is None else _seconds(beat)))
    return rows


def _arbiter(arbiter: ArbiterFigures | None) -> list[FigureRow]:
    if arbiter is None:
        return [FigureRow(_("Answer"), _("none"))]
    tables = f"{arbiter.tables} / {arbiter.tables_limit}"
    return [
        FigureRow(_("Busy tables"), tables, arbiter.tables, arbiter.tables_limit),
        FigureRow(_("Sandbox level"), arbiter.sandbox_level),
        FigureRow(_("Lag of its answer"), _seconds(arbiter.answer_seconds), arbiter.answer_seconds, 0.5),
        *(
            FigureRow(_("Refused calls, %(status)s") % {"status": status}, str(times))
            for status, times in sorted(arbiter.refused_calls.items())
        ),
    ]


def _node(node: Node, now: datetime) -> FigureRow:
    silent = now - node.seen_at
    if silent > SILENCE:
        return FigureRow(
            node.name, _("silent since %(time)s UTC") % {"time": f"{node.seen_at:%Y-%m-%d %H:%M}"}
        )
    if not node.arbiter_answers:
        return FigureRow(node.name, _("its arbiter does not answer"))
    text = _(
        "sandbox %(level)s, tables %(tables)s / %(limit)s, seen %(seen)s s ago, clock %(skew)s s,"
        " version %(version)s"
    ) % {
        "level": node.sandbox_level,
        "tables": node.tables,
        "limit": node.tables_limit,
        "seen": max(0, round(silent.total_seconds())),
        "skew": signed(node.clock_skew_seconds, 1),
        "version": node.version,
    }
    return FigureRow(node.name, text, node.tables, node.tables_limit)


def _faults(figures: Figures) -> list[FigureRow]:
    most = max(figures.faults.values(), default=0)
    return [FigureRow(kind, str(times), times, most) for kind, times in figures.faults.items()]


def _ratings(figures: Figures) -> list[FigureRow]:
    return [
        FigureRow(ladder, _seconds(age), min(age, 1800), 1800)
        for ladder, age in figures.rating_age_seconds.items()
        if age
    ]


def _still(figures: Figures) -> list[FigureRow]:
    return [
        FigureRow(
            str(kind.words),
            _seconds(kind.still_seconds),
            min(kind.still_seconds, STILL_SECONDS),
            STILL_SECONDS,
        )
        for kind in figures.work
        if kind.still_seconds
    ]


def _space(figures: Figures) -> list[FigureRow]:
    used, size = figures.disk_bytes - figures.disk_free_bytes, figures.disk_bytes
    text = _("%(free)s MB free of %(size)s MB") % {
        "free": number_format(figures.disk_free_bytes // MEGABYTE, force_grouping=True),
        "size": number_format(size // MEGABYTE, force_grouping=True),
    }
    database = number_format(figures.database_bytes // MEGABYTE, force_grouping=True)
    return [FigureRow(_("Disk"), text, used, size), FigureRow(_("Database"), f"{database} MB")]


def _bar(name: str, number: int, most: int) -> FigureRow:
    return FigureRow(name, counted(number), min(number, most), most)


def _seconds(seconds: float) -> str:
    return _("%(seconds)s s") % {"seconds": number_format(seconds, 3 if seconds < 1 else 0)}
