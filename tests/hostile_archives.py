"""Archives that no bot may come in, by what is wrong with them, and the tools to make more."""

import gzip
import io
import struct
import tarfile
import warnings
import zipfile
import zlib

from stichkampf import limits

BOT = b"class Karl: ...\n"


def zipped(*files, compression=zipfile.ZIP_DEFLATED, windows=False):
    """Make a zip file.

    :param windows: as programs there do, with backslashes and without a word on what is executable.
    """
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", compression) as file:
        for member, content in files:
            if windows:
                info = zipfile.ZipInfo(member)
                info.create_system = 0
                info.filename = member.replace("/", "\\")
            file.writestr(info if windows else member, content)
    return memory.getvalue()


def tarred(*members):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz") as file:
        for member, content in members:
            info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
            if info.isreg():
                info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return memory.getvalue()


def tar_member(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    return info, b""


def zip_with_a_link():
    link = zipfile.ZipInfo("evil")
    link.external_attr = 0o120777 << 16
    return zipped(("bot.py", BOT), (link, b"/etc/passwd"))


def zip_with_a_flipped_bit():
    content = bytearray(zipped(("bot.py", BOT), compression=zipfile.ZIP_STORED))
    content[content.index(b"Karl")] ^= 1
    return bytes(content)


def zip_that_lies_about_a_size():
    content = bytearray(zipped(("bot.py", BOT * 100)))
    directory = content.index(b"PK\x01\x02")
    content[directory + 24 : directory + 28] = (3).to_bytes(4, "little")
    return bytes(content)


def tar_that_lies_about_a_size():
    info = tarfile.TarInfo("bot.py")
    info.size = 10_000_000
    return gzip.compress(info.tobuf() + BOT)


def encrypted_zip():
    content = bytearray(zipped(("bot.py", BOT)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    return bytes(content)


def zip_with_a_nul_in_a_name():
    return zipped(("bot.py", BOT), ("evil_.py", b"")).replace(b"evil_.py", b"evil\0.py")


def zip_with_a_name_twice():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Duplicate name")
        return zipped(("bot.py", BOT), ("bot.py", BOT))


def tar_of_headers(*headers):
    """Make a tar file whose bot follows these headers, each a kind and what it holds."""
    members = [*headers, (tarfile.REGTYPE, BOT)]
    parts = []
    for kind, content in members:
        info = tarfile.TarInfo("bot.py" if kind == tarfile.REGTYPE else "header")
        info.type, info.size = kind, len(content)
        parts.append(info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512))
    return gzip.compress(b"".join(parts) + bytes(1024), 1)


def tar_with_settings(**settings):
    """Make a tar file that says this about its bot in headers of PAX."""
    info = tarfile.TarInfo("bot.py")
    info.pax_headers = settings
    return tarred((info, BOT))


def zip_of_entries(number):
    """Make a zip file whose directory names its bot so often."""
    content = zipped(("bot.py", BOT))
    directory, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    entries = content[directory:end] * number
    told = min(number, 0xFFFF)
    tail = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, told, told, len(entries), directory, 0)
    return content[:directory] + entries + tail


def zip_of_files_inside_one_another(number):
    """Make a zip file of which each file holds all files after it, so that few bytes unpack to many."""
    body, entries = b"", []
    for name in (b"%d" % n for n in range(number)):
        sizes = struct.pack("<III", zlib.crc32(body), len(body), len(body))
        body = struct.pack("<4sHHHHH12sHH", b"PK\3\4", 20, 0, 0, 0, 0, sizes, len(name), 0) + name + body
        entries.append((name, sizes, len(body)))
    directory = b"".join(
        struct.pack(
            "<4s6H12s5HII", b"PK\1\2", 20, 20, 0, 0, 0, 0, sizes, len(name), 0, 0, 0, 0, 0, len(body) - start
        )
        + name
        for name, sizes, start in entries
    )
    tail = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, number, number, len(directory), len(body), 0)
    return body + directory + tail


def zip_whose_two_names_differ():
    content = zipped(("bot.py", BOT), ("evil.py", b""))
    return content.replace(b"evil.py", b"../e.py", 1)


def with_manifest(manifest):
    return zipped(("stichkampf.toml", manifest), ("bot.py", BOT))


HOSTILE = {
    "no archive": lambda: b"hello",
    "a zip that ends": lambda: b"PK\x03\x04rest",
    "a gzip that ends": lambda: b"\x1f\x8brest",
    "a zip cut short": lambda: zipped(("bot.py", BOT))[:-30],
    "a tar cut short": lambda: tarred(("bot.py", BOT))[:-30],
    "a flipped bit": zip_with_a_flipped_bit,
    "a zip that lies about a size": zip_that_lies_about_a_size,
    "a tar that lies about a size": tar_that_lies_about_a_size,
    "a zip with a password": encrypted_zip,
    "a rare compression": lambda: zipped(("bot.py", BOT), compression=zipfile.ZIP_BZIP2),
    "a name that leads out of a zip": lambda: zipped(("bot.py", BOT), ("../evil.py", b"")),
    "a name that leads out of a tar": lambda: tarred(("bot.py", BOT), ("/etc/cron", b"")),
    "a nul in a name": zip_with_a_nul_in_a_name,
    "a name twice": zip_with_a_name_twice,
    "two names for one file": lambda: tarred(("bot.py", BOT), ("a.py", b""), ("A.py", b"")),
    "a link in a zip": zip_with_a_link,
    "a link in a tar": lambda: tarred(("bot.py", BOT), tar_member("evil", tarfile.SYMTYPE, "bot.py")),
    "a device in a tar": lambda: tarred(("bot.py", BOT), tar_member("evil", tarfile.CHRTYPE)),
    "a bomb": lambda: zipped(("bot.py", BOT), ("zeros", bytes(limits.UNPACKED_BYTES + 1))),
    "a directory of a zip that fills the memory": lambda: zip_of_entries(100_000),
    "files of a zip inside one another": lambda: zip_of_files_inside_one_another(300),
    "two names of one file in a zip": zip_whose_two_names_differ,
    "a tar's settings that fill the memory": lambda: tar_of_headers(
        (tarfile.XHDTYPE, b"".join(b"14 k%07d=v\n" % n for n in range(100_000)))
    ),
    "a long name that fills the memory": lambda: tar_of_headers(
        (tarfile.GNUTYPE_LONGNAME, b"a/" * 1_000_000)
    ),
    "long names one after the other": lambda: tar_of_headers(*[(tarfile.GNUTYPE_LONGNAME, b"a\0")] * 5_000),
    "settings one after the other": lambda: tar_of_headers(*[(tarfile.XGLTYPE, b"")] * 5_000),
    "a path in a tar's settings": lambda: tar_with_settings(path="../bot.py"),
    "a size in a tar's settings": lambda: tar_with_settings(size="99999999999"),
    "a sparse file by a tar's settings": lambda: tar_with_settings(
        **{"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999"}
    ),
    "a sparse file": lambda: tarred(("bot.py", BOT), tar_member("holes", tarfile.GNUTYPE_SPARSE)),
    "a hard link for the bot": lambda: tarred(tar_member("bot.py", tarfile.LNKTYPE, "/etc/passwd")),
    "a link for a folder": lambda: tarred(
        ("bot.py", BOT), tar_member("lib", tarfile.SYMTYPE, "/tmp"), ("lib/a.py", b"")
    ),
    "names that differ in sharp s": lambda: zipped(("bot.py", BOT), ("straße", b""), ("STRASSE", b"")),
    "names that differ in a ligature": lambda: zipped(("bot.py", BOT), ("\ufb01", b""), ("fi", b"")),
    "a name that no file system takes": lambda: zipped(("bot.py", BOT), ("ü" * 150, b"")),
    "a name that turns its direction": lambda: zipped(("bot.py", BOT), ("a\u202egnp.py", b"")),
    "too many folders": lambda: zipped(("bot.py", BOT), *((f"{n}/", b"") for n in range(1_000))),
    "too many files": lambda: zipped(("bot.py", BOT), *((f"{n}.txt", b"") for n in range(1_000))),
    "a folder around the bot": lambda: tarred(("karl/bot.py", BOT)),
    "no bot": lambda: zipped(("readme.txt", b"")),
    "a manifest that is not TOML": lambda: with_manifest(b"name = "),
    "an unknown key": lambda: with_manifest(b'name = "Karl"\ncolour = "red"'),
    "a command that is not there": lambda: with_manifest(
        b'name = "Karl"\ncommand = ["./karl"]\nlanguage = "C"'
    ),
    "an unknown weight class": lambda: with_manifest(b'name = "Karl"\nweight = "heavy"'),
}
"""Makers of hostile archives, by what is wrong; each is small or quickly made."""
