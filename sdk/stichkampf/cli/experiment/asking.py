"""The common part of the commands of experiments: naming versions, asking, following their blocks."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from stichkampf.cli.organise.actions import declared, lowered
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
SAME_PROGRAM: Final = 409
MEANING: Final = (
    "Elo says by how much it is better; LLR weighs 20 Elo better against not better: from +2.94 on the test"
    " ends as better, from -2.94 down as not better."
)


def add_experiment_options(parser: argparse.ArgumentParser, kind: str) -> None:
    """Add the game, the number of blocks with its default, `--wait` and the options of the site."""
    needs = next(row["needs"] for row in declared()["experiments"] if row["name"] == kind)
    blocks = next(need for need in needs if need["name"] == "blocks")
    parser.add_argument("--game", metavar="GAME", default="", help="the game (default: its only one)")
    parser.add_argument(
        "--blocks",
        metavar="N",
        type=positive,
        default=blocks["default"],
        help=f"{lowered(blocks['meaning'])} (default: {blocks['default']})",
    )
    parser.add_argument(
        "--same-program",
        action="store_true",
        help="do not ask where both are the same program, which is mostly a slip",
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


def two_versions(site: SiteApi, first: str, second: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two versions of one of your bots.

    :raises SiteError: they are not two, or not of one bot.
    """
    if first.partition("@")[0] != second.partition("@")[0]:
        raise SiteError(
            f"{first} and {second} are not two versions of one bot; `challenge` plays any two bots"
        )
    version, against = version_named(site, first), version_named(site, second)
    if version["number"] == against["number"]:
        raise SiteError(
            f"{first} and {second} are both version {version['number']}; name two, as in karl@4 karl@3"
        )
    return version, against


def begin(
    site: SiteApi,
    kind: str,
    version: Mapping[str, Any],
    fields: Mapping[str, object],
    args: argparse.Namespace,
) -> dict[str, Any] | None:
    """Ask for an experiment, follow it if `--wait` says so, and print it; `None` where the site refuses.

    What is left of the day's blocks is shown before, and who asks for the same program twice is asked.
    """
    if not args.json:
        _show_allowance(site, kind, version, args.blocks)
    path = f"{version['path']}{kind}s/"
    try:
        experiment = _asked_for(site, path, {**fields, "same_program": args.same_program})
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return None
    if not args.json:
        blocks = experiment["blocks_planned"]
        print(f"{blocks} block{'' if blocks == 1 else 's'}: {site.address}{experiment['page']}", flush=True)
        if not args.wait:
            print(f"To follow it: stichkampf experiments {experiment['id']} --wait")
    return show(site, experiment, args) if args.wait or args.json else dict(experiment)


def show(site: SiteApi, experiment: Any, args: argparse.Namespace) -> dict[str, Any]:
    """Print an experiment, with `--wait` when it is over or the time is; return it as it is then."""
    if args.wait:
        experiment = _followed(site, experiment, args.minutes)
    if args.json:
        print_json(experiment)
    else:
        _tell(experiment)
    return dict(experiment)


def is_over(experiment: Mapping[str, Any]) -> bool:
    return experiment["state"] in ("finished", "cancelled")


def allowances(site: SiteApi, path: str) -> list[Any]:
    """Return how many blocks of each kind may still be asked for: of an account, or a version."""
    return site.objects(f"{path}quota/", "kind", "most", "left", "ends_at")


def _show_allowance(site: SiteApi, kind: str, version: Mapping[str, Any], blocks: int) -> None:
    for each in allowances(site, version["path"]):
        if each["kind"] == kind:
            until = f"{str(each['ends_at'])[:16].replace('T', ' ')} UTC"
            print(
                f"Asks for {blocks:,} of the {each['left']:,} blocks of a {kind} that are left until {until}."
            )


def _asked_for(site: SiteApi, path: str, fields: Mapping[str, object]) -> Any:
    try:
        return site.post(path, fields, "id", "page", "blocks_planned")
    except SiteRefused as error:
        if error.status != SAME_PROGRAM:
            raise
        if not sys.stdin.isatty():
            raise SiteRefused(f"{error} --same-program plays them all the same.", error.status) from None
        print(f"{error} Play them all the same? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise SiteRefused("nothing was begun", error.status) from None
        return site.post(path, {**fields, "same_program": True}, "id", "page", "blocks_planned")


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
    for one in standing["differences"]:
        own = f"{experiment['bot']} v{one.get('version', experiment['version'])}"
        other = f"{one['opponent']} v{one['opponent_version']}"
        blocks = f"{one['blocks']} block{'' if one['blocks'] == 1 else 's'}"
        elo, points = _between(one["elo"], 0), _between(one["points"], 2)
        llr = "" if one.get("llr") is None else f", LLR {one['llr']:+.2f}"
        print(f"{own} - {other}: {elo} Elo, {points} points a hand, {blocks}{llr}")
    if experiment["outcome"]:
        print(experiment["outcome"])
    if any(one.get("llr") is not None for one in standing["differences"]):
        print(MEANING)


def _between(value: Mapping[str, float | None], decimals: int) -> str:
    def written(number: float | None) -> str:
        return "?" if number is None else f"{number:+.{decimals}f}"

    return f"{written(value['estimate'])} ({written(value['low'])} to {written(value['high'])})"
