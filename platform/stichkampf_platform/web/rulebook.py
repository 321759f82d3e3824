"""The games as the site presents them: rules from templates, options from the SDK."""

from __future__ import annotations

from dataclasses import dataclass

from stichkampf.games import GAMES
from stichkampf.rules import Game

LANGUAGE = "en"


@dataclass(frozen=True)
class Entry:
    """A game in one line, with a few of its cards."""

    slug: str
    line: str
    cards: tuple[str, ...]

    @property
    def game(self) -> type[Game]:
        return GAMES[self.slug]

    @property
    def title(self) -> str:
        return self.game.title

    @property
    def players(self) -> str:
        """ "3 to 6 players", "4 players"."""
        least, most = min(self.game.players), max(self.game.players)
        return f"{least} players" if least == most else f"{least} to {most} players"

    @property
    def template(self) -> str:
        return f"web/rules/{LANGUAGE}/{self.slug}.html"


LINES = {
    "sticheln": ("Every colour that was not led is trump, and one colour hurts.", "R11 Y4 B0"),
    "stiche-raten": ("Bid your tricks; the dealer may not make the bids add up.", "SA HT D7"),
    "sixes-and-sevens": ("Sevens change trump, sixes turn tricks upside down.", "H7 S6 DA"),
    "mue": ("Bid with open cards, name two trumps, find a partner.", "B7 K1 G0"),
    "njet": ("Cross out what you do not want before a card is played.", "R0 K7 Y9"),
    "meinz": ("Two tricks each: claim one while it grows, swap a card.", "G9 R1 Y5"),
    "was-sticht": ("Draft your hand while only one player knows the trumps.", "B5 R2 G8"),
}


def entries() -> list[Entry]:
    """Every game that can be played, in the registry's order."""
    return [entry(slug) for slug in GAMES]


def entry(slug: str) -> Entry:
    line, cards = LINES.get(slug, ("", ""))
    return Entry(slug, line, tuple(cards.split()))


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
