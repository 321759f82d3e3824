"""The games as the site presents them: rules from templates, options from the SDK."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass

from stichkampf.engine.game import Game
from stichkampf.games import GAMES

LANGUAGE = "en"


@dataclass(frozen=True)
class Entry:
    """A game in one line, with a few of its cards."""

    slug: str

    @property
    def game(self) -> type[Game]:
        return GAMES[self.slug]

    @property
    def line(self) -> str:
        return self.game.tagline

    @property
    def cards(self) -> tuple[str, ...]:
        return self.game.sample_cards

    @property
    def title(self) -> str:
        return self.game.title

    @property
    def players(self) -> str:
        """Such as "3 to 6 players"."""
        least, most = min(self.game.players), max(self.game.players)
        if least == most:
            return f"{least} players"
        return f"{least} {'or' if most == least + 1 else 'to'} {most} players"

    @property
    def actions(self) -> tuple[tuple[str, str], ...]:
        """When a seat chooses, and the words of its actions as records and bots write them."""
        return self.game.moments

    @property
    def templates(self) -> tuple[str, ...]:
        """The page with its rules, or one that says where they stand for a game from elsewhere."""
        return f"web/rules/{LANGUAGE}/{self.slug}.html", f"web/rules/{LANGUAGE}/from-elsewhere.html"

    @property
    def summary(self) -> str:
        """The description in the game's own file."""
        return inspect.getdoc(sys.modules[self.game.__module__]) or self.line


def entries() -> list[Entry]:
    """Every game that can be played, in the registry's order."""
    return [entry(slug) for slug in GAMES]


def entry(slug: str) -> Entry:
    return Entry(slug)


def game_title(slug: str) -> str:
    """The title of a game; its own name where it is no longer played here."""
    return GAMES[slug].title if slug in GAMES else slug


def options_of(slug: str) -> list[dict]:
    """The options of a game, with the default for its usual table and what else each may be."""
    game = GAMES[slug]
    seats = 4 if 4 in game.players else game.players[0]
    defaults = game(seats, {}).options
    return [
        {"name": option.name, "default": _text(defaults.get(option.name)), "allowed": option.allowed}
        for option in game.specification
    ]


def _text(value: object) -> str:
    if value is None:
        return "where it applies"
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, list) else str(value)
