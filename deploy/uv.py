"""Run uv with the package indexes that pip is set to: `.venv/bin/python deploy/uv.py pip install …`.

uv reads neither pip's files nor its environment variables. Variables of uv's own come first.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
SECTIONS = ("global", "install", ":env:")
"""Parts of pip's settings; a later one takes precedence."""


def pip_settings(listed: str) -> dict[str, str]:
    """Return what `pip config list` printed, by the name of the option."""
    lines = [line.partition("=") for line in listed.splitlines()]
    settings = {}
    for section in SECTIONS:
        for name, _, value in lines:
            if name.startswith(f"{section}."):
                settings[name.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    return settings


def uv_variables(pip: dict[str, str]) -> dict[str, str]:
    """Return uv's environment variables for pip's settings; versions come from all indexes, as with pip."""
    find_links = pip.get("find-links", "").split()
    said = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": " ".join(pip.get("extra-index-url", "").split()),
        "UV_FIND_LINKS": ",".join(place for place in find_links if "://" in place or Path(place).is_dir()),
        "UV_INSECURE_HOST": " ".join(pip.get("trusted-host", "").split()),
        "UV_HTTP_TIMEOUT": pip.get("timeout", pip.get("default-timeout", "")),
        "SSL_CERT_FILE": pip.get("cert", ""),
        "SSL_CLIENT_CERT": pip.get("client-cert", ""),
        "ALL_PROXY": pip.get("proxy", ""),
    }
    return {name: value for name, value in said.items() if value} | {
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_PYTHON_DOWNLOADS": "never",
    }


def main() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    pip = pip_settings(listed)
    words = ["--no-index"] if pip.get("no-index", "").lower() in ("1", "true", "yes", "on") else []
    environment = uv_variables(pip) | os.environ | {"VIRTUAL_ENV": str(BIN.parent)}
    os.execve(BIN / "uv", ["uv", *sys.argv[1:], *words], environment)


if __name__ == "__main__":
    main()
