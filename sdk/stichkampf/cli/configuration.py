"""The settings of the command: the file that `stichkampf login` writes, and the environment above it.

    # ~/.config/stichkampf/config.toml
    site = "https://play.example.org"

    [tokens]
    "https://play.example.org" = "sk_…"

`STICHKAMPF_SITE` and `STICHKAMPF_API_TOKEN` go before the file. Only the owner can read the file; one that
others can read is refused.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from stichkampf.addresses import parts_of
from stichkampf.errors import StichkampfError

FILE_VARIABLE: Final = "STICHKAMPF_CONFIG"
SITE_VARIABLE: Final = "STICHKAMPF_SITE"
API_TOKEN_VARIABLE: Final = "STICHKAMPF_API_TOKEN"
KEYS: Final = ("site", "tokens")
TOKEN_CHARACTERS: Final = 200
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class ConfigurationError(StichkampfError):
    """Settings that are missing, cannot be read or cannot be used. The message never shows a token."""


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """The settings of the file.

    :ivar site: the address of the site that commands talk to, without a slash at its end; empty for none.
    :ivar tokens: the API token of each site, by its address.
    """

    site: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)


def path(environ: Mapping[str, str] = os.environ) -> Path:
    """Name the file: `STICHKAMPF_CONFIG`, or config.toml in the user's folder for configurations.

    :raises ConfigurationError: the user has no such folder.

    >>> path({"XDG_CONFIG_HOME": "/etc/karl"}).as_posix()
    '/etc/karl/stichkampf/config.toml'
    """
    if named := environ.get(FILE_VARIABLE):
        return Path(named)
    folder = environ.get("XDG_CONFIG_HOME") or environ.get("APPDATA")
    try:
        return (Path(folder) if folder else Path.home() / ".config") / "stichkampf" / "config.toml"
    except RuntimeError:  # no HOME, and a user that is in no list of users
        raise ConfigurationError(
            f"this user has no home folder; name a file for the settings with {FILE_VARIABLE}"
        ) from None


def read(environ: Mapping[str, str] = os.environ) -> Configuration:
    """Read the file; where there is none, all settings are empty.

    :raises ConfigurationError: it cannot be read, others can read its tokens, or it holds something else.
    """
    file = path(environ)
    try:
        with file.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            content = stream.read()
    except FileNotFoundError:
        return Configuration()
    except OSError as error:
        raise ConfigurationError(f"cannot read {file}: {error.strerror}") from None
    found = _parsed(file, content)
    if found.tokens and os.name == "posix" and mode & OTHERS:
        raise ConfigurationError(
            f"others on this machine can read the tokens in {file}; run: chmod 600 {file}"
            " (and make new tokens on the site if others use this machine)"
        )
    return found


def write(
    configuration: Configuration, environ: Mapping[str, str] = os.environ, *, try_only: bool = False
) -> Path:
    """Write the file so that only its owner can read it, as a whole or not at all; return its path.

    :param try_only: find out if it could be written, and leave it as it is.
    :raises ConfigurationError: it cannot be written; an older file is left as it was.
    """
    file = path(environ)
    temporary = ""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp's files can be read by their owner only
        descriptor, temporary = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(_toml(configuration))
            stream.flush()
            os.fsync(stream.fileno())
        if try_only:
            os.unlink(temporary)
        else:
            os.replace(temporary, file)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temporary)
        raise ConfigurationError(f"cannot write {file}: {error.strerror}") from None
    return file


def site_address(named: str = "", environ: Mapping[str, str] = os.environ) -> str:
    """Find the address of the site: the one that an option names, else `STICHKAMPF_SITE`, else the file's.

    :raises ConfigurationError: there is none, or it is no address.
    """
    address = named or environ.get(SITE_VARIABLE, "") or read(environ).site
    if not address:
        raise ConfigurationError(
            f"no site is known; run `stichkampf login ADDRESS` once, or set {SITE_VARIABLE}"
        )
    return checked_address(address)


def api_token(site: str, environ: Mapping[str, str] = os.environ) -> str:
    """Find the token for a site: `STICHKAMPF_API_TOKEN`, else the file's.

    :param site: as `site_address` returns it.
    :raises ConfigurationError: there is none, or it is no token.
    """
    if variable := environ.get(API_TOKEN_VARIABLE, ""):
        return checked_token(variable, API_TOKEN_VARIABLE)
    file = path(environ)
    token = read(environ).tokens.get(site)
    if not token:
        raise ConfigurationError(
            f"there is no token for {site}; run `stichkampf login {site}`, or set {API_TOKEN_VARIABLE}"
        )
    return checked_token(token, str(file))


def checked_address(text: str) -> str:
    """Return the address of a site without the slash at its end.

    :raises ConfigurationError: it is none.

    >>> checked_address("http://127.0.0.1:8000/")
    'http://127.0.0.1:8000'
    """
    parts = parts_of(text, "http", "https")
    if parts is None or parts.query or parts.fragment:
        raise ConfigurationError(
            f"{text!r} is not the address of a site, such as https://play.example.org or"
            " http://127.0.0.1:8000"
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("the address of a site holds no name or password; give it without")
    return text.rstrip("/")


def checked_token(text: str, source: str) -> str:
    """Return a token without the space around it.

    :param source: names where it came from, for the message.
    :raises ConfigurationError: the text cannot be a token.
    """
    token = text.strip()
    if (
        not token
        or not token.isascii()
        or not token.isprintable()
        or " " in token
        or len(token) > TOKEN_CHARACTERS
    ):
        raise ConfigurationError(
            f"the text in {source} is no token, which is one word of at most {TOKEN_CHARACTERS} letters,"
            " digits and signs; copy it again from the page that showed it"
        )
    return token


def _parsed(file: Path, content: bytes) -> Configuration:
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{file} is not TOML in UTF-8: {error}") from None
    unknown = sorted(table.keys() - set(KEYS))
    if unknown:
        raise ConfigurationError(f"{file} has the unknown key {unknown[0]!r}; possible are {', '.join(KEYS)}")
    site, tokens = table.get("site", ""), table.get("tokens", {})
    if not isinstance(site, str):
        raise ConfigurationError(f"site in {file} must be a text, not {site!r}")
    if not isinstance(tokens, dict) or not all(isinstance(token, str) for token in tokens.values()):
        raise ConfigurationError(f"tokens in {file} must be a table that gives a text to each address")
    return Configuration(site=site and checked_address(site), tokens=_by_address(tokens))


def _by_address(tokens: dict[str, Any]) -> dict[str, str]:
    return {checked_address(address): token for address, token in tokens.items()}


def _toml(configuration: Configuration) -> str:
    """Write the settings as TOML. A JSON text of printable ASCII is one of TOML too."""
    rows = ["# Written by `stichkampf login`."]
    if configuration.site:
        rows.append(f"site = {json.dumps(configuration.site)}")
    if configuration.tokens:
        rows += ["", "[tokens]"]
        rows += [f"{json.dumps(site)} = {json.dumps(token)}" for site, token in configuration.tokens.items()]
    return "\n".join(rows) + "\n"
