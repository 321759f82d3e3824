"""Initial passwords, as they stand on the slips: kept nowhere, made once more by the same form alone."""

from __future__ import annotations

import secrets

from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.utils.crypto import get_random_string, salted_hmac

from stichkampf_platform.people.network_addresses import keyed_digest
from stichkampf_platform.tournaments.entry.membership import CODE_GROUPS, CODE_LETTERS, GROUP_LETTERS

ITERATIONS = 10_000
"""Rounds of the hash of an initial password, which cannot be guessed; the first sign-in makes them all."""

KEY_CHARACTERS = 32


def new_key() -> str:
    """Return a key for a form; passwords follow from it, so a browser keeps it, and this site does not."""
    return secrets.token_urlsafe(24)


def slip_digest(school_class: object, key: str) -> str:
    """Return the digest by which a form that was sent twice is known again."""
    return keyed_digest(f"slip {school_class} {key}")


def initial_password(slip: str, key: str, number: int) -> str:
    """Return the password of one person of a form, some 59 bits, such as `k3mf-97pq-wtzh`."""
    value = int.from_bytes(
        salted_hmac("stichkampf.classes", f"{slip} {number} {key}", algorithm="sha256").digest()
    )
    letters = []
    for _ in range(CODE_GROUPS * GROUP_LETTERS):
        value, letter = divmod(value, len(CODE_LETTERS))
        letters.append(CODE_LETTERS[letter])
    groups = range(0, len(letters), GROUP_LETTERS)
    return "-".join("".join(letters[first : first + GROUP_LETTERS]) for first in groups)


def quick_hash(password: str) -> str:
    """Return a hash that takes a hundredth of the usual time, for a class of thirty in one request."""
    hasher = get_hasher()
    fewer = {"iterations": ITERATIONS} if isinstance(hasher, PBKDF2PasswordHasher) else {}
    return hasher.encode(password, get_random_string(22), **fewer)
