"""Settings of the store of archives and records: a folder, or a bucket that speaks S3's language."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from stichkampf.addresses import parts_of

from stichkampf_platform.core.environment import checked_parts

EXAMPLES = "s3://bucket/folder, or a path such as /srv/stichkampf-store"
CONNECT_SECONDS, READ_SECONDS = 2, 10


def store_settings(environ: Mapping[str, str], otherwise: Path) -> dict[str, Any]:
    """Return the entry of `STORAGES` for STICHKAMPF_STORE.

    Key and secret come from where S3's programs look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,
    or the file that AWS_SHARED_CREDENTIALS_FILE names.

    :param otherwise: the folder where the variable is missing or empty.
    :raises ImproperlyConfigured: the variable names neither a bucket nor an absolute path.
    """
    place = environ.get("STICHKAMPF_STORE") or str(otherwise)
    endpoint = environ.get("STICHKAMPF_STORE_ENDPOINT") or None
    if place.startswith("s3://"):
        return _bucket(place, endpoint, environ.get("STICHKAMPF_STORE_REGION") or None)
    if not place.startswith("/"):
        raise ImproperlyConfigured(f"STICHKAMPF_STORE is {place!r}; it must be {EXAMPLES}.")
    if endpoint:
        raise ImproperlyConfigured(
            f"STICHKAMPF_STORE_ENDPOINT is {endpoint!r}, and STICHKAMPF_STORE names no bucket but {place!r}."
        )
    return {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": place,
            "allow_overwrite": True,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    }


def _bucket(place: str, endpoint: str | None, region: str | None) -> dict[str, Any]:
    # only where there is a bucket: it takes a quarter of a second
    from botocore.config import Config  # type: ignore[import-untyped]

    bucket = parts_of(place, "s3")
    if bucket is None or bucket.query or bucket.fragment or bucket.netloc != bucket.hostname:
        raise ImproperlyConfigured(f"STICHKAMPF_STORE is {place!r}; it must be {EXAMPLES}.")
    if endpoint:
        checked_parts("STICHKAMPF_STORE_ENDPOINT", endpoint, "http", "https", example="https://s3.example")
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket.netloc,
            "location": bucket.path.strip("/"),
            "endpoint_url": endpoint,
            "region_name": region,
            "file_overwrite": True,
            "default_acl": None,
            "client_config": Config(
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                retries={"max_attempts": 2},
                signature_version="s3v4",
                s3={"addressing_style": "path"} if endpoint else None,
                # other stores than Amazon's do not know its newer checksums
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        },
    }
