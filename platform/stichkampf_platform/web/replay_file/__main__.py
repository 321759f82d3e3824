"""Write a replay file; the command above has found the record and checked it."""

from __future__ import annotations

import argparse
from pathlib import Path

from stichkampf.match.records import parse

from stichkampf_platform.web.replay_file import document

parser = argparse.ArgumentParser(prog="python -m stichkampf_platform.web.replay_file")
parser.add_argument("record", type=Path, help="a verified record")
parser.add_argument("file", type=Path, help="the HTML file to write")
parser.add_argument("--lang", choices=[code for code, _ in document.LANGUAGES], default="en")
parser.add_argument("--view", type=int, action="append", default=[0], help="a seat's view too, from 1")
given = parser.parse_args()
document.configure()
record = parse(given.record.read_text("utf-8"))
# A line for each decision drawn: the command above shows how far it is.
html = document.document(record, given.lang, given.view, lambda: print(flush=True))
given.file.write_text(html, "utf-8")
