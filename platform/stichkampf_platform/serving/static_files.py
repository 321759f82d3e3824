"""The static files of the site as a browser gets them: style sheets without spaces and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from whitenoise.storage import CompressedManifestStaticFilesStorage


class MinifiedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Static files named by their digests and compressed beforehand; style sheets are minified."""

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Minify the collected style sheets, then name and compress all files."""
        if not dry_run:
            for name in filter(_is_style_sheet, list(paths)):
                with self.open(name) as collected:
                    shorter = cssmin(collected.read())
                self.delete(name)
                self.save(name, ContentFile(shorter))
                paths[name] = (self, name)
        yield from super().post_process(paths, dry_run, **options)


def _is_style_sheet(name: str) -> bool:
    return name.endswith(".css")
