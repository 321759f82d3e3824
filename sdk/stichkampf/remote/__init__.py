"""A bot on its author's machine: it dials the arbiter, plays many tables on one stream, and comes back
whenever the line is lost.

`stichkampf connect` runs a `RemoteBot`. Bots decide one after the other on one thread of their own, so that
the arbiter's pings are answered while they think: what the arbiter measures is the line, not the bot.
"""

from __future__ import annotations

from stichkampf.remote.bot import RefusedError, RemoteBot
from stichkampf.remote.server import Server, ServerError

__all__ = ["RefusedError", "RemoteBot", "Server", "ServerError"]
