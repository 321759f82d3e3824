from __future__ import annotations

import hashlib
import json
import re

from stichkampf.games import GAMES, new_game

from stichkampf_platform.ladders.models import Ladder

SLOW_MOVE_SECONDS = 20.0
"""Tournaments that give at least this many seconds for a move have ladders of their own."""


LONGEST_SLUG = 60
"""Characters of a ladder's name in addresses that are still read; a longer one is cut to a digest."""


def options_digest(options: dict) -> str:
    """Return a digest of complete options, the same in whatever order they are."""
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()


def ladder_of(
    *,
    game: str,
    seats: int,
    options: dict,
    main: bool = False,
    private_to: str = "",
    move_seconds: float = 0.0,
) -> Ladder:
    """Return the ladder of these options; make it where there is none.

    :param private_to: the name of the private tournament that has a ladder of its own.
    :param move_seconds: of the time control; from `SLOW_MOVE_SECONDS` on it is another ladder.
    :raises UnknownGame, SeatsError, OptionError: such a match is not possible.
    """
    complete = new_game(game, seats, options).options
    slow = move_seconds >= SLOW_MOVE_SECONDS
    # a ladder's digest is that of its options alone where nothing else sets it apart
    apart = {"private_to": private_to} if private_to else {}
    digest = options_digest(complete | apart | ({"slow": True} if slow else {}))
    ladder, _ = Ladder.objects.get_or_create(
        game=game,
        seats=seats,
        options_digest=digest,
        defaults={
            "options": complete,
            "slug": lambda: _slug(game, seats, complete, digest, slow=slow, private=bool(private_to)),
            "main": main,
            "private": bool(private_to),
            "slow": slow,
        },
    )
    return ladder


def _slug(game: str, seats: int, options: dict, digest: str, *, slow: bool, private: bool) -> str:
    """Return the name of a new ladder in addresses, such as `meinz-3-length-deals-4`.

    It says the options that are not the game's own. Where they are too long, or are those of a private
    tournament, the name ends with a digest.
    """
    own = GAMES[game](seats, {}).options
    told = [f"{name} {value}" for name, value in sorted(options.items()) if value != own.get(name)]
    words = " ".join([game, str(seats), *told, *(["slow"] if slow else [])])
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
    if private or len(slug) > LONGEST_SLUG or Ladder.objects.filter(slug=slug).exists():
        return f"{game}-{seats}-{digest[:8]}"
    return slug


def seed_main_ladders() -> list[Ladder]:
    """Return the main ladder of every game; make those that are missing."""
    return [
        Ladder.objects.filter(game=name, main=True).first()
        or ladder_of(
            game=name, seats=game.main_ladder.seats, options=dict(game.main_ladder.options), main=True
        )
        for name, game in GAMES.items()
    ]
