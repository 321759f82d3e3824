"""Fifty broken bots in Python, for what validation says of them at home and on the server.

`AT_HOME` are broken anywhere; `IN_A_SANDBOX` break only at its walls.
"""

from __future__ import annotations

from typing import Final

BOT: Final = """
import os, sys
from stichkampf import Bot, Note

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        {}
"""
_CHOICES: Final = (
    "return 'bid 64'",
    "return None",
    "return table.legal",
    "return 7",
    "return ''",
    "return table.legal[0].upper()",
    "return table.legal[0] + ' '",
    "return table.legal[0].encode()",
    "return 'bid 0\\n'",
    "return 'x' * 100_000",
    "return '\\ud800'",
    "return table.legal[0], 3, 4",
    "return (table.legal[0],)",
    "return {table.legal[0]}",
    "return Note('no action')",
    "return lambda: table.legal[0]",
    "yield table.legal[0]",
    "return table.facts['trumpp']",
    "return table.secrets['hands']",
    "return table.legal[99]",
    "return table.hands[1]",
    "return table.deal.no_such_method()",
    "return 1 / 0",
    "raise ValueError('a reason')",
    "raise ValueError('two\\nlines')",
    "raise KeyboardInterrupt",
    "raise SystemExit(0)",
    "raise MemoryError",
    "raise StopIteration",
    "assert False, 'not yet'",
    "return self.choose(table)",
    "return self.memory.pop()",
    "return max(table.legal, key=lambda word: word.cards)",
    "return table.rng.choice([])",
    "print('\\n'.join('abcdefgh'))\n        return table.facts['trumpp']",
    "print('no', file=sys.stderr)\n        return 'no'",
    "sys.exit(3)",
    "os._exit(3)",
    "os._exit(0)",
    "os.abort()",
    "os.kill(os.getpid(), 9)",
    "import no_such_module",
)
AT_HOME: Final = {
    **{choice.splitlines()[0][:40]: BOT.format(choice) for choice in _CHOICES},
    "does not load": BOT.format("return None") + "\n1 / 0\n",
    "a wrong indent": BOT.format("return None").replace("    games", "  games"),
    "no bot": "from stichkampf import Bot\n",
    "two bots": BOT.format("return None") + "\n\nclass Otto(Karl):\n    pass\n",
    "does not start": BOT.format("return None")
    + "\n    def __init__(self):\n        raise RuntimeError('no')\n",
}
IN_A_SANDBOX: Final = {
    "opens a file": BOT.format("return open('/etc/shadow').read()"),
    "calls the network": BOT.format(
        "import socket\n        return socket.create_connection(('127.0.0.1', 80), 1)"
    ),
    "takes memory": BOT.format("return len(bytearray(1024 ** 3))"),
}
