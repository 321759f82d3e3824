"""An honest bot that plays its last legal card, and its archive."""

from support import archive

KARL = """
from stichkampf import Bot

class Karl(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        return table.legal[-1]
"""
MANIFEST = 'name = "Karl"\ngames = ["stiche-raten"]\n'


def archive_of(text: str = KARL) -> bytes:
    return archive({"bot.py": text, "stichkampf.toml": MANIFEST})
