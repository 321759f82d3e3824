"""The two addresses of each page of a bot: the newer with its author, the older without."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponse
from django.urls import URLPattern, path


def bot_paths(rest: str, view: Callable[..., HttpResponse], name: str) -> list[URLPattern]:
    """Return both addresses of a view, which takes `slug` and perhaps `author`.

    One without an author means the first bot that ever had the name.
    """
    return [
        path(f"bots/<slug:slug>/{rest}", view, name=name),
        path(f"bots/<slug:author>/<slug:slug>/{rest}", view, name=name),
    ]
