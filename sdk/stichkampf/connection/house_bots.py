"""The process of the house bots: all of them on one stream, over the same wire as any other bot.

    python -m stichkampf.house --socket arbiter.sock

Every table gets a new bot, so nothing is kept between tables.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from stichkampf.bots.registry import named_bot
from stichkampf.connection.grpc_client import run
from stichkampf.errors import StichkampfError

CONNECT_SECONDS = 60.0
"""The longest search for the arbiter that started this process, which may have been killed since."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m stichkampf.house", description="Run the house bots.")
    parser.add_argument("--socket", type=Path, required=True, help="the Unix socket of the arbiter")
    given = parser.parse_args(arguments)
    try:
        return run(f"unix:{given.socket}", lambda name: named_bot(name)(), connect_seconds=CONNECT_SECONDS)
    except StichkampfError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
