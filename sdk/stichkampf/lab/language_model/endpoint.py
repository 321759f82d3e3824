"""Requests to a language model. The key goes to its endpoint alone, and stands in no message."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from time import monotonic
from typing import IO, Final

from stichkampf.addresses import parts_of
from stichkampf.errors import StichkampfError
from stichkampf.plain_text import plain_line
from stichkampf.web_requests import OPENER
from stichkampf.whole_numbers import whole_number

COMPLETIONS: Final = "/chat/completions"
ANSWER_BYTES: Final = 1024 * 1024
MESSAGE_CHARACTERS: Final = 300
PROBE: Final = "Answer with the number 1 and nothing else."
REFUSALS: Final = frozenset({400, 401, 403, 404, 405, 422})
"""HTTP statuses after which the same request would be refused again."""
OWN_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})

Message = dict[str, str]


class EndpointError(StichkampfError):
    """A language model's endpoint that refuses the address, the key, the model or the request; a later try
    would not help, unless it is an `EndpointAway`. The message names no key.
    """


class EndpointAway(EndpointError):
    """An endpoint that cannot be reached, has no time, or sends what cannot be read; a later try may help.

    :ivar pause: the seconds after which it asks to be tried again; 0 where it does not say.
    """

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause


@dataclass(frozen=True)
class Completion:
    """An answer of a model, and what it took.

    :ivar prompt_tokens: as the endpoint counted them; 0 where it does not say.
    :ivar seconds: from the request to the whole answer.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True)
class Endpoint:
    """An address that speaks the chat-completions form, and a model there.

    >>> Endpoint("http://127.0.0.1:8080/v1", "local").url
    'http://127.0.0.1:8080/v1/chat/completions'

    :param address: of the API, with or without `/chat/completions`; encrypted, except on this machine itself.
    :param model: the model's name there.
    :param key: sent as a bearer token; empty for an endpoint without keys.
    :raises EndpointError: the address cannot be one.
    """

    address: str
    model: str
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        parts = parts_of(self.address, "http", "https")
        if parts is None or "@" in parts.netloc or parts.query or parts.fragment:
            raise EndpointError(
                f"{self.address!r} is no address of a language model; one looks like https://host/v1"
            )
        if self.key and parts.scheme == "http" and parts.hostname not in OWN_MACHINE:
            raise EndpointError(f"{self.address!r} is not encrypted, and would show the key: use https://")

    @property
    def url(self) -> str:
        """The address that takes the requests."""
        base = self.address.rstrip("/")
        return base if base.endswith(COMPLETIONS) else base + COMPLETIONS

    def probe(self, seconds: float = 60.0) -> None:
        """Ask for a word, to find out at once whether address, key and model are right.

        :raises EndpointError: they are not, or the endpoint is away.
        """
        self.ask([{"role": "user", "content": PROBE}], seconds)

    def ask(self, messages: Sequence[Message], seconds: float) -> Completion:
        """Send a conversation once and return the model's answer.

        :param seconds: the longest wait for the whole answer.
        :raises EndpointAway: there is no usable answer in that time.
        :raises EndpointError: the request is refused.
        """
        began = monotonic()
        body = json.dumps({"model": self.model, "messages": list(messages)}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, body, headers, method="POST")
        try:
            with OPENER.open(request, timeout=max(seconds, 0.1)) as answer:
                content = _read(answer, began + seconds)
        except urllib.error.HTTPError as error:
            raise self._error(error) from None
        except (OSError, HTTPException, ValueError) as error:
            raise EndpointAway(f"{self.url} does not answer: {self._plain(str(error))}") from None
        return self._reply(content, monotonic() - began)

    def _reply(self, content: bytes, seconds: float) -> Completion:
        try:
            told = json.loads(content)
            text = told["choices"][0]["message"]["content"]
            if isinstance(text, list):
                text = "".join(part.get("text", "") for part in text)
            if not isinstance(text, str):
                raise TypeError
            usage = told.get("usage") or {}
            spent = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
        except (ValueError, LookupError, TypeError, AttributeError):
            shown = self._plain(content[:200].decode(errors="replace"))
            raise EndpointAway(f"{self.url} sent no chat completion: {shown!r}") from None
        return Completion(text, max(spent[0], 0), max(spent[1], 0), seconds)

    def _error(self, error: urllib.error.HTTPError) -> EndpointError:
        with error:
            try:
                said = error.read(2000).decode(errors="replace")
            except (OSError, HTTPException):
                said = ""
        message = f"{self.url} answered {error.code}: {self._plain(said) or error.reason}"
        if error.code in REFUSALS:
            return EndpointError(f"{message}; check address, key and model ({self.model!r})")
        return EndpointAway(message, whole_number(error.headers.get("Retry-After", "")) or 0)

    def _plain(self, text: str) -> str:
        shown = text.replace(self.key, "…") if self.key else text
        return plain_line(shown)[:MESSAGE_CHARACTERS]


def _read(answer: IO[bytes], deadline: float) -> bytes:
    """Read an answer that may come in drops, until a moment of `time.monotonic()`."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(65536):  # type: ignore[attr-defined]
        parts.append(part)
        size += len(part)
        if size > ANSWER_BYTES:
            raise ValueError(f"more than {ANSWER_BYTES} bytes")
        if monotonic() > deadline:
            raise TimeoutError("the answer took too long")
    return b"".join(parts)
