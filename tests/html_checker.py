"""The Nu HTML Checker, as tests use it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

VALIDATOR = Path(__file__).parent / "markup" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss16m", "-jar"]


class Markup:
    """Pages as the server sent them, for the Nu HTML Checker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._addresses: list[str] = []

    def keep(self, address: str, answer) -> None:
        if answer.headers["content-type"].startswith("text/html"):
            (self._folder / f"{len(self._addresses)}.html").write_bytes(answer.body())
            self._addresses.append(address)

    def errors(self) -> list[str]:
        """Return what the validator finds wrong in all pages; it starts once, because that takes seconds."""
        assert self._addresses
        options = ["--errors-only", "--format", "json", "--exit-zero-always", "--stdout"]
        files = [f"{number}.html" for number in range(len(self._addresses))]
        done = subprocess.run(
            [*JAVA, VALIDATOR, *options, *files], cwd=self._folder, capture_output=True, text=True, check=True
        )
        return [
            f"{self._addresses[int(Path(found['url']).stem)]}: {found['message']} {found.get('extract', '')}"
            for found in json.loads(done.stdout)["messages"]
        ]
