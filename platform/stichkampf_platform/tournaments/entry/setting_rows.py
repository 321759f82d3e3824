"""Settings of a tournament: each is a row, of which every face takes what it shows.

The column of the model, the form of organisers, the API with its description, the table in docs/organisers.md
and the help of the command are made of it. With them stand the bounds of times, and of tables in all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override
from stichkampf.faults import FAULT_ALLOWANCE
from stichkampf.time_control import LADDER_CLOCK, TOURNAMENT_BOUNDS

from stichkampf_platform.core.actions import Need
from stichkampf_platform.core.number_formats import ReadNumber
from stichkampf_platform.tournaments.entry.local_times import UTC
from stichkampf_platform.tournaments.entry_models import Beat, Repeats, Reveal, WhoEnters

MOST_TABLES: Final = 50_000
"""Tables of a tournament that comes to an end."""
MOST_DEALS: Final = 1_000_000
"""Deals of all its tables, where their number is given."""
FARTHEST: Final = timedelta(days=100 * 366)
"""The time ahead up to which a start or a deadline may lie."""

PARTS: Final = {
    "names": None,
    "game": gettext_lazy("Game"),
    "options": gettext_lazy("Options as JSON, for experts"),
    "length": gettext_lazy("Format and length"),
    "players": gettext_lazy("Who plays"),
    "entry": gettext_lazy("Entry by authors"),
    "sight": gettext_lazy("Who sees it"),
    "start": gettext_lazy("Start"),
    "show": gettext_lazy("Rounds and results as a show"),
    "times": gettext_lazy("Time and faults"),
}
"""The parts of the form, with their headings."""


@dataclass(frozen=True, kw_only=True)
class Setting(Need):
    """A row: what an organiser gives a tournament.

    :ivar meaning: in English, for programs, where they are told something else than `note`.
    :ivar part: of the form, by its name in `PARTS`; programs alone give what is in none.
    :ivar column: it stands in the row of a tournament, under its name.
    :ivar sent: programs give it, too.
    :ivar sized: tables and time depend on it.
    """

    kind: type = str
    meaning: str = ""
    part: str = ""
    column: bool = True
    sent: bool = True
    sized: bool = False

    @property
    def told(self) -> str:
        """Its meaning for programs."""
        with override("en"):
            return self.meaning or str(self.note)

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the most of a number."""
        return self.least or 0, self.most or 0

    @property
    def bounds_in_words(self) -> str:
        return _("From {least:g} to {most:g}.").format(
            least=ReadNumber(self.least or 0), most=ReadNumber(self.most or 0)
        )

    def of_column(self) -> dict[str, Any]:
        """Return what its column declares: its words, bounds and default."""
        found: dict[str, Any] = {"help_text": self.note} if self.note else {}
        if self.label:
            found["verbose_name"] = self.label
        if self.most is not None:
            found["validators"] = [MinValueValidator(self.least), MaxValueValidator(self.most)]
        return found if self.default is None else {**found, "default": self.default}


def _seconds(name: str, note: Any) -> Setting:
    least, most = TOURNAMENT_BOUNDS[name]
    usual = LADDER_CLOCK.to_json()[name]
    return Setting(part="times", kind=float, note=note, default=usual, least=least, most=most, sized=True)


SETTINGS: Final[Mapping[str, Setting]] = {
    "preset": Setting(
        column=False, meaning="Settings to begin with: `ladder`, `class`, `championship` or `slow`.",
    ),
    "name": Setting(part="names", meaning="What people call it."),
    "slug": Setting(part="names", meaning="Its word in addresses; made of the name where it is missing."),
    "description": Setting(
        part="names", default="",
        note=gettext_lazy(
            "For the page on the site, in Markdown: **bold**, lists, [links](https://example.org)."
        ),
    ),
    "game": Setting(part="game", meaning="What is played.", sized=True),
    "seats": Setting(
        part="game", kind=int, meaning="How many sit at a table.", least=2, most=6, sized=True,
    ),
    "options": Setting(
        part="options", kind=dict, default=dict,
        meaning="Options of the game; what is missing takes its default.",
        note=gettext_lazy("Every option of the game, defaults spelled out."), sized=True,
    ),
    "format": Setting(part="length", default="round-robin", meaning="Who meets whom.", sized=True),
    "stopping": Setting(
        part="length", default="fixed", label=gettext_lazy("it ends"), meaning="When it ends.", sized=True,
    ),
    "blocks_planned": Setting(
        part="length", kind=int, label="blocks", least=1, most=10_000, sized=True,
        note=gettext_lazy(
            "How many blocks are played: in all, or in Swiss and knock-out by each group of a round."
        ),
    ),
    "rounds": Setting(
        part="length", kind=int, least=1, most=100, sized=True, meaning="For Swiss only: how many rounds.",
        note=gettext_lazy("For Swiss only: how many rounds. Otherwise leave it empty."),
    ),
    "rated": Setting(part="length", kind=bool, default=True, meaning="Its results count in ratings."),
    "entrants": Setting(
        part="players", kind=list, column=False, label=gettext_lazy("Entrants"),
        meaning="Versions that play, such as `thumb`, `ann/karl v3`; of a gauntlet the challenger first.",
        note=gettext_lazy("The versions that play; each must be approved and play the game."), sized=True,
    ),
    "more_entrants": Setting(
        part="players", column=False, sent=False, label=gettext_lazy("More entrants"), sized=True,
        note=gettext_lazy(
            "A list to import: on each line a bot, and after a comma its version; "
            "without one the bot's ranked version."
        ),
    ),
    "first": Setting(
        part="players", column=False, sent=False, label=gettext_lazy("First entrant"), sized=True,
        note=gettext_lazy("The challenger of a gauntlet, or the new version of a regression test."),
    ),
    "entry": Setting(
        part="entry", label=gettext_lazy("who enters bots"), default=WhoEnters.ORGANISER,
        meaning="Who enters bots, until the deadline.",
        note=gettext_lazy(
            "Authors enter and withdraw their bots until the deadline; then it is on the site before it"
            " starts."
        ),
    ),
    "entry_until": Setting(
        part="entry", kind=datetime, label=gettext_lazy("deadline of entry"), option="--until",
        meaning="The deadline of entry; without one the start.",
        note=gettext_lazy("Empty for the start."),
    ),
    "places": Setting(
        part="entry", kind=int, least=1, most=10_000, option="--places",
        meaning="How many bots there is room for; later entries wait until another leaves.",
        note=gettext_lazy("Later entries wait until another leaves. Empty for as many as come."),
    ),
    "bots_each": Setting(
        part="entry", kind=int, label=gettext_lazy("bots of each author"), default=1, least=1, most=10,
        option="--each",
        meaning="How many bots each author may enter.",
        note=gettext_lazy("As many bots may each author enter."),
    ),
    "published": Setting(part="sight", kind=bool, default=True, note=gettext_lazy("Show it on the site.")),
    "private": Setting(
        part="sight", kind=bool, default=False,
        note=gettext_lazy("Only members see it: invited people, and those who give its code."),
    ),
    "invited": Setting(
        part="sight", kind=list, column=False, label=gettext_lazy("Invited people"),
        meaning="Names of accounts.",
        note=gettext_lazy("Names of accounts, on lines of their own or after commas."),
    ),
    "with_code": Setting(
        part="sight", kind=bool, column=False, default=False, label=gettext_lazy("It has a code"),
        option="--code",
        meaning="Anyone who enters its code becomes a member.",
        note=gettext_lazy(
            "The new code appears at the top of this page. Anyone who enters it becomes a member."
        ),
    ),
    "starts_at": Setting(
        part="start", kind=datetime, label=gettext_lazy("start"), meaning="When it starts by itself.",
        note=gettext_lazy("When it starts by itself; empty to start it by hand."),
    ),
    "time_zone": Setting(
        part="start", label=gettext_lazy("time zone"), default=UTC,
        note=gettext_lazy(
            "Such as Europe/Berlin: times are given and shown in it, and a series keeps its hour there."
        ),
    ),
    "repeats": Setting(
        part="start", default=Repeats.NEVER, meaning="How often it is made again, as it starts.",
        note=gettext_lazy("When it starts, the next one is made, and opens for entries at once."),
    ),
    "reason": Setting(
        part="start", column=False, label=gettext_lazy("Reason for another deadline"),
        meaning="Of another start or deadline, where authors may enter bots; all read it.",
        note=gettext_lazy(
            "For everybody to read, where another start or deadline is set while authors may enter bots."
        ),
    ),
    "beat": Setting(
        part="show", default=Beat.AT_ONCE, label=gettext_lazy("later rounds start"),
        note=gettext_lazy("Swiss and knock-out: when each round after the first starts."),
    ),
    "beat_minutes": Setting(
        part="show", kind=int, label=gettext_lazy("minutes between rounds"), least=1, most=10_080,
        note=gettext_lazy("From the end of a round, with its results shown, to the start of the next."),
    ),
    "round_times": Setting(
        part="show", default="", label=gettext_lazy("times of the later rounds"),
        note=gettext_lazy(
            "By the clocks of the time zone, such as 2026-12-04 19:30, with commas between."
        ),
    ),
    "reveal": Setting(
        part="show", default=Reveal.AT_ONCE, label=gettext_lazy("results are shown"),
        note=gettext_lazy("Held back, nobody sees them before they are revealed, you included."),
    ),
    "reveal_seconds": Setting(
        part="show", kind=int, default=10, label=gettext_lazy("seconds between tables"),
        least=2, most=3600, note=gettext_lazy("Where the clock reveals: from one table to the next."),
    ),
    "move_seconds": _seconds("move_seconds", gettext_lazy("Thinking time for each move.")),
    "bank_seconds": _seconds(
        "bank_seconds", gettext_lazy("Reserve for the whole match, used when a move takes longer.")
    ),
    "cap_seconds": _seconds(
        "cap_seconds", gettext_lazy("The most that any one move may take, reserve or not.")
    ),
    "fault_allowance": Setting(
        part="times", kind=int, default=FAULT_ALLOWANCE, least=0, most=1_000,
        note=gettext_lazy("Faults a bot may make in a match before it loses."),
    ),
    "version": Setting(
        column=False,
        meaning="Of the settings, as read; a change is refused where they are others by now.",
    ),
}  # fmt: skip
"""By name; in the order of the form."""

COLUMNS: Final = tuple(name for name, row in SETTINGS.items() if row.column)
SENT: Final = tuple(name for name, row in SETTINGS.items() if row.sent)


def column(name: str) -> dict[str, Any]:
    """Return what the column of a setting declares."""
    return SETTINGS[name].of_column()


def words_of(name: str) -> dict[str, Any]:
    """Return label and note of a setting, for a field of a form that stands in no column."""
    row = SETTINGS[name]
    return {"label": row.label or None, "help_text": row.note}
