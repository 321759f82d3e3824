"""Where strangers' bots run: one process of its own uid for each, and nothing in reach.

The arbiter starts a `Launcher` before it imports gRPC and gives up root, and asks it for bots::

    launcher = await Launcher.start(SandboxSettings.from_environment())
    bot = await launcher.launch(BotSpec(digest, archive_path, socket_path))
    report = await bot.wait()
"""

from stichkampf_arbiter.sandbox.client import Launcher, SandboxedBot
from stichkampf_arbiter.sandbox.contract import (
    ARCHIVE,
    CLIENT_COMMAND,
    PYTHON,
    SOCKET,
    BotSpec,
    ExitKind,
    ExitReport,
    Level,
    SandboxError,
    SandboxRefused,
)
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.settings import SandboxSettings

__all__ = [
    "ARCHIVE",
    "CLIENT_COMMAND",
    "PYTHON",
    "SOCKET",
    "BotSpec",
    "ExitKind",
    "ExitReport",
    "Launcher",
    "Level",
    "Limits",
    "SandboxError",
    "SandboxRefused",
    "SandboxSettings",
    "SandboxedBot",
]
