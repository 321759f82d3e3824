"""Secret tokens, of which only a digest and the first characters are stored."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

HINT_CHARACTERS = 4
"""Characters of the random part by which its owner recognises a token."""


@dataclass(frozen=True)
class Token:
    """A new token: shown once, then known by its digest.

    :ivar hint: the first characters of the text.
    """

    text: str
    digest: str
    hint: str


def make_token(prefix: str) -> Token:
    """Make a random token that begins with this prefix.

    >>> make_token("sk_").hint.startswith("sk_")
    True
    """
    text = f"{prefix}{secrets.token_urlsafe(32)}"
    return Token(text, token_digest(text), text[: len(prefix) + HINT_CHARACTERS])


def token_digest(text: str) -> str:
    """Return the digest under which a token is stored: SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
