"""A Django storage whose files wait in the database until they are copied into the store.

A file lands in the transaction of the rows that name it, so that results never depend on the store.
`storage.copying` copies it afterwards, and `STORAGES["store"]` in the settings says where to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.utils.deconstruct import deconstructible

from stichkampf_platform.storage.store_errors import as_os_errors

READERS = 8
"""Files that are read from the store at once: one that is far away answers each after some milliseconds."""


@deconstructible
class OutboxStorage(Storage):
    """Files that are read from the outbox while they are there, and else from the store.

    Names are given once: a caller puts into them what makes them unlike all others.
    """

    def read_many(self, names: Sequence[str]) -> Iterator[bytes | OSError]:
        """Yield the contents of files, in this order; in the place of one that cannot be read the reason."""
        waiting = {row.name: row for row in self._rows().filter(name__in=names)}
        read = _many_from_store([name for name in names if name not in waiting])
        for name in names:
            try:
                content = waiting[name].there() if name in waiting else read[name]
            except OSError as error:
                content = error
            yield content

    def save_many(self, files: Sequence[tuple[str, bytes]]) -> list[str]:
        """Save files of these names and contents; return their names, which differ where one was taken."""
        rows = self._rows()
        taken = set(rows.filter(name__in=[name for name, _ in files]).values_list("name", flat=True))
        names = [self.get_available_name(name) if name in taken else name for name, _ in files]
        rows.bulk_create(
            rows.model(name=name, content=content) for name, (_, content) in zip(names, files, strict=True)
        )
        return names

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        row = self._rows().filter(name=name).first()
        return ContentFile(_from_store(name) if row is None else row.there(), name=name)

    def _save(self, name: str, content: File[bytes]) -> str:
        content.seek(0)
        self._rows().create(name=name, content=content.read())
        return name

    def delete(self, name: str) -> None:
        """Delete a file: at once for all readers, and from the store as soon as that answers."""
        self._rows().update_or_create(name=name, defaults={"content": b"", "deleted": True})

    def exists(self, name: str) -> bool:
        row = self._rows().filter(name=name).first()
        if row is not None:
            return not row.deleted
        with as_os_errors(name):
            return storages["store"].exists(name)

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        """Return a name that no file in the outbox has; the store is not asked, as it may be away."""
        free = not self._rows().filter(name=name).exists()
        return name if free else super().get_available_name(name, max_length)

    def size(self, name: str) -> int:
        return self.open(name).size

    @staticmethod
    def _rows():  # type: ignore[no-untyped-def]
        # here, because storages are made before the models are loaded
        from stichkampf_platform.storage.models import StoredFile

        return StoredFile.objects


def _from_store(name: str) -> bytes:
    with as_os_errors(name), storages["store"].open(name) as file:
        return file.read()


def _many_from_store(names: Sequence[str]) -> dict[str, bytes | OSError]:
    """Return the contents of files by name; no query, because some of this happens in other threads."""
    if isinstance(storages["store"], FileSystemStorage):  # threads would only cost time
        return {name: _content_or_error(name) for name in names}
    with ThreadPoolExecutor(READERS) as readers:
        return dict(zip(names, readers.map(_content_or_error, names), strict=True))


def _content_or_error(name: str) -> bytes | OSError:
    try:
        return _from_store(name)
    except OSError as error:
        return error
