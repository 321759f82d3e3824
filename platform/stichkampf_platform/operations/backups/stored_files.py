"""Files outside the database; those that wait in its outbox are in its dump."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.core.files.storage import Storage, storages

from stichkampf_platform.storage.outbox import OutboxStorage

NOT_KEPT = {"staticfiles"}


def outside_stores() -> dict[str, Storage]:
    """Return the stores whose files are not in the database, by their names in the settings."""
    named = {alias: storages[alias] for alias in settings.STORAGES if alias not in NOT_KEPT}
    return {alias: store for alias, store in named.items() if not isinstance(store, OutboxStorage)}


def names_in(store: Storage, folder: str = "") -> Iterator[str]:
    """Yield the names of all files of a store."""
    try:
        folders, files = store.listdir(folder)
    except FileNotFoundError:  # a folder that is made with its first file
        return
    for name in files:
        yield f"{folder}/{name}" if folder else name
    for name in folders:
        yield from names_in(store, f"{folder}/{name}" if folder else name)
