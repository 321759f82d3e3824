"""Settings of the one database: of its connections, where a server or a machine may vanish."""

from __future__ import annotations

import re
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

EXAMPLE = "postgres://user:password@host/stichkampf"

SQLITE_OPTIONS = {
    # a transaction that starts by reading and then writes would fail at once, whatever the timeout
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
}
POSTGRESQL_OPTIONS: dict[str, Any] = {
    # a server whose machine has vanished is left: else an answer is awaited for two hours
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    # and the server leaves us: else what a machine has locked stays locked while that is away, or hangs
    "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
    " -c tcp_user_timeout=20000 -c idle_in_transaction_session_timeout=120000",
}
"""Parameters of libpq; what DATABASE_URL says after its question mark comes first."""


def database_settings(url: str) -> dict[str, Any]:
    """Return the entry of `DATABASES` for DATABASE_URL."""
    try:
        database: dict[str, Any] = {
            **dj_database_url.parse(
                url,
                conn_max_age=60,  # a thread of the site keeps its connection
                conn_health_checks=True,
            )
        }
    except ValueError:
        shown = re.sub(r"//.*@", "//…@", url)
        raise ImproperlyConfigured(
            f"DATABASE_URL is {shown!r}; it must be an address such as {EXAMPLE}, with signs in names and"
            " passwords written as %40 for @."
        ) from None
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["OPTIONS"] = SQLITE_OPTIONS
    elif database["ENGINE"] == "django.db.backends.postgresql":
        database["OPTIONS"] = {**POSTGRESQL_OPTIONS, **database.get("OPTIONS", {})}
    return database
