"""Lists come in pages: `?limit=` says how many, `?offset=` from where on."""

from __future__ import annotations

from rest_framework.pagination import LimitOffsetPagination


class Pages(LimitOffsetPagination):
    """A page of a list; whoever asks for more gets so many."""

    max_limit = 1000


class PagesOfText(Pages):
    """Of what is long in itself."""

    max_limit = 100
