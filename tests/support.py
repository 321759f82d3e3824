"""Helpers for all tests: waiting, programs, processes, archives, examples, visits to a site."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import requests
from hypothesis import settings

SECONDS = 120.0
PASSWORD = "trumpf-sticht-alles"
"""The password of every account that tests make."""
PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
PORTS = 12_000
ORDINARY_UID = 54_321
"""The uid that programs run as which give up root."""
BURN = "while True: pass"
Answer = TypeVar("Answer")


# Waiting --------------------------------------------------------------------------------------------


def poll(condition: Callable[[], Answer], seconds: float = SECONDS) -> Answer:
    """Ask until the answer is true or the time is over; return the last answer.

    The longer it waits, the less often it asks.
    """
    begin = time.monotonic()
    while not (answer := condition()) and (waited := time.monotonic() - begin) < seconds:
        time.sleep(_pause(waited))
    return answer


def wait_until(condition: Callable[[], Answer], seconds: float = SECONDS, *, goal: str = "") -> Answer:
    """Ask until the answer is true, and return it; fail after the deadline.

    :param goal: names what is awaited, for the message of the failure.
    """
    answer = poll(condition, seconds)
    assert answer, f"not within {seconds} s: {goal or 'the awaited condition'}"
    return answer


async def poll_async(condition: Callable[[], Answer], seconds: float = SECONDS) -> Answer:
    """Do the same as `poll`, while the event loop runs on."""
    begin = time.monotonic()
    while not (answer := condition()) and (waited := time.monotonic() - begin) < seconds:
        await asyncio.sleep(_pause(waited))
    return answer


async def wait_until_async(
    condition: Callable[[], Answer], seconds: float = SECONDS, *, goal: str = ""
) -> Answer:
    """Do the same as `wait_until`, while the event loop runs on."""
    answer = await poll_async(condition, seconds)
    assert answer, f"not within {seconds} s: {goal or 'the awaited condition'}"
    return answer


def _pause(waited: float) -> float:
    return min(max(0.01, waited / 50), 0.25)


# Programs -------------------------------------------------------------------------------------------


class Program:
    """A program that a test runs, and the file that its output goes to.

        with Program(["redis-server"], folder / "log", ready=answers) as server:
            ...

    As a context it is killed at the end. A failed wait shows the output.

    :ivar process: the `subprocess.Popen`.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        ready: Callable[[], object] | str | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        seconds: float = SECONDS,
    ) -> None:
        """Start it, and wait until it is ready.

        :param ready: words of its output, or a function that tells whether it is ready.
        :param environment: instead of that of the tests.
        """
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, cwd=cwd, env=environment)
        if ready is not None:
            try:
                self.wait_for(ready, seconds)
            except BaseException:
                self.kill()
                raise

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def output(self) -> str:
        return self.log.read_text()

    def wait_for(self, event: Callable[[], object] | str, seconds: float = SECONDS) -> None:
        """Wait until the program has written these words, or until a function returns true.

        Fails at once where the program has ended before.
        """
        happened = (lambda: event in self.output) if isinstance(event, str) else event
        poll(lambda: self.process.poll() is not None or happened(), seconds)
        assert happened(), f"not within {seconds} s: {event}\n{self.output}"

    def wait(self, seconds: float = SECONDS) -> int:
        """Wait until the program ends; return its exit status."""
        return self.process.wait(seconds)

    def stop(self, number: int = signal.SIGTERM, seconds: float = SECONDS) -> int:
        """Send a signal, wait until the program ends, return its exit status."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def running_arbiter(*words: str, seconds: float = SECONDS) -> Iterator[tuple[Program, str]]:
    """Run an arbiter in a folder of its own, with a short name for its sockets.

    :param words: the words after `python`; `-m stichkampf_arbiter` without any.
    :param seconds: for its end, which must be a good one.
    :return: its program and its address.
    """
    folder = Path(tempfile.mkdtemp(prefix="sk-"))
    if os.getuid() == 0:
        os.chown(folder, ORDINARY_UID, ORDINARY_UID)
    address = f"unix:{folder / 'arbiter.sock'}"
    environment = {
        "PATH": os.environ["PATH"],
        "STICHKAMPF_ARBITER_ADDRESS": address,
        "STICHKAMPF_STATE_DIR": str(folder),
        "STICHKAMPF_WARM_SANDBOXES": "1",
    }
    command = [sys.executable, *(words or ("-m", "stichkampf_arbiter"))]
    with Program(command, folder / "log", environment=environment) as program:
        yield program, address
        assert program.stop(seconds=seconds) == 0, program.output
    shutil.rmtree(folder)


@contextmanager
def running_site(application: Any) -> Iterator[tuple[str, int]]:
    """Run an ASGI application under uvicorn, as the site really runs; yields host and port."""
    import uvicorn  # of the platform's libraries, which most tests do without

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            application, lifespan="off", log_config=None, timeout_graceful_shutdown=1, ws="none"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            wait_until(lambda: server.started, goal="uvicorn listens")
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def busy_cores(processes_a_core: int, *, pinned: bool = False) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Keep this many processes busy for each core, where they are pinned on that core alone."""
    with ExitStack() as stack:
        busy = []
        for core in sorted(os.sched_getaffinity(0)) * processes_a_core:
            process = stack.enter_context(subprocess.Popen([sys.executable, "-I", "-c", BURN]))
            stack.callback(process.kill)
            if pinned:
                os.sched_setaffinity(process.pid, {core})
            busy.append(process)
        yield busy


def free_port() -> int:
    """Return a port of this machine that no program uses.

    It lies below those that the system gives to outgoing connections, one of which could take it before the
    server does, or while the server is started again.
    """
    end = max(int(PORT_RANGE.read_text().split()[0]), 32_768)
    while True:
        port = random.randrange(end - PORTS, end - 1)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


# Processes ------------------------------------------------------------------------------------------


def stat_of(pid: int | str) -> list[str]:
    """Read the fields of `/proc/PID/stat` after the process's name: state, parent …

    :raises OSError: if there is no such process.
    """
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def is_running(pid: int) -> bool:
    """Tell whether a process exists and is no zombie."""
    try:
        return stat_of(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children_of(pid: int) -> list[int]:
    """List the processes that a process has started; none where it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def command_of(pid: int) -> list[str]:
    """Split the command that a process was started with into words; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().replace("\0", " ").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


# Archives -------------------------------------------------------------------------------------------


def archive(files: str | bytes | Mapping[str, str | bytes], *, mode: int = 0o755) -> bytes:
    """Pack files, by name, into the archive of a bot. A text alone becomes `bot.py`."""
    files = {"bot.py": files} if isinstance(files, (str, bytes)) else files
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = mode << 16
            file.writestr(member, text)
    return content.getvalue()


# Examples -------------------------------------------------------------------------------------------


def unpacked(fixture: str, folder: Path) -> Path:
    """Unpack an archive of `tests/fixtures` into a folder and return that."""
    with tarfile.open(Path(__file__).parent / "fixtures" / fixture) as file:
        for member in file:
            if member.isfile():
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.extractfile(member).read())
    return folder


def examples(number: int) -> int:
    """Scale a number of Hypothesis examples as the chosen profile does (`tests/conftest.py`)."""
    return max(1, number * settings().max_examples // 100)


# Visitors -------------------------------------------------------------------------------------------


class Visitor:
    """A browser without a window: pages, forms and cookies; the API with a token.

    :ivar address: of the site, without a slash at the end.
    :ivar token: for the API; empty without one.
    """

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.token = ""
        self._session = requests.Session()
        self._session.trust_env = False

    def request(self, method: str, path: str, **options: Any) -> tuple[int, str]:
        """Return status and text of an answer; `options` are those of `requests`."""
        headers = {**options.pop("headers", {})}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        answer = self._session.request(
            method, self.address + path, headers=headers, timeout=SECONDS, **options
        )
        answer.encoding = "utf-8"
        return answer.status_code, answer.text

    def get(self, path: str) -> tuple[int, str]:
        return self.request("GET", path)

    def page(self, path: str) -> str:
        """Return the text of a page, which must be there."""
        status, text = self.get(path)
        assert status == 200, (path, status, text[:500])
        return text

    def api(self, path: str) -> Any:
        """Return the value of a JSON page, which must be there."""
        return json.loads(self.page(path))

    def send(self, path: str, **fields: Any) -> str:
        """Fill in the form of a page and send it; return the page that follows."""
        secret = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.page(path))
        assert secret, f"{path} has no form"
        status, text = self.request(
            "POST",
            path,
            data={**fields, "csrfmiddlewaretoken": secret[1]},
            headers={"Referer": self.address + path},
        )
        assert status == 200, (path, status, text[:500])
        return text

    def sign_up(self, name: str, **fields: str) -> None:
        """Join the site, and use a new token for the API from then on."""
        self.send("/join/", username=name, password=PASSWORD, **fields)
        token = re.search(r"sk_[A-Za-z0-9_-]{20,}", self.send("/account/tokens/", name="laptop"))
        assert token, "the page shows no token"
        self.token = token[0]

    def own_bot(self, slug: str) -> str:
        """Return the address of a bot of one's own in the API."""
        return f"/api/v1/bots/{self.api('/api/v1/me/')['username']}/{slug}/"

    def submit(self, slug: str, content: bytes, games: Sequence[str] = ()) -> tuple[int, Any]:
        """Submit an archive over the API; return status and answer.

        :param games: instead of those that the bot names.
        """
        status, text = self.request(
            "POST",
            f"{self.own_bot(slug)}versions/",
            files={"archive": (f"{slug}.zip", content)},
            data={"games": list(games)},
        )
        return status, json.loads(text)

    def wait_for_remote_bots(self) -> None:
        """Wait until the site tells where remote bots connect."""
        wait_until(
            lambda: re.search(r"connect\s+to <code>", self.page("/remote/")),
            goal="the platform knows its arbiter",
        )

    def add_remote_version(self, slug: str, **fields: Any) -> Any:
        """Make a remote version over the API; return the answer, which says where to connect."""
        self.wait_for_remote_bots()
        status, text = self.request("POST", f"{self.own_bot(slug)}remote/", json=fields)
        assert status == 201, text
        return json.loads(text)
