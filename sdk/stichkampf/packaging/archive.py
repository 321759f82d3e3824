"""The archive of a submitted bot: a zip or tar.gz file, checked without being unpacked.

No size in an archive is believed: bytes are counted while they are read, and only plain files and folders
with plain names pass. An archive that passed the check is safe to unpack with `unpack` into an empty folder.
"""

from __future__ import annotations

import hashlib
import io
import stat
import unicodedata
import zipfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stichkampf import limits
from stichkampf.errors import ArchiveError
from stichkampf.limits import WEIGHT_CLASSES, WeightClass
from stichkampf.packaging.manifest import DEFAULT_ENTRY, MANIFEST_NAME, Manifest, read_manifest
from stichkampf.packaging.members import chunks, members, plain_path
from stichkampf.packaging.models import MODEL_SUFFIX, check_model
from stichkampf.packaging.parts import FIRST_LINE_BYTES, ONNXRUNTIME, PROGRAMS, parts_of

MACOS = "macOS"
FOREIGN_PROGRAMS = {
    b"MZ": "Windows",
    b"\xcf\xfa\xed\xfe": MACOS,
    b"\xce\xfa\xed\xfe": MACOS,
    b"\xca\xfe\xba\xbe": MACOS,
}
"""The first bytes of programs that other systems start."""


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A checked archive.

    :ivar sha256: the digest of the archive file, lower-case hexadecimal.
    :ivar archive_bytes: the size of the archive file.
    :ivar files: path and size of each file, in the archive's order.
    :ivar parts: the parts of the sandbox's runtime that its program needs; see `stichkampf.packaging.parts`.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> file = folder / "mine.py"
    >>> _ = file.write_text("from stichkampf import Bot")
    >>> archive = check_archive(pack(file))
    >>> archive.files, archive.manifest.entry
    ((('bot.py', 26),), 'bot.py')
    """

    sha256: str
    archive_bytes: int
    files: tuple[tuple[str, int], ...]
    manifest: Manifest
    parts: tuple[str, ...]

    def receipt(self) -> str:
        """Tell its sizes, as the first line of a validation does."""
        files = f"{len(self.files)} file{'s' * (len(self.files) != 1)}"
        unpacked = sum(size for _, size in self.files)
        sizes = f"{self.archive_bytes:,} bytes: {files}, {unpacked:,} bytes unpacked"
        return f"Received {sizes}; the archive is valid."


def check_archive(content: bytes) -> Archive:
    """Check the bytes of an archive.

    :raises ArchiveError: it is no zip or tar.gz file, too large, holds anything but plain files, or no bot.

    >>> check_archive(b"")
    Traceback (most recent call last):
    stichkampf.errors.ArchiveError: the archive is empty; send a zip or tar.gz file
    """
    names = _Names()
    files: list[tuple[str, int]] = []
    first_lines: dict[str, bytes] = {}
    manifest_bytes: bytes | None = None
    left = limits.UNPACKED_BYTES
    for member in members(content):
        names.add(member.path, is_folder=member.content is None)
        if member.content is None:
            continue
        size = 0
        kept = bytearray()
        for chunk in chunks(member.content):
            if not size:
                first_lines[member.path] = chunk[:FIRST_LINE_BYTES].split(b"\n")[0]
            size += len(chunk)
            if size > left:
                raise ArchiveError(
                    f"unpacked, the files are larger than {limits.UNPACKED_BYTES:,} bytes together"
                )
            if member.path == MANIFEST_NAME:
                if size > limits.MANIFEST_BYTES:
                    raise ArchiveError(f"{MANIFEST_NAME} is larger than {limits.MANIFEST_BYTES:,} bytes")
                kept += chunk
        left -= size
        files.append((member.path, size))
        if member.path == MANIFEST_NAME:
            manifest_bytes = bytes(kept)
    manifest = _find_bot({path for path, _ in files}, manifest_bytes)
    _check_programs(manifest, first_lines)
    _check_weight(manifest.weight, len(content), limits.UNPACKED_BYTES - left)
    if ONNXRUNTIME in manifest.weight.parts:
        _check_models(content)
    parts = manifest.parts
    if parts is None:
        scripts = {path: line for path, line in first_lines.items() if line.startswith(b"#!")}
        parts = parts_of(manifest.command, scripts)
    return Archive(
        sha256=hashlib.sha256(content).hexdigest(),
        archive_bytes=len(content),
        files=tuple(files),
        manifest=manifest,
        parts=tuple(dict.fromkeys((*parts, *manifest.weight.parts))),
    )


def unpack(content: bytes, folder: Path) -> Archive:
    """Check an archive and write its files below `folder`, which must be empty and private.

    The file that the manifest's command starts becomes executable: archives of Windows say nothing of that.

    :raises ArchiveError: as `check_archive`, before anything is written.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "mine.py").write_text("from stichkampf import Bot")
    >>> _ = unpack(pack(folder / "mine.py"), folder / "unpacked")
    >>> (folder / "unpacked" / "bot.py").read_text()
    'from stichkampf import Bot'
    """
    archive = check_archive(content)
    for member in members(content):
        target = folder.joinpath(*PurePosixPath(member.path).parts)
        if member.content is None:
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            for chunk in chunks(member.content):
                file.write(chunk)
        is_executable = member.is_executable or member.path == archive.manifest.program
        target.chmod(0o755 if is_executable else 0o644)
    return archive


def pack(path: Path) -> bytes:
    """Make the archive of a bot: of a folder with its files, or of one Python file, which becomes `bot.py`.

    Equal files make equal bytes. Dot files, `__pycache__`, symbolic links and tests are left out.

    :raises ArchiveError: there is no bot, or it is too large.

    >>> pack(Path("missing"))
    Traceback (most recent call last):
    stichkampf.errors.ArchiveError: 'missing' is neither a folder nor a Python file
    """
    if path.is_dir():
        tests = set(tests_in(path))
        found = sorted(
            (name, file)
            for file in path.rglob("*")
            if _is_wanted(file, path) and (name := file.relative_to(path).as_posix()) not in tests
        )
    elif path.is_file() and path.suffix == ".py":
        found = [(DEFAULT_ENTRY, path)]
    else:
        raise ArchiveError(f"{str(path)!r} is neither a folder nor a Python file")
    return _packed((name, file.read_bytes(), _is_executable(file)) for name, file in found)


def tests_in(folder: Path) -> list[str]:
    """Return the files of a bot's folder that are its tests, which `pack` leaves out.

    These are what pytest takes for tests, files in folders `tests`, and records that `debug --test` wrote.
    A file that the manifest names is none.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("bot.py", "test_r_8.py", "r_8.json", "weights.json"):
    ...     (folder / name).touch()
    >>> tests_in(folder)
    ['r_8.json', 'test_r_8.py']
    """
    files = [file for file in folder.rglob("*") if _is_wanted(file, folder)]
    manifest = folder / MANIFEST_NAME
    read = read_manifest(manifest.read_bytes()) if manifest.is_file() else Manifest()
    named = {DEFAULT_ENTRY, read.entry, read.program}
    return sorted(
        name
        for file in files
        if (name := file.relative_to(folder).as_posix()) not in named and _is_test(file, folder)
    )


def _is_test(file: Path, root: Path) -> bool:
    if "tests" in file.relative_to(root).parts[:-1] or file.name == "conftest.py":
        return True
    if file.suffix == ".json":
        return (file.parent / f"test_{file.stem}.py").is_file()
    return file.suffix == ".py" and (file.name.startswith("test_") or file.stem.endswith("_test"))


def pack_source(source: bytes) -> bytes:
    """Make the archive of a bot that is one Python file, from the bytes of that file.

    :raises ArchiveError: it is too large.

    >>> check_archive(pack_source(b"from stichkampf import Bot")).files
    (('bot.py', 26),)
    """
    return _packed([(DEFAULT_ENTRY, source, False)])


def _packed(files: Iterable[tuple[str, bytes, bool]]) -> bytes:
    """Make a checked archive of files: their paths, contents, and whether they are executable."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, executable in files:
            info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
            archive.writestr(info, content)
    check_archive(memory.getvalue())
    return memory.getvalue()


def _is_executable(file: Path) -> bool:
    return bool(file.stat().st_mode & stat.S_IXUSR)


def _is_wanted(file: Path, root: Path) -> bool:
    parts = file.relative_to(root).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return not hidden and not file.is_symlink() and file.is_file()


def _find_bot(paths: set[str], manifest_bytes: bytes | None) -> Manifest:
    manifest = Manifest() if manifest_bytes is None else read_manifest(manifest_bytes)
    misnamed = [path for path in sorted(paths) if path != MANIFEST_NAME and _seems_a_manifest(path)]
    if misnamed:
        raise ArchiveError(f"{misnamed[0]!r} would not be read; name it {MANIFEST_NAME}, in small letters")
    if manifest.command and manifest.command[0] in paths - PROGRAMS.keys():
        name = manifest.command[0]
        raise ArchiveError(f'{name!r} is looked for among the programs of the machine; write "./{name}"')
    wanted = manifest.entry or manifest.program
    if wanted in paths or not wanted:
        return manifest
    if manifest_bytes is not None:
        raise ArchiveError(
            f"{MANIFEST_NAME} names {wanted!r}, and the archive holds no such file; it holds {_some(paths)}"
        )
    nested = next(
        (path for path in sorted(paths) if PurePosixPath(path).name in (DEFAULT_ENTRY, MANIFEST_NAME)), None
    )
    hint = (
        f"found {nested!r}: pack the content of that folder, not the folder itself"
        if nested
        else f"it holds {_some(paths)}"
    )
    raise ArchiveError(
        f"there is no bot: the archive needs {DEFAULT_ENTRY} or {MANIFEST_NAME} at its root; {hint}"
    )


def _seems_a_manifest(path: str) -> bool:
    """Tell whether somebody meant the manifest: editors add an ending, and some systems ignore capitals."""
    return path.casefold() in (MANIFEST_NAME, f"{MANIFEST_NAME}.txt", f"{MANIFEST_NAME}.toml")


def _check_programs(manifest: Manifest, first_lines: Mapping[str, bytes]) -> None:
    """Check that the system can start the program, and the shell read a script.

    :raises ArchiveError: it is one of another system, or was saved as Windows does.
    """
    start = first_lines.get(manifest.program, b"")
    system = next((name for magic, name in FOREIGN_PROGRAMS.items() if start.startswith(magic)), None)
    if system:
        raise ArchiveError(
            f"{manifest.program!r} is a program for {system}; bots run on Linux, so build it there"
        )
    in_command = {plain_path(word) for word in manifest.command} & first_lines.keys()
    for path in sorted(in_command):
        line = first_lines[path]
        if path == manifest.program and line.startswith(BOM_UTF8 + b"#!"):
            raise ArchiveError(
                f"{path!r} begins with a byte order mark, so the system does not see its #!; save it as UTF-8"
                " without one"
            )
        if line.endswith(b"\r") and (line.startswith(b"#!") or "sh" in parts_of(manifest.command, {})):
            raise ArchiveError(
                f"the lines of {path!r} end with CR LF, as on Windows, so its first line reads"
                f" {line.decode('utf-8', 'replace')!r}; save it with LF alone"
            )


def _check_weight(weight: WeightClass, archive_bytes: int, unpacked_bytes: int) -> None:
    larger = next(
        (other for other in WEIGHT_CLASSES.values() if other.archive_bytes > weight.archive_bytes), None
    )
    with_larger = f'; {{:,}} with weight = "{larger.name}" in {MANIFEST_NAME}' if larger else ""
    if archive_bytes > weight.archive_bytes:
        hint = with_larger.format(larger.archive_bytes) if larger else ""
        raise ArchiveError(
            f"the archive has {archive_bytes:,} bytes; at most {weight.archive_bytes:,} are possible{hint}"
        )
    if unpacked_bytes > weight.unpacked_bytes:
        hint = with_larger.format(larger.unpacked_bytes) if larger else ""
        raise ArchiveError(
            f"unpacked, the files are larger than {weight.unpacked_bytes:,} bytes together{hint}"
        )


def _check_models(content: bytes) -> None:
    for member in members(content):
        if member.content is not None and member.path.lower().endswith(MODEL_SUFFIX):
            check_model(member.path, b"".join(chunks(member.content)))


def _some(paths: set[str]) -> str:
    shown = ", ".join(sorted(paths)[:5])
    return f"{shown} and {len(paths) - 5} more" if len(paths) > 5 else shown or "no file"


class _Names:
    """The paths seen so far, to find those that some file system could take for one another."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, bool, int]] = {}
        self._count = 0

    def add(self, path: str, *, is_folder: bool) -> None:
        self._count += 1
        if self._count > limits.ARCHIVE_FILES:
            raise ArchiveError(f"there are more than {limits.ARCHIVE_FILES:,} files and folders")
        parts = _parts(path)
        for depth in range(1, len(parts) + 1):
            spelled = "/".join(parts[:depth])
            folder = is_folder or depth < len(parts)
            folded = unicodedata.normalize("NFC", spelled).casefold()
            before = self._seen.setdefault(folded, (spelled, folder, self._count))
            if (before[2] != self._count and before[:2] != (spelled, True)) or before[1] != folder:
                raise ArchiveError(
                    f"{path!r} and {before[0]!r} stand for the same file; every name may appear once"
                )


def _parts(path: str) -> list[str]:
    """The parts of a plain relative path.

    :raises ArchiveError: it leads out of the archive, is too long, or has characters that no name may have.
    """
    if not path.isprintable() or "\\" in path or ":" in path:
        raise ArchiveError(
            f"the name {path!r} has a control character, backslash or colon; use letters, digits and '/'"
        )
    parts = path.rstrip("/").split("/")
    if path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ArchiveError(
            f"the name {path!r} leads out of the archive; use plain relative paths such as 'lib/cards.py'"
        )
    longest = max(len(part.encode()) for part in parts)
    if len(path) > limits.PATH_CHARACTERS or len(parts) > limits.PATH_DEPTH or longest > limits.NAME_BYTES:
        raise ArchiveError(
            f"the name {path[:60]!r}… is too long; at most {limits.PATH_CHARACTERS} characters,"
            f" {limits.PATH_DEPTH} folders and {limits.NAME_BYTES} bytes between two '/' are possible"
        )
    return parts
