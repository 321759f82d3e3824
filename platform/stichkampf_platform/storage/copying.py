"""Copying the outbox into the store, and deleting there what was deleted here.

Any number of workers may do it at once, and be killed at any point: a file is put under the same name with
the same content however often. Its row stays for `KEPT`, and goes only when the store has it in full. So a
program of the version before, which knows rows alone, reads everything while it is being replaced.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic
from typing import Any

from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.db.models import Q
from django.db.models.functions import Length

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import StoreAway
from stichkampf_platform.core.machines import failures
from stichkampf_platform.core.machines.failures import by_itself
from stichkampf_platform.storage.models import StoredFile
from stichkampf_platform.storage.store_errors import as_os_errors
from stichkampf_platform.storage.store_label import put_label

KEPT = timedelta(hours=1)
AT_ONCE = 16
RUN_SECONDS = 10.0
PAUSE_SECONDS = 15
"""Time after a failure in which the store is left alone."""
TROUBLE = "store-trouble"
COPY = "copy into the store"

logger = logging.getLogger(__name__)


def copy_files(*, seconds: float = RUN_SECONDS, kept: timedelta = KEPT) -> int:
    """Bring the store up to date with the outbox, as far as that goes in this time; return how many files.

    A store that is away is left alone for a while, and everything stays where it is.
    """
    if cache.get(TROUBLE):
        return 0
    until, copied = monotonic() + seconds, 0
    try:
        put_label()
        with _each() as each:
            for files in iter(_waiting, []):  # one batch at least, however long the store took to answer
                _settle(files, each)
                copied += len(files)
                if monotonic() >= until:
                    break
            while monotonic() < until and (files := _old(kept)):
                _remove(files, each)
    except StoreAway as error:
        cache.set(TROUBLE, str(error), PAUSE_SECONDS)
        logger.error("files wait in the database: %s", error)
    return copied


@contextmanager
def _each() -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a function like `map`: it handles many files at once where the store is far away."""
    if isinstance(storages["store"], FileSystemStorage):  # threads would only cost time
        yield map
        return
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield pool.map


def _waiting() -> list[StoredFile]:
    due = StoredFile.objects.filter(Q(copied_at=None) | Q(deleted=True))
    return list(due.exclude(pk__in=failures.waiting(COPY)).order_by("pk")[:AT_ONCE])


def _settle(files: Sequence[StoredFile], each: Callable[..., Iterable[Any]]) -> None:
    """Copy or delete these files, and note it of those that did not change meanwhile.

    A file that the store does not take, whatever for, waits for its next try.

    :raises StoreAway: the store takes none of them.
    """
    outcomes = list(each(_put, files))
    if all(isinstance(error, StoreAway) for error in outcomes):
        raise StoreAway(str(outcomes[0]))
    for file, error in zip(files, outcomes, strict=True):
        with by_itself(COPY, file):
            if error is not None:
                raise error
    files = [file for file, error in zip(files, outcomes, strict=True) if error is None]
    put = [file.pk for file in files if not file.deleted]
    StoredFile.objects.filter(pk__in=put, deleted=False).update(copied_at=clock.now())
    StoredFile.objects.filter(pk__in=[file.pk for file in files if file.deleted], deleted=True).delete()
    there = set(StoredFile.objects.filter(pk__in=put).values_list("pk", flat=True))
    for file in files:
        if file.pk in set(put) - there:  # deleted here and there before it was put
            with as_os_errors(file.name):
                storages["store"].delete(file.name)


def _put(file: StoredFile) -> Exception | None:
    """Bring a file into the store, or out of it; return why not. No query, as this is a thread of its own."""
    try:
        with as_os_errors(file.name):
            if file.deleted:
                storages["store"].delete(file.name)
            else:
                storages["store"].save(file.name, ContentFile(bytes(file.content)))
    except Exception as error:
        logger.error("%s cannot be copied", file.name, exc_info=error)
        return error
    return None


def _old(kept: timedelta) -> list[StoredFile]:
    old = StoredFile.objects.filter(copied_at__lt=clock.now() - kept, deleted=False)
    return list(old.defer("content").annotate(bytes=Length("content")).order_by("copied_at")[: 4 * AT_ONCE])


def _remove(files: Sequence[StoredFile], each: Callable[..., Iterable[Any]]) -> None:
    """Remove rows of which the store has the whole file; copy the others once more."""
    whole = list(each(_is_whole, files))
    removed = [file.pk for file, there in zip(files, whole, strict=True) if there]
    StoredFile.objects.filter(pk__in=removed, deleted=False).delete()
    for file in (file for file, there in zip(files, whole, strict=True) if not there):
        logger.error("the store has lost %s, which is copied again", file.name)
        StoredFile.objects.filter(pk=file.pk).update(copied_at=None)


def _is_whole(file: StoredFile) -> bool:
    try:
        with as_os_errors(file.name):
            return storages["store"].size(file.name) == file.bytes  # type: ignore[attr-defined]
    except FileNotFoundError:
        return False
