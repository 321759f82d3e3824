"""Sign-in with an outside provider by OpenID Connect: a setting, off unless its address is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from stichkampf_platform.core.environment import checked_parts

ID = "provider"
"""The name in addresses; the callback that the provider has to know is /login/with/provider/callback/."""
EXAMPLE = "https://id.example.org"


def provider_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of django-allauth; empty without `STICHKAMPF_PROVIDER_URL`.

    :raises ImproperlyConfigured: the address is none of https, or the client's name or secret is missing.
    """
    url = environment.get("STICHKAMPF_PROVIDER_URL", "")
    if not url:
        return {}
    parts = checked_parts("STICHKAMPF_PROVIDER_URL", url, "https", "http", example=EXAMPLE)
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1"):
        raise ImproperlyConfigured(
            f"STICHKAMPF_PROVIDER_URL is {url!r}; give an address that begins with https://."
        )
    client = environment.get("STICHKAMPF_PROVIDER_CLIENT", "")
    secret = environment.get("STICHKAMPF_PROVIDER_SECRET", "")
    if not client or not secret:
        raise ImproperlyConfigured(
            "STICHKAMPF_PROVIDER_URL needs STICHKAMPF_PROVIDER_CLIENT and STICHKAMPF_PROVIDER_SECRET:"
            " the client's name and secret that the provider gave out."
        )
    app = {
        "provider_id": ID,
        "name": environment.get("STICHKAMPF_PROVIDER_NAME") or parts.hostname,
        "client_id": client,
        "secret": secret,
        "settings": {"server_url": url, "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}


def origin_of(environment: Mapping[str, str]) -> list[str]:
    """Return where forms may lead besides the site: the provider, if there is one."""
    parts = urlsplit(environment.get("STICHKAMPF_PROVIDER_URL", ""))
    return [f"{parts.scheme}://{parts.netloc}"] if parts.netloc else []
