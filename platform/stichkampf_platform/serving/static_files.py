"""The static files of the site as a browser gets them: no spaces in style sheets, few comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from rcssmin import cssmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN = "web/"
LINE_OF_COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)


class MinifiedStaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Static files named by their digests and compressed beforehand; style sheets are minified.

    Scripts of the site lose the lines that hold a comment alone.
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
    text = content.decode()
    return str(cssmin(text)) if name.endswith(".css") else LINE_OF_COMMENT.sub("", text)
