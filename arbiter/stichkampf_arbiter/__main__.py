"""The arbiter's process: `python -m stichkampf_arbiter`.

The order matters. The launcher starts first, because only it keeps root. Then root is given up. Only then
gRPC is loaded, whose threads would survive neither.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pythonjsonlogger.json import JsonFormatter
from stichkampf.errors import StichkampfError

from stichkampf_arbiter.connection.lateness import StampedSelector, collect_rarely, new_loop
from stichkampf_arbiter.sandbox.client import Launcher
from stichkampf_arbiter.sandbox.privileges.drop import give_up_root
from stichkampf_arbiter.sandbox.settings import SandboxSettings
from stichkampf_arbiter.settings import Settings, SettingsError, read_settings


def main() -> int:
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    loop, selector = new_loop()
    asyncio.set_event_loop(loop)
    try:
        settings = read_settings()
        _log(settings)
        return loop.run_until_complete(_run(settings, selector))
    except StichkampfError as error:
        print(f"the arbiter cannot start: {error}", file=sys.stderr)
        return 1
    finally:
        loop.close()


def _log(settings: Settings) -> None:
    """Log to standard error: lines for people, or one JSON object a line."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonFormatter(
            ["levelname", "name", "process", "message"],
            rename_fields={"levelname": "level", "name": "logger"},
            timestamp="at",
        )
        if settings.json_logs
        else logging.Formatter("%(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])


async def _run(settings: Settings, selector: StampedSelector) -> int:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if settings.ends_with_input:
        _stop_with_input(stop)
    owner = _ordinary_owner(settings)
    launcher = await Launcher.start(replace(SandboxSettings.from_environment(), owner_uid=owner))
    try:
        if os.getuid() == 0:
            give_up_root(uid=owner, view=settings.folders)
        with _lock(settings):
            # Loads gRPC, whose threads would survive neither the start of the launcher nor giving up root.
            from stichkampf_arbiter.server import ArbiterServer

            collect_rarely()
            was_asked_to_stop = await ArbiterServer(settings, launcher, selector).run(stop)
    finally:
        await launcher.close()
    return 0 if was_asked_to_stop else 1


def _stop_with_input(stop: asyncio.Event) -> None:
    """Set `stop` when standard input ends, or anything comes from it."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        loop.remove_reader(sys.stdin.fileno())
        stop.set()

    loop.add_reader(sys.stdin.fileno(), read)


def _ordinary_owner(settings: Settings) -> int:
    """Return the uid for the arbiter: its own, or, if started as root, that of the owner of its state.

    :raises SettingsError: the owner is root.
    """
    uid = os.getuid()
    if uid != 0:
        return uid
    for folder in settings.folders:
        if not folder.is_dir():
            raise SettingsError(f"there is no folder {folder}; make it, and give it to an ordinary user")
        uid = folder.stat().st_uid
        if uid == 0:
            raise SettingsError(
                f"the arbiter does not run as root: give {folder} to an ordinary user with chown"
            )
    return uid


@contextmanager
def _lock(settings: Settings) -> Iterator[None]:
    """Hold the lock of the control socket: a second server on the same path would silently steal it.

    :raises SettingsError: another arbiter holds it.
    """
    if settings.socket is None:
        yield
        return
    with open(f"{settings.socket}.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SettingsError(f"another arbiter listens on {settings.socket}; stop it first") from None
        settings.socket.unlink(missing_ok=True)
        yield


if __name__ == "__main__":
    sys.exit(main())
