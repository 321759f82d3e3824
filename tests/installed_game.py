"""The package of docs/new-game.md with its game, as pip lays it out."""

from __future__ import annotations

import tomllib
from pathlib import Path

from documents import code_blocks


def install_whist(folder: Path) -> None:
    """Lay the package out in a folder of packages."""
    (project,) = map(tomllib.loads, code_blocks("docs/new-game.md", "toml"))
    (code,) = code_blocks("docs/new-game.md", "python")
    name, version = project["project"]["name"], project["project"]["version"]
    games = project["project"]["entry-points"]["stichkampf.games"]
    files = {"card_club/__init__.py": "", "card_club/whist.py": code}
    lay_out(folder, name, version, games, files)


def lay_out(
    folder: Path, name: str, version: str, games: dict[str, str], files: dict[str, str] | None = None
) -> None:
    """Lay a package with games out in a folder of packages."""
    about = f"{name.replace('-', '_')}-{version}.dist-info"
    lines = "".join(f"{game} = {place}\n" for game, place in games.items())
    written = {
        **(files or {}),
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/entry_points.txt": f"[stichkampf.games]\n{lines}",
    }
    written[f"{about}/RECORD"] = "".join(f"{file},,\n" for file in written)
    for file, text in written.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
