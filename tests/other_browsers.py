"""Debian's Firefox and WebKitGTK for tests, each by its own protocol: open a page, and run a script in it."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from support import Program, free_port, wait_until

WINDOW = (1280, 900)
DISPLAYS = Path("/tmp/.X11-unix")


class Browser(Protocol):
    """A browser with one window."""

    def go(self, address: str) -> None: ...

    def run(self, script: str) -> object:
        """Return what a script returns, as JSON."""

    def resize(self, width: int, height: int) -> None: ...

    def choose(self, element: str, file: Path) -> None:
        """Choose a file in a form; the element is found by CSS."""


LEAST_WIDTH = 500
"""Pixels of the narrowest window that Firefox has."""


class Firefox:
    """Firefox by Marionette, its own remote protocol: a JSON array with its length in front."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self._read()  # its greeting
        self._call("WebDriver:NewSession", {})

    def go(self, address: str) -> None:
        self._call("WebDriver:Navigate", {"url": address})

    def run(self, script: str) -> object:
        found = self._call("WebDriver:ExecuteScript", {"script": script, "args": [], "sandbox": None})
        return found["value"]

    def resize(self, width: int, height: int) -> None:
        """Give pages this size; the window stays wider where Firefox has no narrower ones."""
        self._call("WebDriver:SetWindowRect", {"width": max(width, LEAST_WIDTH), "height": height})
        self._call("Marionette:SetContext", {"value": "chrome"})
        self.run(f"gBrowser.selectedBrowser.style = 'flex: none; width: {width}px'")
        self._call("Marionette:SetContext", {"value": "content"})

    def choose(self, element: str, file: Path) -> None:
        found = self._call("WebDriver:FindElement", {"using": "css selector", "value": element})
        (number,) = found["value"].values()
        self._call("WebDriver:ElementSendKeys", {"id": number, "text": str(file)})

    def _call(self, command: str, parameters: dict[str, object]) -> dict[str, object]:
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def _read(self) -> list:
        digits = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox has ended"
            digits += byte
        return json.loads(self.stream.read(int(digits)))


class WebKit:
    """WebKitGTK by its driver, over HTTP."""

    def __init__(self, port: int) -> None:
        self.home = f"http://127.0.0.1:{port}/session"
        self.session = ""
        self.session = "/" + self._call("", {"capabilities": {"alwaysMatch": {}}})["sessionId"]

    def go(self, address: str) -> None:
        self._call("/url", {"url": address})
        # the driver answers before the modules of the page have run, which then hear no key
        waited(self, "return document.readyState === 'complete'", f"{address} is loaded")

    def run(self, script: str) -> object:
        return self._call("/execute/sync", {"script": script, "args": []})

    def resize(self, width: int, height: int) -> None:
        self._call("/window/rect", {"width": width, "height": height})

    def choose(self, element: str, file: Path) -> None:
        found = self._call("/element", {"using": "css selector", "value": element})
        (number,) = found.values()
        self._call(f"/element/{number}/value", {"text": str(file)})

    def close(self) -> None:
        self._call("", None)

    def _call(self, path: str, body: dict[str, object] | None) -> object:
        request = urllib.request.Request(
            self.home + self.session + path,
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method="DELETE" if body is None else "POST",
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@contextmanager
def running_firefox() -> Iterator[Browser]:
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="sk-firefox-") as folder:
        settings = {
            "marionette.port": port,
            "browser.shell.checkDefaultBrowser": False,
            "app.update.auto": False,
        }
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items())
        Path(folder, "user.js").write_text("\n".join(lines))
        command = [
            "firefox-esr",
            "--headless",
            "--marionette",
            "--remote-allow-system-access",
            "--no-remote",
            "--profile",
            folder,
        ]
        command += ["--width", str(WINDOW[0]), "--height", str(WINDOW[1])]
        environment = {"PATH": os.environ["PATH"], "HOME": folder}
        with Program(command, Path(folder, "log"), environment=environment, ready=lambda: _listens(port)):
            browser = Firefox(port)
            try:
                yield browser
            finally:
                browser.close()


@contextmanager
def running_webkit() -> Iterator[Browser]:
    port = free_port()
    number = next(number for number in range(90, 500) if not (DISPLAYS / f"X{number}").exists())
    with tempfile.TemporaryDirectory(prefix="sk-webkit-") as folder:
        screen = ["Xvfb", f":{number}", "-screen", "0", f"{WINDOW[0]}x{WINDOW[1]}x24", "-nolisten", "tcp"]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "DISPLAY": f":{number}",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        with (
            Program(screen, Path(folder, "screen"), ready=(DISPLAYS / f"X{number}").exists),
            Program(
                ["WebKitWebDriver", f"--port={port}"], Path(folder, "log"),
                environment=environment, ready=lambda: _listens(port),
            ),
        ):  # fmt: skip
            browser = WebKit(port)
            try:
                yield browser
            finally:
                browser.close()


RUNNING = {"Firefox": running_firefox, "WebKitGTK": running_webkit}


def waited(browser: Browser, script: str, goal: str) -> object:
    """Return what a script returns, once it is true; a page that is just being left counts as not yet."""
    return wait_until(lambda: browser.run(script), goal=goal)
