"""Settings of the test suite: fast password hashing, plain static files, no worker unless a test runs one."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault(
    "STICHKAMPF_STATE_DIR", os.path.join(tempfile.gettempdir(), f"stichkampf-test-{os.getuid()}")
)

from stichkampf_platform.settings.base import *  # noqa: F403
from stichkampf_platform.settings.base import DATABASES, RATES, STATE_DIR, STATIC_ROOT, STORAGES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # no page is kept: what a test writes is rolled back, and nothing would stamp it
    "changes": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
    "pages": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "pages"},
}
FREE_DISK_BYTES = 0
RATES = {scope: {} for scope in RATES}

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # a file, because threads cannot share a database in memory; one for every process that runs tests
    DATABASES["default"]["TEST"] = {"NAME": STATE_DIR / f"test-{os.getpid()}.sqlite3"}
    DATABASES["default"]["CONN_MAX_AGE"] = 0
    # a disk that is busy with other work may hold up who writes for longer than a visitor would wait
    DATABASES["default"]["OPTIONS"] = {
        **DATABASES["default"]["OPTIONS"],
        "timeout": 120,
        "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;",
    }
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns of a missing one
