"""Only plain archives of a bot pass, and every refusal says what would be right."""

import io
import tarfile
import tracemalloc
import unicodedata
import zipfile
from contextlib import suppress

import hostile_archives
import pytest
from hostile_archives import (
    BOT,
    encrypted_zip,
    tar_member,
    tar_of_headers,
    tar_that_lies_about_a_size,
    tarred,
    zip_of_entries,
    zip_that_lies_about_a_size,
    zip_with_a_flipped_bit,
    zip_with_a_nul_in_a_name,
    zipped,
)
from stichkampf import limits
from stichkampf.errors import ArchiveError
from stichkampf.packaging.archive import check_archive, pack, unpack


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_lone_bot_needs_no_manifest(make):
    archive = check_archive(make(("bot.py", BOT)))
    assert archive.files == (("bot.py", len(BOT)),)
    assert archive.manifest.entry == "bot.py"


def test_tests_are_left_out_of_a_folder_unless_the_manifest_names_them(tmp_path):
    for name in (
        "bot.py",
        "test_r_8.py",
        "r_8.json",
        "weights.json",
        "tests/helper.py",
        "conftest.py",
        "latest.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(BOT)
    kept = [path for path, _ in check_archive(pack(tmp_path)).files]
    assert kept == ["bot.py", "latest.py", "weights.json"]
    (tmp_path / "stichkampf.toml").write_text('name = "Karl"\nentry = "test_r_8.py"\n')
    assert "test_r_8.py" in [path for path, _ in check_archive(pack(tmp_path)).files]


@pytest.mark.parametrize("make", [zipped, tarred])
def test_the_manifest_names_bot_games_and_file(make):
    manifest = b'name = "Karl"\ngames = ["mue"]\nentry = "src/karl.py"\nclass = "Karl"\n'
    found = check_archive(make(("stichkampf.toml", manifest), ("src/karl.py", BOT))).manifest
    assert (found.name, found.games, found.entry, found.class_name) == (
        "Karl",
        ("mue",),
        "src/karl.py",
        "Karl",
    )


def test_another_language_names_its_command():
    manifest = b'name = "Karl"\nlanguage = "Rust"\ncommand = ["./karl", "-q"]\n'
    assert check_archive(zipped(("stichkampf.toml", manifest), ("karl", b"\x7fELF"))).manifest.command == (
        "./karl",
        "-q",
    )


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"name = ", "not TOML"),
        (b"\xff", "not TOML in UTF-8"),
        (b'name = "Karl"\ncolour = "red"', "unknown key 'colour'"),
        (b'name = ""', "needs a name of 1 to 40"),
        (b'name = "a\\nb"', "needs a name"),
        (b'name = "Karl"\ngames = "mue"', "must be a list of texts"),
        (b'name = "Karl"\nentry = 7', "must be a text"),
        (b'name = "Karl"\nentry = "karl.py"', "names 'karl.py', and the archive holds no such file"),
        (b'name = "Karl"\ncommand = ["./karl"]', "no language"),
        (b'name = "Karl"\ncommand = ["./karl"]\nlanguage = "C"', "names 'karl'"),
        (b'name = "Karl"\ncommand = ["x"]\nentry = "bot.py"\nlanguage = "C"', "keep one"),
        (b'name = "Karl"\nweight = "heavy"', "unknown weight class 'heavy'; possible are light, net"),
        (
            b'name = "Karl"\nparts = ["onnxruntime"]',
            "'onnxruntime', which .*: write weight = \"net\" instead",
        ),
        (b'name = "Karl"\n#' + b"x" * limits.MANIFEST_BYTES, "larger than 16,384 bytes"),
    ],
)
def test_a_wrong_manifest_is_refused(manifest, message):
    with pytest.raises(ArchiveError, match=message):
        check_archive(zipped(("stichkampf.toml", manifest), ("bot.py", BOT)))


HOSTILE = (
    "0", "-1", str(2**31), str(2**63 - 1), str(10**30), "1e999", "nan", "9" * 5000, "0x" + "f" * 9000,
    "[" * 7000, "{a=" * 2000, "0000-01-01", "9999-12-31T23:59:59-23:59", '"' + "x" * 15_000 + '"',
    '["' + "x" * 15_000 + '"]', "[" + "'a'," * 3000 + "]", '"\\u0000"', '["\\u0000"]',
    "[[0x" + "f" * 9000 + "]]",
)  # fmt: skip
KEYS = ("name", "games", "entry", "class", "command", "language", "parts", "protocol", "weight", "seed")


@pytest.mark.parametrize("key", KEYS)
def test_every_value_of_a_manifest_has_bounds_and_is_quoted_in_few_words(key):
    command = (
        {"command": '["./karl"]', "language": '"C"'} if key in ("command", "language", "protocol") else {}
    )
    for value in HOSTILE:
        told = {"name": '"Karl"', **command, key: value}
        manifest = "\n".join(f"{name} = {given}" for name, given in told.items()).encode()
        with pytest.raises(ArchiveError) as refused:
            check_archive(zipped(("stichkampf.toml", manifest), ("bot.py", BOT), ("karl", b"")))
        assert len(str(refused.value)) < 400, (key, value[:20])


def test_no_number_in_the_head_of_a_zip_is_more_than_a_reason_to_refuse_it():
    good = zipped(("bot.py", BOT), ("stichkampf.toml", b'name = "Karl"\n'))
    for place in range(len(good) - 1):
        for number in (b"\0\0", b"\xff\xff", b"\xff\x7f", b"\0\0\0\0", b"\xff\xff\xff\x7f"):
            with suppress(ArchiveError):
                check_archive(good[:place] + number + good[place + len(number) :])


def test_two_names_for_one_place_in_a_zip_are_refused():
    good = zipped(("bot.py", BOT), ("notes", b"n"))
    with zipfile.ZipFile(io.BytesIO(good)) as file:
        place = file.getinfo("notes").header_offset.to_bytes(4, "little")
    entry = good.rindex(b"PK\1\2")
    assert good[entry + 42 : entry + 46] == place
    with pytest.raises(ArchiveError, match="lies where another file of the archive does"):
        check_archive(good[: entry + 42] + bytes(4) + good[entry + 46 :])


@pytest.mark.parametrize("number", ["0", "-1", str(2**63 - 1), str(10**30), "1e999", "NaN", "9" * 5000])
@pytest.mark.parametrize("name", ["size", "mtime", "uid", "GNU.sparse.size", "GNU.sparse.map", "path"])
def test_no_number_in_the_head_of_a_tar_is_more_than_a_reason_to_refuse_it(name, number):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz", format=tarfile.PAX_FORMAT) as file:
        info = tarfile.TarInfo("bot.py")
        info.size, info.pax_headers = len(BOT), {name: number}
        file.addfile(info, io.BytesIO(BOT))
    with suppress(ArchiveError):
        check_archive(memory.getvalue())


COMMAND = b'name = "Karl"\nlanguage = "sh"\ncommand = ["./tools/karl.sh"]\nprotocol = "lines"\n'


def test_an_archive_of_windows_is_read_and_its_program_can_start(tmp_path):
    manifest, script = ("stichkampf.toml", b"\xef\xbb\xbf" + COMMAND), ("tools/karl.sh", b"#!/bin/sh\n")
    archive = unpack(zipped(manifest, script, ("tools/a.txt", b""), windows=True), tmp_path)
    assert (archive.manifest.command, archive.parts) == (("./tools/karl.sh",), ("sh",))
    assert (tmp_path / "tools" / "karl.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "tools" / "a.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("entry", ["müller.py", "./müller.py", ".\\\\müller.py"])
def test_names_of_macos_and_of_the_manifest_are_compared_in_one_form(make, form, entry, tmp_path):
    manifest = f'name = "Karl"\nentry = "{unicodedata.normalize("NFC", entry)}"\n'.encode()
    name = unicodedata.normalize(form, "./müller.py")
    archive = unpack(make(("stichkampf.toml", manifest), (name, BOT)), tmp_path)
    assert (archive.manifest.entry, archive.files[1][0]) == ("müller.py", "müller.py")
    assert (tmp_path / "müller.py").read_bytes() == BOT


@pytest.mark.parametrize(
    ("manifest", "script", "message"),
    [
        (
            COMMAND,
            b"#!/bin/sh\r\necho\r\n",
            r"'tools/karl.sh' end with CR LF.*'#!/bin/sh\\r'; save it with LF",
        ),
        (COMMAND, b"#!/usr/bin/env perl\r\n", "end with CR LF"),
        (COMMAND, b"\xef\xbb\xbf#!/bin/sh\n", "'tools/karl.sh' begins with a byte order mark"),
        (COMMAND.replace(b'["', b'["sh", "'), b"while read -r question\r\ndo\r\n", "end with CR LF"),
    ],
)
def test_a_script_that_was_saved_as_windows_does_is_refused_by_name(manifest, script, message):
    with pytest.raises(ArchiveError, match=message):
        check_archive(zipped(("stichkampf.toml", manifest), ("tools/karl.sh", script)))


@pytest.mark.parametrize("start", [b"MZ\x90\0", b"\xcf\xfa\xed\xfe\7\0\0\1", b"\xca\xfe\xba\xbe\0\0\0\2"])
def test_a_program_of_another_system_is_refused_by_name(start):
    with pytest.raises(
        ArchiveError, match=r"'tools/karl\.sh' is a program for (Windows|macOS); bots run on Linux"
    ):
        check_archive(zipped(("stichkampf.toml", COMMAND), ("tools/karl.sh", start)))


@pytest.mark.parametrize(
    "name", ["Stichkampf.toml", "STICHKAMPF.TOML", "stichkampf.toml.txt", "stichkampf.toml.toml"]
)
def test_a_manifest_that_would_not_be_read_is_refused_by_name(name):
    with pytest.raises(ArchiveError, match=f"'{name}' would not be read; name it stichkampf.toml"):
        check_archive(zipped(("bot.py", BOT), (name, b'name = "Karl"')))


@pytest.mark.parametrize("name", ["karl.exe", "karl.bat", "karl", "karl.sh"])
def test_a_file_of_the_archive_that_is_named_like_a_program_of_the_machine_is_refused(name):
    manifest = COMMAND.replace(b"./tools/karl.sh", name.encode())
    with pytest.raises(ArchiveError, match=f'programs of the machine; write "./{name}"'):
        check_archive(zipped(("stichkampf.toml", manifest), (name, b"#!/bin/sh\n")))


@pytest.mark.parametrize("command", ["['.\\\\tools\\\\karl.sh']", "['node', '.\\\\tools\\\\karl.sh']"])
def test_paths_of_windows_in_a_command_are_read(command):
    manifest = COMMAND.replace(b'["./tools/karl.sh"]', command.replace("\\\\", "\\").encode())
    archive = check_archive(zipped(("stichkampf.toml", manifest), ("tools/karl.sh", b"#!/bin/sh\n")))
    assert archive.manifest.command[-1] == "./tools/karl.sh"


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_folder_around_the_bot_is_named(make):
    with pytest.raises(ArchiveError, match=r"found 'karl/bot\.py': pack the content of that folder"):
        check_archive(make(("karl/bot.py", BOT)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"PK\x03\x04rest",
        b"\x1f\x8brest",
        zipped(("bot.py", BOT))[:-30],
        tarred(("bot.py", BOT))[:-30],
    ],
    # not from the content, which holds the time: every worker must find the same tests
    ids=["nothing", "no archive", "zip that ends", "gzip that ends", "zip cut short", "tar cut short"],
)
def test_a_damaged_archive_is_refused(content):
    with pytest.raises(ArchiveError, match=r"damaged|neither a zip|empty"):
        check_archive(content)


def test_a_flipped_bit_is_found():
    with pytest.raises(ArchiveError, match="damaged: Bad CRC-32"):
        check_archive(zip_with_a_flipped_bit())


@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/etc/cron", "a/../../b", "a//b", "a\\b", "C:evil", "a\nb", "x" * 201, "d/" * 12 + "x"],
)
def test_a_name_that_leads_out_of_the_archive_is_refused(make, name):
    with pytest.raises(ArchiveError, match="the name"):
        check_archive(make(("bot.py", BOT), (name, b"")))


def test_a_name_with_a_nul_is_refused():
    with pytest.raises(ArchiveError, match="control character"):
        check_archive(zip_with_a_nul_in_a_name())


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("make", [zipped, tarred])
@pytest.mark.parametrize(
    "twins", [("a.py", "a.py"), ("a.py", "A.py"), ("é.py", "e\u0301.py"), ("a", "a/b"), ("Lib/a", "lib/b")]
)
def test_two_names_for_one_file_are_refused(make, twins):
    with pytest.raises(ArchiveError, match="stand for the same file"):
        check_archive(make(("bot.py", BOT), *((name, b"") for name in twins)))


@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_folder_may_hold_two_files(make):
    assert len(check_archive(make(("bot.py", BOT), ("lib/a.py", b""), ("lib/b.py", b""))).files) == 3


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_in_a_tar_are_refused(kind):
    with pytest.raises(ArchiveError, match="link or a device"):
        check_archive(tarred(("bot.py", BOT), tar_member("evil", kind, "bot.py")))


@pytest.mark.parametrize("mode", [0o120777, 0o020666, 0o060666, 0o010666])
def test_links_and_devices_in_a_zip_are_refused(mode):
    link = zipfile.ZipInfo("evil")
    link.external_attr = mode << 16
    with pytest.raises(ArchiveError, match="link or a device"):
        check_archive(zipped(("bot.py", BOT), (link, b"/etc/passwd")))


@pytest.mark.slow
@pytest.mark.parametrize("make", [zipped, tarred])
def test_a_bomb_is_refused_before_it_is_unpacked(make):
    with pytest.raises(ArchiveError, match="unpacked, the files are larger"):
        check_archive(make(("bot.py", BOT), ("zeros", bytes(limits.UNPACKED_BYTES + 1))))


def test_a_zip_that_lies_about_a_size_is_refused():
    with pytest.raises(ArchiveError, match="damaged"):
        check_archive(zip_that_lies_about_a_size())


def test_a_tar_that_lies_about_a_size_is_refused():
    with pytest.raises(ArchiveError, match="damaged"):
        check_archive(tar_that_lies_about_a_size())


def test_an_encrypted_zip_is_refused():
    with pytest.raises(ArchiveError, match="without a password"):
        check_archive(encrypted_zip())


def test_a_rare_compression_is_refused():
    with pytest.raises(ArchiveError, match="deflate"):
        check_archive(zipped(("bot.py", BOT), compression=zipfile.ZIP_BZIP2))


def test_too_many_files_are_refused():
    with pytest.raises(ArchiveError, match="more than 1,000 files"):
        check_archive(zipped(("bot.py", BOT), *((f"{n}.txt", b"") for n in range(1_000))))


def test_too_large_an_archive_is_refused():
    with pytest.raises(ArchiveError, match="at most 67,108,864"):
        check_archive(b"PK" + bytes(limits.ARCHIVE_BYTES))


def test_each_weight_class_has_its_own_limits():
    large = ("weights", bytes(limits.LIGHT.unpacked_bytes))
    manifest = b'name = "Karl"\nweight = "net"\n'
    named = zipped(("stichkampf.toml", manifest), ("bot.py", BOT), large, compression=zipfile.ZIP_STORED)
    assert check_archive(named).manifest.weight == limits.NET
    hint = r'at most 8,388,608 are possible; 67,108,864 with weight = "net" in stichkampf\.toml'
    with pytest.raises(ArchiveError, match=hint):
        check_archive(zipped(("bot.py", BOT), large, compression=zipfile.ZIP_STORED))
    with pytest.raises(
        ArchiveError, match='larger than 16,777,216 bytes together; 75,497,472 with weight = "net"'
    ):
        check_archive(zipped(("bot.py", BOT), large))


def test_a_packed_folder_unpacks_to_the_same_files(tmp_path):
    source, target = tmp_path / "karl", tmp_path / "target"
    (source / "lib").mkdir(parents=True)
    target.mkdir()
    (source / "bot.py").write_bytes(BOT)
    (source / "lib" / "cards.py").write_bytes(b"1")
    (source / ".secret").write_bytes(b"2")
    (source / "run").write_bytes(b"3")
    (source / "run").chmod(0o755)
    content = pack(source)
    assert content == pack(source)
    unpack(content, target)
    files = {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*") if file.is_file()}
    assert files == {"bot.py": BOT, "lib/cards.py": b"1", "run": b"3"}
    assert (target / "run").stat().st_mode & 0o777 == 0o755
    assert (target / "bot.py").stat().st_mode & 0o777 == 0o644


def test_a_tar_unpacks_to_the_same_files(tmp_path):
    unpack(tarred(("./bot.py", BOT), tar_member("./lib", tarfile.DIRTYPE), ("./lib/a.py", b"1")), tmp_path)
    assert (tmp_path / "lib" / "a.py").read_bytes() == b"1"


def test_one_python_file_becomes_the_bot(tmp_path):
    (tmp_path / "karl.py").write_bytes(BOT)
    assert check_archive(pack(tmp_path / "karl.py")).files == (("bot.py", len(BOT)),)


def test_a_folder_without_a_bot_cannot_be_packed(tmp_path):
    with pytest.raises(ArchiveError, match=r"needs bot\.py or stichkampf\.toml"):
        pack(tmp_path)


@pytest.mark.parametrize("make", hostile_archives.HOSTILE.values(), ids=hostile_archives.HOSTILE)
def test_a_hostile_archive_is_refused_in_words_and_writes_nothing(make, tmp_path):
    with pytest.raises(ArchiveError) as refusal:
        unpack(make(), tmp_path / "bot")
    assert 20 < len(str(refusal.value)) < 400
    assert not (tmp_path / "bot").exists()


@pytest.mark.parametrize(
    "make",
    [
        lambda bot: bot + zipped(("bot.py", b"class Other: ...")),
        lambda bot: b"PK and anything" + bot,
        lambda bot: bot + b"anything",
        lambda bot: zipped(("bot.py", BOT), ("inner.zip", bot)),
    ],
    ids=["a second zip file", "bytes before it", "bytes after it", "a zip file in it"],
)
def test_of_more_than_one_archive_one_is_checked_and_the_same_unpacked(make, tmp_path):
    archive = unpack(make(zipped(("bot.py", BOT))), tmp_path / "bot")
    written = {file.name: file.stat().st_size for file in (tmp_path / "bot").iterdir()}
    assert written == dict(archive.files)


def test_what_follows_the_end_of_a_tar_is_not_read(tmp_path):
    unpack(
        tarred(("bot.py", BOT)) + tarred(("bot.py", b"class Other: ..."), ("more.py", b"")), tmp_path / "bot"
    )
    assert [file.read_bytes() for file in (tmp_path / "bot").iterdir()] == [BOT]


def test_an_archive_that_says_much_of_its_files_takes_little_memory():
    said = tar_of_headers((tarfile.XHDTYPE, b"".join(b"14 k%07d=v\n" % n for n in range(200_000))))
    named = zip_of_entries(100_000)
    tracemalloc.start()
    for content in (said, named):
        with pytest.raises(ArchiveError, match=r"at most 4,096,000|of one member is larger than 65,536"):
            check_archive(content)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 * limits.MIB


def test_a_refused_archive_writes_nothing(tmp_path):
    with pytest.raises(ArchiveError):
        unpack(zipped(("bot.py", BOT), ("../evil", b"")), tmp_path)
    assert not list(tmp_path.iterdir())
