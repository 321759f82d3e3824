"""The common part of `challenge`, `compare` and `counterfactual`: naming a version, following its blocks."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from stichkampf.cli.parser import positive
from stichkampf.cli.server.listing import add_site_options, add_wait_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteError, SiteRefused
from stichkampf.cli.terminal import ProgressBar
from stichkampf.whole_numbers import whole_number

NO: Final = 1
LOOK_SECONDS: Final = 1.0
LONGEST_LOOK_SECONDS: Final = 5.0
MINUTES: Final = 120
VERSIONS: Final = 100


def add_experiment_options(parser: argparse.ArgumentParser, *, blocks: int) -> None:
    """Add the game, the number of blocks with its default, `--wait` and the options of the site."""
    parser.add_argument("--game", metavar="GAME", default="", help="the game (default: its only one)")
    parser.add_argument(
        "--blocks", metavar="N", type=positive, default=blocks, help=f"blocks (default: {blocks})"
    )
    add_wait_options(parser, waits="follow it to the end, and print what came out", minutes=MINUTES)
    add_site_options(parser)


def version_named(site: SiteApi, text: str) -> dict[str, Any]:
    """Return one's own version of `BOT@N`, or of `BOT` the newest that may play, as the API tells it.

    :raises SiteError: there is none.
    """
    name, _, digits = text.partition("@")
    number = whole_number(digits)
    if digits and number is None:
        raise SiteError(f"{text!r} is no version; write BOT@N, such as karl@3")
    path = f"{site.bot(name)}versions/"
    found = list(site.rows(path, VERSIONS, "number", "state", "games"))
    if digits:
        chosen = [version for version in found if version["number"] == number]
        if not chosen:
            there = ", ".join(str(version["number"]) for version in found) or "none"
            raise SiteError(f"{name} has no version {number}; it has {there}")
    else:
        chosen = [version for version in found if version["state"] == "approved"]
        if not chosen:
            raise SiteError(f"{name} has no version that may play; `stichkampf status {name}` tells more")
    newest = max(chosen, key=lambda version: int(version["number"]))
    return {**newest, "path": f"{path}{newest['number']}/"}


def game_of(version: Mapping[str, Any], named: str) -> str:
    """Return the game that was named, or else the only one that the version plays.

    :raises SiteError: it plays several.
    """
    games = version["games"]
    if not named and len(games) != 1:
        raise SiteError(f"it plays {', '.join(games) or 'no game yet'}: name one, as in --game sticheln")
    return named or str(games[0])


def begin(
    site: SiteApi, path: str, fields: Mapping[str, object], args: argparse.Namespace
) -> dict[str, Any] | None:
    """Ask for an experiment, follow it if `--wait` says so, and print it; `None` where the site refuses."""
    try:
        experiment = site.post(path, fields, "id", "page", "blocks_planned")
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return None
    if not args.json:
        blocks = experiment["blocks_planned"]
        print(f"{blocks} block{'' if blocks == 1 else 's'}: {site.address}{experiment['page']}", flush=True)
    if args.wait:
        experiment = _followed(site, experiment, args.minutes)
    if args.json:
        print_json(experiment)
    elif args.wait:
        _tell(experiment)
    return dict(experiment)


def is_over(experiment: Mapping[str, Any]) -> bool:
    return experiment["state"] in ("finished", "cancelled")


def _followed(site: SiteApi, experiment: Any, minutes: int) -> Any:
    """Look again and again until it is over, or the time is; return it as it is then."""
    end = time.monotonic() + 60 * minutes
    path, pause, over = f"experiments/{experiment['id']}/", LOOK_SECONDS, 0
    with ProgressBar(experiment["blocks_planned"], "blocks") as progress:
        while True:
            told = site.get(path, "state", "standing", "outcome")
            for _ in range(told["standing"]["blocks_over"] - over):
                progress.step()
            over = told["standing"]["blocks_over"]
            if is_over(told) or time.monotonic() >= end:
                return told
            time.sleep(pause)
            pause = min(1.2 * pause, LONGEST_LOOK_SECONDS)


def _tell(experiment: Mapping[str, Any]) -> None:
    standing = experiment["standing"]
    if not is_over(experiment):
        print(f"Not over yet: {standing['blocks_over']} of {standing['blocks']} blocks; it goes on.")
    if sum(experiment["left_out"].values()):
        reasons = ", ".join(f"{number} {reason}" for reason, number in experiment["left_out"].items())
        print(f"Left out: {reasons}")
    own = f"{experiment['bot']} v{experiment['version']}"
    for one in standing["differences"]:
        other = f"{one['opponent']} v{one['opponent_version']}"
        blocks = f"{one['blocks']} block{'' if one['blocks'] == 1 else 's'}"
        elo, points = _between(one["elo"], 0), _between(one["points"], 2)
        print(f"{own} - {other}: {elo} Elo, {points} points a hand, {blocks}")
    if experiment["outcome"]:
        print(experiment["outcome"])


def _between(value: Mapping[str, float | None], decimals: int) -> str:
    def written(number: float | None) -> str:
        return "?" if number is None else f"{number:+.{decimals}f}"

    return f"{written(value['estimate'])} ({written(value['low'])} to {written(value['high'])})"
