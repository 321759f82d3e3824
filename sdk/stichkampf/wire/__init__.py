"""The wire: committed code, generated from `proto/` by `proto/generate.py`, and what works with it."""

from typing import Final

WIRE_VERSION: Final = 1
"""The version of the messages between bots and the arbiter."""
