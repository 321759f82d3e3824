"""`stichkampf act`: do what can be done with a bot, a version, an experiment or a class of one's own."""

from __future__ import annotations

import argparse
from functools import partial
from string import Formatter
from typing import Any, Final

from stichkampf.cli.organise.actions import ActionRow, add_needs, declared, needs_of
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.files import add_file_options, fetch
from stichkampf.cli.server.listing import EXIT_STATUS, add_site_options, print_json
from stichkampf.cli.server.site import SiteApi, SiteError, asked

ADDRESSES: Final = {
    "bot": "{bot}",
    "version": "{bot}versions/{version}/",
    "experiment": "experiments/{experiment}/",
    "class": "classes/{class}/",
    "person": "classes/{class}/people/{person}/",
}
"""Addresses of what an action is on, in the API; the fields are the words of the command."""
EPILOG = f"""\
examples:
  stichkampf act challenges karl --no-accepted
  stichkampf act rank karl 3
  stichkampf act end 12
  stichkampf act export class 12 progress.csv -o grades.csv

{EXIT_STATUS}"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "act",
        "change what is yours: bots, versions, experiments and classes",
        description="Do something with a bot, a version, an experiment or a class of your own, as the buttons"
        " of its page do. Numbers are those in the addresses of pages.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=lambda _args: parser.without_action())
    actions = parser.add_subparsers(metavar="ACTION", prog="stichkampf act")
    for row in declared()["others"]:
        added = add_command(
            actions,
            row["name"],
            row["meaning"],
            description=f"{row['meaning'].capitalize()}.",
            epilog=EXIT_STATUS,
        )
        for word in _words(row):
            if word == "bot":
                added.add_argument("bot", metavar="BOT", help="BOT for your own, or AUTHOR/BOT")
            else:
                added.add_argument(word, metavar=word.upper(), type=positive, help="its number")
        add_needs(added, row)
        add_site_options(added)
        added.set_defaults(run=partial(asked, partial(_act, row)))
    files = {(row["on"], row["name"]): row for row in declared()["files"] if row["on"] in ADDRESSES}
    export = add_command(
        actions, "export", "fetch a file of it", description="Fetch a file of it.", epilog=EXIT_STATUS
    )
    export.add_argument("on", metavar="WHAT", choices=sorted({on for on, _name in files}), help="%(choices)s")
    export.add_argument("number", metavar="NUMBER", type=positive, help="its number")
    add_file_options(export, list(files.values()))
    add_site_options(export)
    export.set_defaults(run=partial(asked, partial(_export, files)))


def _export(files: dict[tuple[str, str], ActionRow], site: SiteApi, args: argparse.Namespace) -> int:
    row = files.get((args.on, args.name))
    if row is None:
        names = ", ".join(name for on, name in files if on == args.on)
        raise SiteError(f"{args.name!r} is no file of this kind; there are {names}")
    on = ADDRESSES[args.on].format_map({args.on: args.number})
    return fetch(site, on + row["address"], args, **{args.on: args.number})


def _words(row: ActionRow) -> list[str]:
    return [word for _text, word, _format, _kind in Formatter().parse(ADDRESSES[row["on"]]) if word]


def _act(row: ActionRow, site: SiteApi, args: argparse.Namespace) -> int:
    given = vars(args)
    on = {word: site.bot(args.bot) if word == "bot" else given[word] for word in _words(row)}
    answer = site.post(f"{ADDRESSES[row['on']].format_map(on)}{row['name']}/", needs_of(row, args))
    if args.json or row.get("adds"):
        print_json(answer)
    else:
        print(f"{row['name']}: done")
    return 0
