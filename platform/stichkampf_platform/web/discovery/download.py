"""The page from which authors install the SDK, and the files that it offers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from stichkampf import __version__
from stichkampf.wire.agreed import WIRE_VERSION

from stichkampf_platform.serving.streaming import streamed

OFFERED = re.compile(
    rf"stichkampf-{re.escape(__version__)}(-(?P<python>\w+)-\w+-(?P<system>[\w.]+)\.whl|\.tar\.gz)"
)
CHECKSUMS = "SHA256SUMS"
PORTION_BYTES = 64 * 1024


class Offered(NamedTuple):
    """A file of the SDK of this site's version.

    :ivar pure: it fits every system and every Python that the SDK knows.
    """

    path: Path
    digest: str
    size: int
    python: str
    system: str

    @property
    def pure(self) -> bool:
        return self.system == "any"

    @property
    def meant_for(self) -> str:
        if not self.system:
            return _("source archive")
        if self.pure:
            return _("every system and Python, rules interpreted")
        number = re.sub(r"\D*(\d)(\d+)", r"\1.\2", self.python)
        return _("Python {number} on {system}, rules compiled").format(number=number, system=self.system)


def offered() -> list[Offered]:
    """Return what there is of this version: the wheel for every system first, the source archive last."""
    found = []
    for path in settings.DOWNLOADS.glob("stichkampf-*"):
        if (named := OFFERED.fullmatch(path.name)) and path.is_file():
            state = path.stat()
            digest = _digest(path, state.st_mtime_ns, state.st_size)
            found.append(Offered(path, digest, state.st_size, named["python"] or "", named["system"] or ""))
    return sorted(found, key=lambda each: (not each.system, not each.pure, each.path.name))


@lru_cache(maxsize=32)
def _digest(path: Path, _changed: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(request: HttpRequest) -> HttpResponse:
    """Show the command that installs the SDK from this site, all files and their checksums."""
    files = [
        (each, request.build_absolute_uri(reverse("files:download", args=[each.path.name])))
        for each in offered()
    ]
    wheel = next((f"stichkampf @ {address}#sha256={one.digest}" for one, address in files if one.pure), "")
    page = {"files": files, "wheel": wheel, "version": __version__, "wire": WIRE_VERSION}
    return render(request, "web/download.html", page)


def file(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a file of the SDK, or the checksums of all."""
    files = {each.path.name: each for each in offered()}
    if name == CHECKSUMS:
        lines = [f"{each.digest}  {each.path.name}\n" for each in files.values()]
        return HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    if name not in files:
        raise Http404(f"There is no file {name!r}; there are {', '.join([CHECKSUMS, *files])}.")
    parts = _portions(files[name].path)
    return streamed(request, parts, content_type="application/octet-stream", file_name=name, portion=1)


def _portions(path: Path) -> Iterator[bytes]:
    with path.open("rb") as content:
        while portion := content.read(PORTION_BYTES):
            yield portion
