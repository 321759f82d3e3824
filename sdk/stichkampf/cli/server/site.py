"""Requests to the API of a site. Every failure becomes one line that says what to do."""

from __future__ import annotations

import argparse
import json
import re
import ssl
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import urlencode

from stichkampf import __version__
from stichkampf.cli.configuration import api_token, site_address
from stichkampf.errors import StichkampfError
from stichkampf.plain_text import plain_line
from stichkampf.web_requests import OPENER, is_proxied

SECONDS: Final = 60.0
ATTEMPTS: Final = 3
ANSWER_BYTES: Final = 64 * 1024 * 1024
PORTION_BYTES: Final = 64 * 1024
PAGE_ROWS: Final = 100
MESSAGE_CHARACTERS: Final = 2000


class SiteError(StichkampfError):
    """A site that does not answer, or not as this command understands it. The message names no token."""


class AwayError(SiteError):
    """A site that cannot be reached at the moment, or has no time."""


class SiteRefused(SiteError):
    """A request that the site understood and refused; the message is the site's own.

    :ivar status: the HTTP status.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class SiteApi:
    """A site and the token for it.

    :ivar address: as `configuration.site_address` returns it.
    :ivar seconds: how long an answer may take.
    :ivar attempts: how often a site that is away is asked.
    """

    address: str
    token: str
    seconds: float = SECONDS
    attempts: int = ATTEMPTS

    @classmethod
    def known(cls, named: str = "", **bounds: Any) -> SiteApi:
        """Return the site of the settings with its token.

        :param named: an address that goes before that of the settings.
        :param bounds: `seconds` and `attempts`, where they are others.
        :raises ConfigurationError: no site or no token is known.
        """
        address = site_address(named)
        return cls(address, api_token(address), **bounds)

    def get(self, path: str, *needed: str, **query: object) -> Any:
        """Return an answer; a site that is away for a moment is asked again.

        :param path: below `/api/v1/`, such as `me/`.
        :param needed: fields that the answer must have.
        :raises SiteError: there is no answer, or none that can be used.
        """
        asked = {name: value for name, value in query.items() if value not in (None, "")}
        full = f"{path}?{urlencode(asked)}" if asked else path
        for attempt in range(1, self.attempts):
            try:
                return self._answer("GET", full, needed)
            except AwayError:
                time.sleep(0.5 * attempt)
        return self._answer("GET", full, needed)

    def post(self, path: str, fields: Mapping[str, object], *needed: str) -> Any:
        """Send fields as JSON, once, and return the answer.

        :raises SiteError: there is no answer, or none that can be used.
        """
        return self._answer("POST", path, needed, json.dumps(fields).encode(), "application/json")

    def put(self, path: str) -> None:
        """Send a PUT request without fields, once.

        :raises SiteError: there is no answer, or a refusal.
        """
        self._content("PUT", path, None, "")

    def patch(self, path: str, fields: Mapping[str, object], *needed: str) -> Any:
        """Send changes as JSON, once, and return the answer.

        :raises SiteError: there is no answer, or none that can be used.
        """
        return self._answer("PATCH", path, needed, json.dumps(fields).encode(), "application/json")

    def file(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file of any size, a portion at a time.

        :raises SiteError: there is no answer, a refusal, or no end of the file.
        """
        with self._opened("GET", path, None, "", accept="*/*") as answer:
            while portion := answer.read(PORTION_BYTES):
                yield portion

    def delete(self, path: str) -> None:
        """Send a DELETE request, once.

        :raises SiteError: there is no answer, or a refusal.
        """
        self._content("DELETE", path, None, "")

    def upload(
        self, path: str, name: str, content: bytes, fields: Sequence[tuple[str, str]], *needed: str
    ) -> Any:
        """Send a file as the field `archive` and further fields, once, and return the answer.

        :raises SiteError: there is no answer, or none that can be used.
        """
        mark = uuid.uuid4().hex
        head = "".join(
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
            for field, value in fields
        )
        plain = re.sub(r'["\\\x00-\x1f\x7f]', "_", name)
        head += f'--{mark}\r\nContent-Disposition: form-data; name="archive"; filename="{plain}"\r\n'
        head += "Content-Type: application/octet-stream\r\n\r\n"
        body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
        return self._answer("POST", path, needed, body, f"multipart/form-data; boundary={mark}")

    def rows(self, path: str, most: int, *needed: str, **query: object) -> Iterator[Any]:
        """Yield the entries of a list, at most this number, page by page.

        :param needed: fields that each entry must have.
        :raises SiteError: there is no answer, or none that can be used.
        """
        given = 0
        while given < most:
            limit = min(PAGE_ROWS, most - given)
            page = self.get(path, "results", "next", limit=limit, offset=given or None, **query)
            for row in page["results"]:
                yield self._with(row, needed)
            given += len(page["results"])
            if not page["next"] or not page["results"]:
                return

    def objects(self, path: str, *needed: str) -> list[Any]:
        """Return a list that comes on no pages.

        :param needed: fields that each entry must have.
        :raises SiteError: there is no answer, or none that can be used.
        """
        found = self.get(path)
        return [self._with(one, needed) for one in (found if isinstance(found, list) else [found])]

    def bot(self, name: str) -> str:
        """Return the path of a bot: `AUTHOR/BOT`, or `BOT` for one's own.

        :raises SiteError: it is no such name, or the site does not answer.
        """
        author, _, slug = name.rpartition("/")
        if not all(part.replace("-", "").isalnum() and part.isascii() for part in (author or "own", slug)):
            raise SiteError(f"{name!r} is not the name of a bot; write BOT for your own, or AUTHOR/BOT")
        return f"bots/{author or self.get('me/', 'username')['username']}/{slug}/"

    def _answer(
        self, method: str, path: str, needed: Sequence[str], body: bytes | None = None, kind: str = ""
    ) -> Any:
        content = self._content(method, path, body, kind)
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            raise SiteError(
                f"{self.address} answered with something else than JSON: no Stichkampf site is there"
            ) from None
        return self._with(answer, needed)

    def _with(self, answer: Any, needed: Sequence[str]) -> Any:
        missing = [field for field in needed if not isinstance(answer, dict) or field not in answer]
        if missing:
            raise SiteError(
                f"{self.address} does not tell {missing[0]!r}: no Stichkampf site is there, or one that"
                f" speaks another version of the API than this command, which is {__version__}; update the"
                " older of the two"
            )
        return answer

    def _content(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        with self._opened(method, path, body, kind) as answer:
            content: bytes = answer.read(ANSWER_BYTES + 1)
        if len(content) > ANSWER_BYTES:
            raise SiteError(f"{self.address} answered with more than {ANSWER_BYTES:,} bytes; ask for less")
        return content

    @contextmanager
    def _opened(
        self, method: str, path: str, body: bytes | None, kind: str, *, accept: str = "application/json"
    ) -> Iterator[Any]:
        request = urllib.request.Request(f"{self.address}/api/v1/{path}", body, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Accept", accept)
        request.add_header("User-Agent", f"stichkampf/{__version__}")
        if kind:
            request.add_header("Content-Type", kind)
        try:
            with OPENER.open(request, timeout=self.seconds) as answer:
                yield answer
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except (urllib.error.URLError, HTTPException, OSError) as error:
            raise self._away(error) from None

    def _refusal(self, error: urllib.error.HTTPError) -> SiteError:
        if error.code in (301, 302, 303, 307, 308):
            moved = plain_line(error.headers.get("Location", "another address"))
            return SiteError(f"{self.address} leads to {moved}; log in there: stichkampf login ADDRESS")
        detail = _detail(error)
        if error.code == 401:
            return SiteError(
                f"{self.address} does not accept this token; make a new one on {self.address}/account/tokens/"
                f" and run: stichkampf login {self.address}"
            )
        if error.code in (502, 503, 504):
            return AwayError(f"{self.address} is busy: {detail or f'status {error.code}'}")
        if detail:
            return SiteRefused(f"{detail}", error.code)
        if error.code in (404, 405):
            return SiteError(
                f"{self.address} does not offer this: no Stichkampf site is there, or one that is older than"
                f" this command, which is {__version__}"
            )
        return SiteError(f"{self.address} answered with status {error.code}; try again later")

    def _away(self, error: Exception) -> AwayError:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, ssl.SSLError):
            return AwayError(f"{self.address}: the encryption fails ({cause.reason or cause})")
        if isinstance(cause, TimeoutError):
            return AwayError(f"{self.address} does not answer within {self.seconds:.0f} s; try again later")
        told = getattr(cause, "strerror", None) or plain_line(str(cause).strip()) or type(cause).__name__
        way = f" through the proxy of {self.address.partition(':')[0]}_proxy" * is_proxied(self.address)
        return AwayError(
            f"{self.address} cannot be reached{way} ({told}); is the address right, and the site up?"
        )


def _detail(error: urllib.error.HTTPError) -> str:
    """Return the message of an error; empty where it is not the API's."""
    try:
        told = json.loads(error.read(ANSWER_BYTES))
    except (ValueError, RecursionError, HTTPException, OSError):
        return ""
    detail = told.get("detail") if isinstance(told, dict) else None
    return plain_line(detail, MESSAGE_CHARACTERS) if isinstance(detail, str) else ""


def asked(run: Callable[[SiteApi, argparse.Namespace], int], args: argparse.Namespace) -> int:
    """Run a command at the site that its arguments name; say what the site refuses, and end with 1 then."""
    try:
        return run(SiteApi.known(args.site), args)
    except SiteRefused as error:
        print(f"stichkampf: {error}", file=sys.stderr)
        return 1
