"""The file: every decision of a match, its style and its script, and nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe
from stichkampf.engine.deal import Json
from stichkampf.match.narrator import ALL_HANDS

from stichkampf_platform.web.template_loader import OPTIONS

PLATFORM = Path(__file__).parents[2]
STATIC = PLATFORM / "web/static/web"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
PART = re.compile(r"<!--part (\w+)-->(.*?)<!--/part-->", re.DOTALL)
TABLE = 0
"""Stands in the addresses where the site has the number of a table."""


def configure() -> None:
    """Set Django up for templates and translations alone."""
    settings.configure(
        INSTALLED_APPS=["stichkampf_platform.web"],
        LANGUAGES=LANGUAGES,
        LANGUAGE_CODE="en",
        LOCALE_PATHS=[PLATFORM / "locale"],
        ROOT_URLCONF="stichkampf_platform.web.replay_file.addresses",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": OPTIONS}],
    )
    django.setup()


def document(
    record: Mapping[str, Json], language: str, views: Sequence[int], shown: Callable[[], None]
) -> str:
    """Return the HTML of the replay of a verified record.

    :param language: "en" or "de".
    :param views: the points of view that it holds: seats from 1, 0 for all hands.
    :param shown: called after each decision of each point of view.
    """
    with translation.override(language):
        return _document(record, views, shown)


def _document(record: Mapping[str, Json], views: Sequence[int], shown: Callable[[], None]) -> str:
    # Django's settings must stand before these modules are read
    from stichkampf_platform.web.games.rulebook import game_title

    numbers = range(1, len(record["seats"]) + 1)
    parts: dict[str, str] = {}
    scenes: dict[str, str] = {}
    first = ""
    for view in views:
        for key, html in _scenes(record, view, shown):
            first = first or html
            scenes[key] = PART.sub(lambda found: _stored(found, parts), html)
    stored = json.dumps({"parts": parts, "scenes": scenes, "views": list(views)}, ensure_ascii=False)
    style = (STATIC / "site.css").read_text("utf-8")
    theme = (STATIC / "site.js").read_text("utf-8")
    script = "".join((STATIC / name).read_text("utf-8") for name in ("replay_file.js", "replay.js"))
    return render_to_string(
        "web/replay/file.html",
        {
            "game": game_title(str(record["game"])),
            "seats": [entry["bot"] for entry in record["seats"]],
            "seat_numbers": numbers,
            "scene": mark_safe(first),
            "stored": base64.b64encode(zlib.compress(stored.encode(), 9)).decode(),
            "style": mark_safe(f"<style>{style}</style>"),
            "theme": mark_safe(f"<script>{theme}</script>"),
            "script": mark_safe(f'<script type="module">{script}</script>'),
            "policy": mark_safe(
                f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)} {_hash(theme)};"
                " base-uri 'none'; form-action 'none'"
            ),
            "table": TABLE,
        },
    )


def _scenes(record: Mapping[str, Json], view: int, shown: Callable[[], None]) -> Iterator[tuple[str, str]]:
    """Yield the key and the HTML of every decision as one observer saw it."""
    # Django's settings must stand before these modules are read
    from stichkampf_platform.web.replay.replay import build_replay
    from stichkampf_platform.web.replay.scene import Scene
    from stichkampf_platform.web.replay.scene_parts import SeatOccupant

    replay = build_replay(record, view - 1 if view else ALL_HANDS)
    players = [SeatOccupant(str(entry["bot"]), _version(entry)) for entry in record["seats"]]
    page: dict[str, Any] = {
        "seat_numbers": range(1, len(players) + 1),
        "place": "web:replay-at",
        "table": {"pk": TABLE},
        "known": (),
    }
    for step in range(replay.steps + 1):
        scene = Scene(replay, step, players)
        yield f"{view}/{step}", render_to_string("web/replay/scene.html", page | {"scene": scene})
        shown()


def _version(entry: Mapping[str, Json]) -> str:
    return f"v{entry['version']}" if entry.get("version") else ""


def _stored(found: re.Match[str], parts: dict[str, str]) -> str:
    parts[found[1]] = found[2]
    return f"<!--part {found[1]}--><!--/part-->"


def _hash(text: str) -> str:
    """Name an inline style or script for the content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
