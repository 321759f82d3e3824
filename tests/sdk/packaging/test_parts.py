"""The parts of the runtime that an archive asks for, or that follow from its command."""

import pytest
from stichkampf.errors import ArchiveError
from stichkampf.packaging.archive import check_archive
from stichkampf.packaging.parts import PROGRAMS
from support import archive


def parts(manifest: str, karl: bytes = b"\x7fELF") -> tuple[str, ...]:
    return check_archive(archive({"stichkampf.toml": manifest, "karl": karl, "bot.py": ""})).parts


def command(text: str) -> str:
    return f'name = "Karl"\nlanguage = "X"\ncommand = {text}\n'


def test_a_python_bot_needs_no_further_part():
    assert parts('name = "Karl"\n') == ()


def test_a_python_bot_may_ask_for_programs():
    assert parts('name = "Karl"\nparts = ["sh", "awk"]\n') == ("sh", "awk")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_command_that_names_an_interpreter_gets_its_part(program):
    assert parts(command(f'["{program}", "karl"]')) == (PROGRAMS[program],)
    assert parts(command(f'["/usr/bin/{program}", "karl"]')) == (PROGRAMS[program],)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"#!/usr/bin/perl -w\n", ("perl",)),
        (b"#! /bin/sh\n", ("sh",)),
        (b"#!/usr/bin/env node\n", ("javascript",)),
        (b"#!/usr/bin/env -S LANG=C awk -f\n", ("awk",)),
        (b"#!/usr/bin/env python3\n", ()),
        (b"#!\n", ()),
        (b"\x7fELF", ()),
    ],
)
def test_a_file_of_the_archive_gets_the_part_that_its_first_line_names(line, found):
    assert parts(command('["./karl"]'), line) == found


def test_a_manifest_that_lists_parts_gets_those_and_no_others():
    assert parts(command('["./karl"]') + 'parts = ["sh"]\n', b"#!/usr/bin/perl\n") == ("sh",)


def test_an_unknown_part_is_refused_with_the_names_of_all():
    with pytest.raises(ArchiveError, match="unknown part 'cobol'; possible are python, javascript, perl"):
        parts('name = "Karl"\nparts = ["cobol"]\n')
