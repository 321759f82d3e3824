"""The games for pages: the rules as the SDK tells them, everything else from its declarations."""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass

from django.utils.translation import gettext as _
from stichkampf.engine.game import Game
from stichkampf.games import GAMES, usual_seats
from stichkampf.rulebook.text import allowed_values

from stichkampf_platform.tournaments.titles import options_in_words, present_language
from stichkampf_platform.web.games.words import in_words


@dataclass(frozen=True)
class GameTexts:
    """A game with its texts, sample cards and templates."""

    slug: str

    @property
    def game(self) -> type[Game]:
        return GAMES[self.slug]

    @property
    def tagline(self) -> str:
        return in_words(self.game, self.game.tagline)

    @property
    def cards(self) -> tuple[str, ...]:
        return self.game.sample_cards

    @property
    def title(self) -> str:
        return self.game.title

    @property
    def players(self) -> str:
        """The numbers of players as text, such as "3 to 6 players"."""
        least, most = min(self.game.players), max(self.game.players)
        if least == most:
            return _("{number} players").format(number=least)
        text = _("{least} or {most} players") if most == least + 1 else _("{least} to {most} players")
        return text.format(least=least, most=most)

    @property
    def summary(self) -> str:
        """The description in the game's own file."""
        return inspect.getdoc(sys.modules[self.game.__module__]) or self.tagline


def entries() -> list[GameTexts]:
    """Return every registered game, in the order of the registry."""
    return [GameTexts(slug) for slug in GAMES]


def game_title(slug: str) -> str:
    """Return the title of a game, or its name if it is no longer registered."""
    return GAMES[slug].title if slug in GAMES else slug


def options_of(slug: str) -> list[dict[str, str]]:
    """Return the options of a game, each with meaning, default for the usual table and allowed values."""
    game = GAMES[slug]
    defaults = game(usual_seats(game), {}).options
    return [
        {
            "name": option.name,
            "meaning": in_words(game, option.meaning),
            "default": option_text(defaults.get(option.name)),
            "allowed": allowed_values(option, present_language()),
        }
        for option in game.specification
    ]


def example_setting(slug: str) -> str:
    """Return an option of a game as a command takes it, with the value that it has anyway: `length=deals:4`.

    One whose value is a list is passed over, since a shell takes its entries apart.
    """
    defaults = GAMES[slug](GAMES[slug].players[0], {}).options
    single = {name: value for name, value in defaults.items() if isinstance(value, (bool, int, str))}
    name = next(iter(single))
    return f"{name}={option_text(single[name])}"


def ladder_setting(game: str, seats: int, options: dict) -> str:
    """Return a ladder's seats, and its options as far as they are not the game's own for so few or many.

    >>> ladder_setting("mue", 5, GAMES["mue"](5, {"length": "deals:2"}).options)
    '5 seats, length: 2 deals'
    """
    own = GAMES[game](seats, {}).options if game in GAMES and seats in GAMES[game].players else {}
    others = {name: value for name, value in options.items() if value != own.get(name)}
    told = (f"{name}: {value}" for name, value in options_in_words(game, others))
    return ", ".join([_("{seats} seats").format(seats=seats), *told])


def option_text(value: object) -> str:
    """Write the value of an option as it is given to commands."""
    if value is None:
        return _("where it applies")
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value) if isinstance(value, list) else str(value)
