"""`stichkampf view`: the site's replay of a record, as one file in the browser, without a server."""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import tempfile
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.project.record_sources import read_record
from stichkampf.cli.terminal import ProgressBar
from stichkampf.cli.whole_files import whole_file
from stichkampf.drawing import REPLAY_NEEDS, replay_program
from stichkampf.errors import RecordError, StichkampfError, installing
from stichkampf.match.records import deciding_seats

MISSING: Final = (
    f"view draws with the site's templates, and Django is not here: {installing('view')};"
    " `stichkampf watch` shows a match in the terminal"
)

DESCRIPTION = """\
Make one HTML file of a recorded match, the same replay as on the site, and open it in the browser. The file
holds everything: it needs no server and no network, and can be sent to somebody.
"""
EPILOG = """\
RECORD is a file of records, with :N for its line N; or the address of a replay on a site, of a block that is
over. Arrow keys step, `?` lists the keys. Each point of view takes some seconds to draw.

examples:
  stichkampf play sticheln karl glimpse bold random --records r.jsonl && stichkampf view r.jsonl
  stichkampf view r.jsonl:3 --seat 1                     # all hands, and as seat 1 saw it
  stichkampf view http://127.0.0.1:8000/r/499/ --output match.html --no-browser
"""


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "view",
        "show a recorded match in the browser, from one file",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument("record", metavar="RECORD", help="a file of records, or the address of a replay")
    parser.add_argument(
        "--seat",
        metavar="N",
        type=positive,
        action="append",
        default=[],
        help="the view of this seat too, beside all hands; may be repeated",
    )
    parser.add_argument("--lang", choices=["en", "de"], default="en", help="the language (default: en)")
    parser.add_argument("--output", metavar="FILE", type=Path, help="the file (default: a temporary one)")
    parser.add_argument("--no-browser", action="store_true", help="write the file, and only say where")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if not all(map(find_spec, REPLAY_NEEDS)):
        raise StichkampfError(MISSING)
    record = read_record(args.record)
    seats = len(record["seats"])
    for seat in args.seat:
        if seat > seats:
            raise RecordError(f"the match has seats 1 to {seats}, not {seat}")
    with tempfile.TemporaryDirectory(prefix="stichkampf-") as folder:
        source, drawn = Path(folder, "record.json"), Path(folder, "replay.html")
        source.write_text(json.dumps(record), "utf-8")
        words = ["--lang", args.lang]
        for seat in sorted(set(args.seat)):
            words += ["--view", str(seat)]
        _draw(
            replay_program(source, drawn, *words),
            (1 + len(set(args.seat))) * (1 + len(deciding_seats(record))),
        )
        file = _write(args.output, drawn.read_bytes())
    print(file)
    if not args.no_browser and not webbrowser.open(file.absolute().as_uri()):
        print("There is no browser here; open the file in one.", file=sys.stderr)
    return 0


def _draw(command: list[str], scenes: int) -> None:
    """Have the file drawn, and show how far it is."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with ProgressBar(scenes, "decisions") as progress:
            for _ in process.stdout:
                progress.step()
        said = process.stderr.read().strip().splitlines()
    if process.returncode:
        raise StichkampfError(f"the replay could not be drawn: {said[-1] if said else process.returncode}")


def _write(output: Path | None, content: bytes) -> Path:
    """Write the file whole or not at all."""
    if output is None:
        output = Path(tempfile.gettempdir(), f"stichkampf-{secrets.token_hex(8)}.html")
    with whole_file(output) as stream:
        stream.write(content)
    return output
