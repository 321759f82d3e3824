"""The archives of bots that play in a sandbox, made from what the command line names."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from stichkampf.errors import ArchiveError, BotError
from stichkampf.local_play.programs import ARCHIVES, LocalProgram
from stichkampf.packaging.archive import check_archive, pack
from stichkampf.packaging.manifest import LINES, MANIFEST_NAME


def archive_of(program: LocalProgram) -> bytes:
    """Return the archive of a bot, as it would be submitted.

    :raises BotError: it is a command without files of its own.
    :raises ArchiveError: its files make no archive.
    """
    if not program.source:
        raise BotError(
            f"{program.name!r} is a command; in the sandbox a bot needs files of its own: a Python file, a"
            " folder with stichkampf.toml, an archive, or an executable file"
        )
    path = Path(program.source)
    try:
        if path.is_dir() or path.suffix == ".py":
            return pack(path)
        content = path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror}") from None
    is_archive = path.name.endswith(ARCHIVES) or zipfile.is_zipfile(path)
    return content if is_archive else _of_executable(path.name, content)


def _of_executable(name: str, content: bytes) -> bytes:
    """Make the archive of one executable file that speaks JSON lines."""
    command = json.dumps([f"./{name}"])  # a JSON array of plain text is one of TOML as well
    manifest = f'name = "Bot"\nlanguage = "any"\nprotocol = "{LINES}"\ncommand = {command}\n'
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as file:
        for member, data in ((name, content), (MANIFEST_NAME, manifest.encode())):
            info = zipfile.ZipInfo(member, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o100755 << 16
            file.writestr(info, data)
    archive = memory.getvalue()
    check_archive(archive)
    return archive
