"""The short way of unpacking does what the long way does, or leaves an archive to it."""

import io
import zipfile

import pytest
from stichkampf.errors import ArchiveError
from stichkampf.packaging.archive import unpack
from stichkampf.packaging.plain_archive import unpack_plain

BOT = "from stichkampf import Bot\n" * 50
MANIFEST = 'name = "Karl"\nlanguage = "sh"\nprotocol = "lines"\ncommand = ["./karl.sh"]\n'


def packed(files, method=zipfile.ZIP_DEFLATED, **attributes):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as file:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            for key, value in attributes.items():
                setattr(info, key, value)
            file.writestr(info, content)
    return memory.getvalue()


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.is_file() and (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("mode", [0, 0o100644, 0o100755])
@pytest.mark.parametrize("program", [False, True])
def test_the_files_are_those_of_the_long_way(tmp_path, method, mode, program):
    files = {"bot.py": BOT, "lib/cards.py": "", "lib/deep/er.txt": b"\0" * 70_000}
    files |= {"stichkampf.toml": MANIFEST, "karl.sh": "#!/bin/sh\n"} if program else {}
    content = packed(files, method, external_attr=mode << 16)
    for name in ("long", "short"):
        (tmp_path / name).mkdir()
    unpack(content, tmp_path / "long")
    assert unpack_plain(content, str(tmp_path / "short"), "karl.sh" if program else "")
    assert files_of(tmp_path / "short") == files_of(tmp_path / "long")
    assert len(files_of(tmp_path / "short")) >= 5


UNUSUAL = {
    "not a zip file": b"\x1f\x8b and more, which is no zip file",
    "nothing": b"",
    "the beginning of a zip file": packed({"bot.py": BOT})[:60],
    "something before it": b"PK, says the beginning" + packed({"bot.py": BOT}),
    "something behind it": packed({"bot.py": BOT}) + b"more",
    "a name with an umlaut": packed({"bot.py": BOT, "müller.py": ""}),
    "a name that leads out": packed({"../bot.py": BOT}),
    "a name from the root": packed({"/bot.py": BOT}),
    "a name of Windows": packed({"bot.py": BOT, "lib\\cards.py": ""}),
    "a link": packed({"bot.py": BOT}, external_attr=0o120777 << 16),
    "a device": packed({"bot.py": BOT}, external_attr=0o020777 << 16),
    "a rare method": packed({"bot.py": BOT}, zipfile.ZIP_BZIP2),
    "an encrypted file": packed({"bot.py": BOT}).replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    ),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_an_unusual_archive_is_left_to_the_long_way(tmp_path, kind):
    assert not unpack_plain(UNUSUAL[kind], str(tmp_path), "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["content", "checksum"])
def test_a_damaged_archive_is_told(tmp_path, place):
    content = bytearray(packed({"bot.py": BOT}, zipfile.ZIP_STORED))
    content[content.index(b"from") if place == "content" else content.index(b"PK\x01\x02") + 16] ^= 1
    with pytest.raises(ArchiveError, match="damaged"):
        unpack_plain(bytes(content), str(tmp_path), "")
