"""The label of a store: a file in it that says to which installation it belongs.

With it a machine finds out that it looks at another folder than the others, or that two installations, whose
files have the same names, were given one bucket.
"""

from __future__ import annotations

import secrets

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from stichkampf_platform.core.errors import StoreAway
from stichkampf_platform.storage.models import StoreLabel
from stichkampf_platform.storage.store_errors import as_os_errors

FILE = "installation.txt"


class WrongStore(StoreAway):
    """The store is not that of this installation."""


def check_label() -> None:
    """Check that the store is that of this installation, or empty while nothing has been put into it yet.

    :raises WrongStore: it has no label, or another one.
    :raises StoreAway: it cannot be asked.
    """
    ours = StoreLabel.objects.first()
    try:
        with as_os_errors(FILE), storages["store"].open(FILE) as file:
            there = file.read().decode(errors="replace").strip()
    except FileNotFoundError:
        if ours is None:
            return
        raise WrongStore(
            f"the store has no file {FILE}: it is empty, or not the one that other machines use"
        ) from None
    if ours is None or there != ours.text:
        raise WrongStore(
            f"the store belongs to another installation: its {FILE} says {there[:64]!r}; give each a folder"
            " of its own in STICHKAMPF_STORE"
        )


def put_label() -> None:
    """Label a store that has no label yet.

    :raises WrongStore: it belongs to another installation.
    :raises StoreAway: it cannot be asked.
    """
    ours = StoreLabel.objects.first() or StoreLabel.objects.create(text=secrets.token_hex(16))
    with as_os_errors(FILE):
        if not storages["store"].exists(FILE):
            storages["store"].save(FILE, ContentFile(ours.text.encode()))
    check_label()
