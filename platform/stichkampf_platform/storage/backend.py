"""A Django storage that keeps files in the database, so that machines share nothing but the database."""

from __future__ import annotations

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.utils.deconstruct import deconstructible


@deconstructible
class DatabaseStorage(Storage):
    """Files as rows. `STORAGES` in the settings can name an object store instead."""

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        return ContentFile(bytes(self._row(name).content), name=name)

    def _save(self, name: str, content: File[bytes]) -> str:
        content.seek(0)
        self._rows().create(name=name, content=content.read())
        return name

    def delete(self, name: str) -> None:
        self._rows().filter(name=name).delete()

    def exists(self, name: str) -> bool:
        return self._rows().filter(name=name).exists()

    def size(self, name: str) -> int:
        return len(self._row(name).content)

    def _row(self, name: str):  # type: ignore[no-untyped-def]
        row = self._rows().filter(name=name).first()
        if row is None:
            raise FileNotFoundError(f"no stored file is called {name!r}")
        return row

    @staticmethod
    def _rows():  # type: ignore[no-untyped-def]
        # here, because storages are made before the models are loaded
        from stichkampf_platform.storage.models import StoredFile

        return StoredFile.objects
