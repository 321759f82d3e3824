"""Renderer of answers."""

from __future__ import annotations

from rest_framework.renderers import JSONRenderer


class AnyTextJSONRenderer(JSONRenderer):
    """Write JSON. Text that UTF-8 cannot hold, such as half a character of a wrong request, is escaped."""

    def render(self, *args, **kwargs) -> bytes:
        try:
            return super().render(*args, **kwargs)
        except UnicodeEncodeError:
            self.ensure_ascii = True
            return super().render(*args, **kwargs)
