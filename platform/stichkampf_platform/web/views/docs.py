from __future__ import annotations

import platform
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain

import stichkampf
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import floatformat
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf import limits
from stichkampf.bots.registry import house_bots
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.rating import Results, compare
from stichkampf.time_control import LADDER_CLOCK
from stichkampf.wire.agreed import WIRE_VERSION

from stichkampf_platform.bots.arbiter_sync import connect_command
from stichkampf_platform.core.machines.nodes import interpreters
from stichkampf_platform.core.number_formats import plain, size
from stichkampf_platform.tournaments.formats.competition import Competition, Past
from stichkampf_platform.tournaments.formats.elimination import FURTHER_BLOCKS
from stichkampf_platform.tournaments.formats.ladder_turns import NEW_BELOW
from stichkampf_platform.tournaments.formats.swiss import Swiss
from stichkampf_platform.tournaments.records.open_data import RECORD_COLUMNS, RESULT_COLUMNS, writes_parquet
from stichkampf_platform.web import charts
from stichkampf_platform.web.games import rulebook
from stichkampf_platform.web.guides import GUIDES, KINDS, PAGES, filled, guide, reference
from stichkampf_platform.web.guides import render as render_guide
from stichkampf_platform.web.rating_study import study

TOPICS = {
    "write-a-bot": gettext_lazy("Write a bot"),
    "submit": gettext_lazy("Submit it"),
    "limits": gettext_lazy("Limits and clock"),
    "ratings": gettext_lazy("How ratings work"),
    "tournaments": gettext_lazy("How tournaments are decided"),
    "records": gettext_lazy("Records"),
    "api": "API",
    "python": "Python",
    "researchers": gettext_lazy("For researchers"),
    "data": gettext_lazy("Data"),
    "guides": gettext_lazy("Guides"),
}

SEARCHED = 60
"""The most characters of a search among the names of the SDK."""
EXAMPLE_BOTS = ("Ann", "Bob", "Cid", "Dot")
EXAMPLE_HANDS = ("R11 Y4 B0", "R2 G9 G8", "Y12 B5 K3", "G1 B7 K10")
EXAMPLE_ROUNDS = (((0, 3), (1, 2)), ((1, 0), (3, 2)))
"""By round and table, the numbers of the winner and of the other."""
EXAMPLE_RANKS = (
    ("Ann", 1530, "1\N{EN DASH}2"),
    ("Bob", 1518, "1\N{EN DASH}3"),
    ("Cid", 1500, "2\N{EN DASH}3"),
    ("Dot", 1462, "4"),
)
"""Name, Elo and rank range; with an error of 17 each, differences of 25 and more are significant."""


def topic(request: HttpRequest, slug: str = "write-a-bot") -> HttpResponse:
    if slug == "guides":
        kinds = [
            (KINDS[kind], [(name, guide(name)) for name in GUIDES if GUIDES[name] == kind]) for kind in KINDS
        ]
        page = {"title": TOPICS[slug], "template": "web/docs/guides.html", "kinds": kinds}
    elif slug == "python":
        query = request.GET.get("q", "")[:SEARCHED]
        page = {
            "title": _("Names of the SDK"),
            "template": "web/docs/reference.html",
            "version": stichkampf.__version__,
            "modules": reference.found(query),
            "query": query,
        }
    elif slug in GUIDES or slug in PAGES:
        found = guide(slug)
        text = filled(found.text, figures(request, slug)) if slug in PAGES else found.text
        page = {
            "title": found.title,
            "template": "web/docs/guide.html",
            "written_in": found.language,
            "text": render_guide(text, lambda name: reverse("web:docs", args=[name])),
        }
    else:
        names = ", ".join([*TOPICS, *GUIDES])
        raise Http404(_("There is no page {slug!r} here; there are {names}.").format(slug=slug, names=names))
    shown = {"topics": TOPICS, "slug": "guides" if slug in GUIDES else slug, **page}
    return render(request, "web/docs/page.html", shown)


def figures(request: HttpRequest, slug: str) -> dict[str, object]:
    """Return what the placeholders of a page stand for, as it is read."""
    more = {"ratings": _ratings, "tournaments": _tournaments, "limits": _versions, "data": _data}
    return {
        "limits": {name: _as_read(name, value) for name, value in vars(limits).items() if name.isupper()},
        "newcomer": NEW_BELOW,
        "clock": {name: _as_read(name, value) for name, value in LADDER_CLOCK.to_json().items()},
        "fault_allowance": FAULT_ALLOWANCE,
        "conduct": {
            "matches": settings.CONDUCT_MATCHES,
            "fault": settings.CONDUCT_FAULT_POINTS,
            "forfeit": settings.CONDUCT_FORFEIT_POINTS,
            "points": settings.CONDUCT_SUSPENDED_WITH_POINTS,
        },
        "house_bots": list(house_bots()),
        "entries": rulebook.entries(),
        "connect": connect_command(),
        "address": request.build_absolute_uri("/").rstrip("/"),
        **(more[slug]() if slug in more else {}),
    }


def _as_read(name: str, value: object) -> object:
    """Return a limit as a sentence has it: bytes in their unit, numbers with marks, a list with commas."""
    if isinstance(value, int) and name.lower().endswith("bytes"):
        return size(value)
    if isinstance(value, float):
        return floatformat(value, "-2")
    if isinstance(value, int):
        return plain(value)
    if isinstance(value, tuple):
        return ", ".join(value) or "\N{EN DASH}"
    if isinstance(value, dict):
        return {key: _as_read(key, each) for key, each in value.items()}
    if isinstance(value, limits.WeightClass):
        return _as_read(name, {field: getattr(value, field) for field in value.__annotations__})
    return value


def _drawn(template: str, **of: object) -> SafeString:
    """Draw what is no prose: a table with cards or charts, on one line as Markdown takes HTML."""
    return mark_safe(" ".join(render_to_string(f"web/docs/_{template}.html", of).split()))


def _tournaments() -> dict[str, object]:
    """Return the example of the page on tournaments, ranked as a Swiss ranks it."""
    rows = [
        (block, hand, who, who == table[0], (block, (hand + seat) % 2), False)
        for block, table in enumerate(chain.from_iterable(EXAMPLE_ROUNDS))
        for seat, who in enumerate(table)
        for hand in range(2)
    ]
    rounds = tuple(tuple(frozenset(table) for table in tables) for tables in EXAMPLE_ROUNDS)
    numbers = range(len(EXAMPLE_BOTS))
    asked = Competition(
        authors=dict.fromkeys(numbers),
        names=dict(enumerate(EXAMPLE_BOTS)),
        game="",
        seats=2,
        blocks=1,
        rounds=2,
    )
    lines = Swiss().standings(asked, Past(rounds, compare(Results.from_rows(rows))))
    return {
        "further_blocks": FURTHER_BLOCKS,
        "tie_breaks": Swiss.tie_breaks,
        "swiss_example": _drawn(
            "swiss",
            tie_breaks=Swiss.tie_breaks,
            swiss_example=[
                (EXAMPLE_BOTS[line.entrant], line, list((line.tie_breaks or {}).values())) for line in lines
            ],
        ),
    }


def _ratings() -> dict[str, object]:
    """Return the charts of the page on ratings: an example block, example intervals, results of the study."""
    found = study()
    half = found.games[0].ways[0]["plus_minus"]
    axis = charts.EloAxis([(elo, half) for _, elo, _ in EXAMPLE_RANKS])
    hands = [
        (cards.split(), [EXAMPLE_BOTS[table ^ hand] for table in range(4)])
        for hand, cards in enumerate(EXAMPLE_HANDS)
    ]
    intervals = [(name, elo, rank, axis.whisker(elo, half)) for name, elo, rank in EXAMPLE_RANKS]
    odds = _(
        "Percent of the points by difference in Elo: 0 gives 50, 100 gives 64, 200 gives 76, 400 gives 91"
    )
    return {
        "study": {
            "blocks": plain(found.blocks),
            "repetitions": found.repetitions,
            "tables": plain(found.tables),
            "date": date_format(found.date),
        },
        "pictures": found.pictures,
        "odds": charts.elo_odds(odds),
        "example": _drawn("block", example=hands),
        "intervals": _drawn("intervals", axis=axis, intervals=intervals),
        "numbers": _drawn("numbers", study=found),
    }


def _versions() -> dict[str, object]:
    """Return the versions that a hosted bot gets; the arbiter is installed from this site's pins."""
    nets = {"onnxruntime (net)": version("onnxruntime")} if find_spec("onnxruntime") else {}
    return {
        "versions": {
            "Python": platform.python_version(),
            "numpy": version("numpy"),
            **nets,
            "stichkampf (SDK)": stichkampf.__version__,
            "Wire": str(WIRE_VERSION),
        },
        "interpreters": {part: ", ".join(programs) for part, programs in interpreters().items()},
    }


def _data() -> dict[str, object]:
    return {
        "result_columns": _drawn("columns", columns=RESULT_COLUMNS),
        "record_columns": _drawn("columns", columns=RECORD_COLUMNS),
        "parquet": writes_parquet(),
    }
