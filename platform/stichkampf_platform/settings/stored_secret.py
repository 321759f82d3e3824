"""A secret that a single machine makes for itself."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def stored_secret(path: Path) -> str:
    """Return the secret in this file, which only its owner can read; make it on first use."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(fresh, path)  # fails if another process was first, so that both use the same one
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text()
