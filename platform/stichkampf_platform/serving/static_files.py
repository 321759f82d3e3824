"""The static files of the site as a browser gets them, without comments and indents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN = "web/"


class MinifiedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Static files named by their digests and compressed beforehand.

    Style sheets and the site's own scripts are minified.
    """

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Shorten what can be, then name and compress all files."""
        if not dry_run:
            for name in filter(_is_shortened, list(paths)):
                with self.open(name) as collected:
                    shorter = _shortened(name, collected.read())
                self.delete(name)
                self.save(name, ContentFile(shorter))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def _is_shortened(name: str) -> bool:
    return name.endswith(".css") or (name.startswith(OWN) and name.endswith(".js"))


def _shortened(name: str, content: bytes) -> str:
    return str((cssmin if name.endswith(".css") else jsmin)(content.decode()))
