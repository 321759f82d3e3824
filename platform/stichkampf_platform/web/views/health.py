from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse


def health(request: HttpRequest) -> HttpResponse:
    """Whether this process serves and reaches its database; an error answers 503 by itself."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})
