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
        """Such as "3 to 6 players"."""
        least, most = min(self.game.players), max(self.game.players)
        if least == most:
            return f"{least} players"
        return f"{least} {'or' if most == least + 1 else 'to'} {most} players"

    @property
    def actions(self) -> tuple[tuple[str, str], ...]:
        """When a seat chooses, and the words of its actions as records and bots write them."""
        return ACTIONS.get(self.slug, ())

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


ACTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "sticheln": (("pain cards, all at once", "pain R4"), ("tricks", "play B11")),
    "stiche-raten": (
        ("a grab card was turned up", "trump C"),
        ("bids", "bid 0, bid 1, bid 2"),
        ("tricks", "play ST"),
    ),
    "sixes-and-sevens": (("tricks", "play H7"),),
    "mue": (
        ("auction, at the start of a turn", "pass, lay K7"),
        ("auction, later in a turn", "stop, lay K7"),
        ("trumps, the vice first", "trump G, trump 7, trump none"),
        ("partner", "partner 2"),
        ("tricks", "play K7"),
    ),
    "njet": (
        (
            "stones",
            "block start 0, block discard two-no-zero, block trump B, block super none, block points -2",
        ),
        ("teams", "team 2, team 1 3, team alone"),
        ("monster, with five players", "monster 2"),
        ("cards, all at once, one by one", "discard R0, give R0"),
        ("tricks", "play R0"),
    ),
    "meinz": (
        ("putting away, all at once", "away Y5"),
        ("tricks", "play Y5"),
        ("is it Meinz?", "call, quiet"),
        ("the trick's owner", "swap Y5 Y9, keep"),
    ),
    "was-sticht": (
        ("choosing tasks", "choose exactly-2"),
        ("draft", "take B5"),
        ("showing a task, all at once", "show no-red"),
        ("tricks", "play B5"),
        ("start player's discard", "drop last-trick"),
    ),
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
