"""Sources of records for commands: a line of a file, or a replay on a site."""

from __future__ import annotations

import json
import re
from http.client import HTTPException
from pathlib import Path
from typing import Final
from urllib.error import HTTPError, URLError

from stichkampf.addresses import parts_of
from stichkampf.engine.deal import Json
from stichkampf.errors import RecordError
from stichkampf.match.records import parse, read
from stichkampf.match.verify import verify
from stichkampf.whole_numbers import whole_number

SECONDS: Final = 30.0
MOST_BYTES: Final = 64 * 1024 * 1024
REPLAY: Final = re.compile(r"/(?:embed/)?(?:r|api/v1/tables)/(?P<table>[0-9]+)(?P<place>/.*)?")
DECISION: Final = re.compile(r"/([0-9]+)/?")
EXAMPLE: Final = "https://play.example.org/r/17/"


def read_record(source: str) -> Json:
    """Read a record and referee it.

    :param source: a file, with `:N` for its line N; or the address of a replay or record on a site.
    :raises RecordError: there is none, the site does not show it yet, or it breaks the rules here.
    """
    record = _from_site(source) if "://" in source else _from_file(source)
    if isinstance(record, RecordError):
        raise RecordError(f"{source}: {record}")
    try:
        verify(record)
    except RecordError as error:
        raise RecordError(f"{source}: {error}") from None
    return record


def decision_of_address(source: str) -> int | None:
    """Return the decision that the address of a replay ends in, from 1 among all; None for none."""
    parts = parts_of(source, "http", "https")
    found = REPLAY.fullmatch(parts.path) if parts else None
    place = (found and found["place"]) or ""
    at = DECISION.fullmatch(place)
    return whole_number(at[1]) if at else None


def short_name(bot: str) -> str:
    """Return the name of a bot without author, folder and ending.

    >>> short_name("bots/karl.py"), short_name("ann/karl")
    ('karl', 'karl')
    """
    return re.sub(r"\.(py|zip|tar\.gz|tgz)$", "", Path(bot).name)


def _from_file(source: str) -> Json | RecordError:
    name, colon, digits = source.rpartition(":")
    number = whole_number(digits) if colon else None
    path, line = (Path(source), 0) if number is None or Path(source).exists() else (Path(name), number)
    try:
        with path.open("rb") as file:
            records = list(read(file))
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
    found = [record for at, record in records if not line or at == line]
    if not found:
        raise RecordError(f"there is no record in {path}" + f", line {line}" * bool(line))
    if len(found) > 1:
        raise RecordError(
            f"{path} holds {len(found)} records; say which by its line, such as {path}:{records[0][0]}"
        )
    return found[0]


def _from_site(address: str) -> Json:
    # only this way of naming a record needs HTTP
    from urllib.request import Request, build_opener

    from stichkampf.web_requests import Proxies, is_proxied

    parts = parts_of(address, "http", "https")
    if parts is None:
        raise RecordError(f"{address!r} is no address of a replay; one looks like {EXAMPLE}")
    if "@" in parts.netloc:
        raise RecordError("the address of a replay holds no name or password; give it without")
    found = REPLAY.fullmatch(parts.path)
    if not found:
        raise RecordError(f"{address} is no replay; its address ends in /r/NUMBER/, as in the site's links")
    url = f"{parts.scheme}://{parts.netloc}/api/v1/tables/{found['table']}/record/"
    opener = build_opener(Proxies)
    try:
        with opener.open(Request(url, headers={"Accept": "application/json"}), timeout=SECONDS) as answer:
            content = answer.read(MOST_BYTES + 1)
    except HTTPError as error:
        with error:
            raise RecordError(f"{address}: {_detail(error)}") from None
    except (URLError, HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        way = f" through the proxy of {parts.scheme}_proxy" * is_proxied(url)
        told = getattr(reason, "strerror", None) or reason
        raise RecordError(f"{parts.netloc} cannot be reached{way} ({told}); is the site up?") from None
    return parse(content.decode("utf-8", "replace"))


def _detail(error: HTTPError) -> str:
    """Return what the site says about a refusal."""
    try:
        said = json.loads(error.read(MOST_BYTES))
    except (ValueError, RecursionError, HTTPException, OSError):
        said = None
    detail = said.get("detail") if isinstance(said, dict) else None
    return str(detail) if detail else f"the site answers {error.code} {error.reason}"
