"""Archives that no bot may come in, by what is wrong with them, and the tools to make more."""

import gzip
import io
import tarfile
import warnings
import zipfile

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
