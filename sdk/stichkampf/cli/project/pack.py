"""`stichkampf pack`: make the archive of a bot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from stichkampf.cli.parser import add_command
from stichkampf.cli.whole_files import whole_file
from stichkampf.plain_text import plain_line

DESCRIPTION = """\
Make the archive of a bot for the site: of a folder with its files, or of one Python file, which becomes
bot.py. Tests are left out: what pytest takes for tests, folders named tests, and what `debug --test` wrote.
The archive is checked as the site checks it. Equal files make equal archives.
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "pack",
        "make the archive of a bot",
        description=DESCRIPTION,
    )
    parser.add_argument("bot", metavar="BOT", type=Path, help="a folder or a Python file")
    parser.add_argument("archive", metavar="ARCHIVE", type=Path, help="the zip file to write")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    # zipfile and tarfile are loaded by this command alone
    from stichkampf.packaging.archive import check_archive, pack, tests_in

    content = pack(args.bot)
    with whole_file(args.archive) as file:
        file.write(content)
    archive = check_archive(content)
    files = f"{len(archive.files)} file{'s' * (len(archive.files) != 1)}"
    print(f"{args.archive}: {files}, {archive.archive_bytes:,} bytes, SHA-256 {archive.sha256}")
    if args.bot.is_dir() and (tests := tests_in(args.bot)):
        print(f"left out, as tests: {plain_line(', '.join(tests))}")
    return 0
