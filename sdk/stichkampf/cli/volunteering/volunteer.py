"""`stichkampf volunteer`: play a site's blocks of house bots on this machine."""

from __future__ import annotations

import argparse
import signal
import time
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from stichkampf import __version__
from stichkampf.cli.configuration import (
    API_TOKEN_VARIABLE,
    ConfigurationError,
    api_token,
    checked_token,
    site_address,
)
from stichkampf.cli.parser import add_command, positive
from stichkampf.cli.server.site import AwayError, RefusalError, SiteApi, SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stichkampf.local_play.house_block import HouseBlock

DESCRIPTION = """\
Lend a site this machine, as a light node: it asks the site for a block of house bots, plays it here, and
sends the records back. Only this machine opens connections, over HTTPS, and only house bots run on it,
which came with this program. The site plays every match again before it counts.
"""
EPILOG = f"""\
Make the token on the site's page /account/tokens/, where the site wants volunteers. It comes from the file,
from {API_TOKEN_VARIABLE}, or from `stichkampf login`; on a command line everybody on this machine could
read it. Ctrl-C gives the present block back and ends the command.

examples:
  stichkampf volunteer https://play.example.org --token-file token
  nice stichkampf volunteer https://play.example.org --token-file token --blocks 10

exit status: 0 ended by Ctrl-C, or after --blocks; 1 refused by the site; 2 an address or token that cannot be
used, or blocks that this version cannot play
"""
BLOCKS: Final = "v1/volunteer/blocks/"
CONFLICT: Final = 409
TOO_MANY: Final = 429
SHORTEST_PAUSE: Final = 2.0
LONGEST_PAUSE: Final = 60.0


def register(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "volunteer",
        "lend a site this machine for blocks of house bots",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        nargs="?",
        default="",
        help="of the site (default: that of the settings)",
    )
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="a file that holds the token")
    parser.add_argument(
        "--blocks", metavar="N", type=positive, help="end after this number of blocks (default: go on)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    address = site_address(args.address)
    token = _token_in(args.token_file) if args.token_file else api_token(address)
    # a shell without job control starts what it puts into the background with SIGINT ignored
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # a service manager ends programs in this way; it means the same
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    volunteer = Volunteer(SiteApi(address, token))
    try:
        volunteer.play(args.blocks)
    except KeyboardInterrupt:
        pass
    except RefusalError as error:
        say(f"refused: {error}")
        return 1
    finally:
        say(f"stopped; {volunteer.sent} blocks sent")
    return 0


def _token_in(file: Path) -> str:
    try:
        return checked_token(file.read_text("ascii", "replace"), str(file))
    except OSError as error:
        raise ConfigurationError(f"cannot read the token in {file}: {error.strerror}") from None


class Volunteer:
    """A machine that plays blocks of a site.

    :ivar sent: the number of blocks that the site has taken in.
    """

    def __init__(self, site: SiteApi) -> None:
        self._site = site
        self._pause = SHORTEST_PAUSE
        self.sent = 0

    def play(self, most: int | None) -> None:
        """Play blocks until this many are sent; None: until it is interrupted.

        :raises SiteError: the site refuses, or is of another version.
        """
        while most is None or self.sent < most:
            try:
                self._play_next()
            except (AwayError, RefusalError) as error:
                if isinstance(error, RefusalError) and error.status not in (CONFLICT, TOO_MANY):
                    raise
                say(str(error))
                self._wait()

    def _play_next(self) -> None:
        # loaded by this command alone, with all house bots
        from stichkampf.local_play.house_block import HouseBlock

        told = self._site.post(BLOCKS, {"version": __version__}, "lease", "lease_seconds", "block")
        if told["lease"] is None:
            self._wait()
            return
        self._pause = SHORTEST_PAUSE
        lease = f"v1/volunteer/leases/{told['lease']}/"
        done = False
        try:
            block = HouseBlock.from_json(told["block"])
            say(f"{block.game}: a block of {len(block.tables)} matches")
            with self._kept(lease, float(told["lease_seconds"]) / 3) as lost:
                records = _records(block, lost)
            self._site.post_unanswered(f"{lease}answer/", {"records": records})
            done = True
        finally:
            if not done:
                self._give_back(lease)
        self.sent += 1
        say(f"{block.game}: {len(records)} matches played and sent")

    @contextmanager
    def _kept(self, lease: str, seconds: float) -> Iterator[Event]:
        """Renew a lease as long as the block is played; the event is set once it is lost."""
        over, lost = Event(), Event()

        def renew() -> None:
            while not over.wait(seconds):
                try:
                    self._site.put(lease)
                except AwayError:
                    continue  # the answer tells whether it was for too long
                except SiteError:
                    lost.set()
                    return

        thread = Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield lost
        finally:
            over.set()

    def _give_back(self, lease: str) -> None:
        """Give a block back; without it the site waits for the end of its lease."""
        try:
            self._site.delete(lease)
        except SiteError:
            return

    def _wait(self) -> None:
        time.sleep(self._pause)
        self._pause = min(1.5 * self._pause, LONGEST_PAUSE)


def _records(block: HouseBlock, lost: Event) -> list[dict[str, object]]:
    """Play a block, and return its records as the site takes them.

    :raises RefusalError: its lease was lost meanwhile.
    """
    records: list[dict[str, object]] = []
    for table in block.tables:
        if lost.is_set():
            raise RefusalError("the block is another's by now; this machine was too slow, or away", CONFLICT)
        records.append({"table": table, "record": block.play(table)})
    return records


def say(line: str) -> None:
    print(f"{datetime.now().astimezone():%H:%M:%S} {line}", flush=True)
