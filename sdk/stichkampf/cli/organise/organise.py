"""`stichkampf organise`: make and run tournaments of one's own on a server."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.entry.enter import slug_of
from stichkampf.cli.organise.actions import (
    ActionRow,
    add_needs,
    add_setting,
    call_of,
    declared,
    settings_in_words,
)
from stichkampf.cli.organise.settings import read_settings
from stichkampf.cli.organise.shown import SHOWN, print_list, print_rulings, print_tournament
from stichkampf.cli.parser import CommandParser, add_command, positive
from stichkampf.cli.server.files import add_file_options, fetch
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi, asked

DESK: Final = "organiser/tournaments/"
MOST: Final = 1000

DESCRIPTION = """\
Make and run your own tournaments on a server. It takes the permission to organise, and a token that is for
that: make it on the page API tokens of the site, and `stichkampf login` with it.
"""
EPILOG = f"""\
examples:
  stichkampf organise create cup.toml
  stichkampf organise create --set name="Friday cup" --set game=sticheln --set seats=4 --set blocks_planned=8
  stichkampf organise open friday-cup --until 2026-12-04T17:00Z --places 24
  stichkampf organise start friday-cup
  stichkampf organise status friday-cup
  stichkampf organise final friday-cup --best 8
  stichkampf organise export friday-cup results.csv -o results.csv

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers, "organise", "make and run tournaments of your own", description=DESCRIPTION, epilog=EPILOG
    )
    parser.set_defaults(run=lambda _args: parser.without_action())
    actions = parser.add_subparsers(metavar="ACTION", prog="stichkampf organise")
    rows = declared()
    create = _add(actions, "create", "make a draft", _create, tournament=False)
    create.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="settings as TOML or JSON; - for standard input"
    )
    _add_settings(create, rows["settings"])
    change = _add(actions, "change", "change settings of a draft", _change)
    _add_settings(change, rows["settings"])
    opened = _add(actions, "open", "let authors enter bots", _open)
    opened.add_argument(
        "--members", action="store_true", help="only invited authors, and those with the code"
    )
    for row in rows["settings"]:
        if "option" in row:
            add_setting(opened, row)
    for row in rows["actions"]:
        add_needs(_add(actions, row["name"], row["meaning"], partial(_act, row)), row)
    protest = _add(actions, "protest", "protest against a match or a round that your bot played", _protest)
    protest.add_argument("text", metavar="TEXT", help="everybody reads it on the site")
    against = protest.add_mutually_exclusive_group(required=True)
    against.add_argument("--match", metavar="N", type=positive, help="its number, as in its address")
    against.add_argument("--round", metavar="N", type=positive, help="its number, from 1 as on pages")
    _add(actions, "rulings", "show the rulings and protests", _rulings)
    _add(actions, "delete", "delete a draft", _delete)
    status = _add(actions, "status", "show your tournaments, or all about one", _status, tournament=False)
    status.add_argument("tournament", metavar="TOURNAMENT", nargs="?", help="the word in its address")
    export = _add(actions, "export", "fetch a file of it", _export)
    add_file_options(export, [row for row in rows["files"] if row["on"] == "tournament"])


def _add(
    actions: Any,
    name: str,
    summary: str,
    run: Callable[[SiteApi, argparse.Namespace], int],
    *,
    tournament: bool = True,
) -> CommandParser:
    parser = add_command(actions, name, summary, description=f"{summary.capitalize()}.", epilog=EXIT_STATUS)
    if tournament:
        parser.add_argument("tournament", metavar="TOURNAMENT", help="the word in the address of its page")
    add_site_options(parser)
    parser.set_defaults(run=partial(asked, run))
    return parser


def _add_settings(parser: CommandParser, rows: Sequence[ActionRow]) -> None:
    parser.epilog = f"{settings_in_words(rows)}\n\n{EXIT_STATUS}"
    parser.add_argument(
        "--set",
        metavar="FIELD=VALUE",
        dest="words",
        action="append",
        default=[],
        help="a setting, as below; may be given many times",
    )


def _path(args: argparse.Namespace, rest: str = "") -> str:
    return f"{DESK}{slug_of(args.tournament)}/{rest}"


def _shown(answer: Any, args: argparse.Namespace) -> int:
    if args.json:
        print_json(answer)
    else:
        print_tournament(answer)
    return 0


def _create(site: SiteApi, args: argparse.Namespace) -> int:
    return _shown(site.post(DESK, read_settings(args.file, args.words), *SHOWN), args)


def _change(site: SiteApi, args: argparse.Namespace) -> int:
    return _shown(site.patch(_path(args), read_settings(None, args.words), *SHOWN), args)


def _open(site: SiteApi, args: argparse.Namespace) -> int:
    given = {row["name"]: getattr(args, row["name"]) for row in declared()["settings"] if "option" in row}
    wanted: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    wanted["entry"] = "members" if args.members else "anybody"
    return _shown(site.patch(_path(args), wanted, *SHOWN), args)


def _act(row: ActionRow, site: SiteApi, args: argparse.Namespace) -> int:
    rest, fields = call_of(row, args)
    if row["on"] != "protest":
        return _shown(site.post(_path(args, rest), fields, *SHOWN), args)
    return _listed([site.post(_path(args, rest), fields, "id", "answer")], args)


def _protest(site: SiteApi, args: argparse.Namespace) -> int:
    fields: dict[str, object] = {"text": args.text}
    fields |= {"round": args.round - 1} if args.match is None else {"table": args.match}
    made = site.post(f"tournaments/{slug_of(args.tournament)}/protests/", fields, "id", "reason")
    if args.json:
        print_json(made)
    else:
        print(f"protest {made['id']} stands on the list; the organiser answers it there")
    return 0


def _rulings(site: SiteApi, args: argparse.Namespace) -> int:
    return _listed(site.get(f"tournaments/{slug_of(args.tournament)}/rulings/"), args)


def _listed(rows: Sequence[Any], args: argparse.Namespace) -> int:
    if args.json:
        print_json(rows)
    else:
        print_rulings(rows)
    return 0


def _delete(site: SiteApi, args: argparse.Namespace) -> int:
    site.delete(_path(args))
    if args.json:
        print_json({"tournament": args.tournament})
    else:
        print(f"{args.tournament} is deleted")
    return 0


def _status(site: SiteApi, args: argparse.Namespace) -> int:
    if args.tournament:
        return _shown(site.get(_path(args), *SHOWN), args)
    rows = list(site.rows(DESK, MOST, "slug", "state", "game", "format"))
    if args.json:
        print_json(rows)
    else:
        print_list(rows)
    return 0


def _export(site: SiteApi, args: argparse.Namespace) -> int:
    return fetch(site, _path(args, f"export/{args.name}"), args, tournament=args.tournament)
