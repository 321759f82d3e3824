"""Settings of a server. Everything comes from the environment; without it the start is refused."""

from __future__ import annotations

import os

from django.core.exceptions import ImproperlyConfigured

REQUIRED = {
    "SECRET_KEY": "a long random text, the same for all processes",
    "ALLOWED_HOSTS": "the site's host names, separated by commas",
    "STICHKAMPF_PROXIES": "the addresses of the TLS proxies, separated by commas, such as 127.0.0.1",
    "DATABASE_URL": "such as postgres://user:password@host/stichkampf",
    "REDIS_URL": "such as redis://host:6379/0",
    "STICHKAMPF_STORE": "a folder that all machines share, or such as s3://bucket/folder",
    "STICHKAMPF_ARBITER_ADDRESS": "such as unix:/run/stichkampf/arbiter.sock or host:port",
}
missing = [f"{name} ({meaning})" for name, meaning in REQUIRED.items() if not os.environ.get(name)]
if missing:
    raise ImproperlyConfigured("The environment lacks " + "; ".join(missing) + ".")

from stichkampf_platform.settings.base import *  # noqa: E402, F403

# the HTTP server tells whether a request came by https, as far as it believes the proxy
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^health/$"]
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # the site knows nothing of other hosts below its name, which may still speak http
    "security.W021",  # whether browsers ship the name as https only is for its owner to ask
]
SECURE_HSTS_SECONDS = 30 * 24 * 3600
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
LANGUAGE_COOKIE_SECURE = True
