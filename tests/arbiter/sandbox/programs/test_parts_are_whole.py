"""A bot of each part loads what its program loads on this machine: modules of each kind."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys

import pytest
from stichkampf.limits import NET
from stichkampf_arbiter.sandbox.contract import PYTHON
from stichkampf_arbiter.sandbox.limits import Limits
from stichkampf_arbiter.sandbox.programs.elf import MAGIC, named_files
from stichkampf_arbiter.sandbox.programs.parts import PATH, SHELL_PROGRAMS

NOT_SHOWN = {"ensurepip", "idlelib", "turtledemo"}
"""Modules of Python that install packages, edit and teach."""
STANDARD_LIBRARY = """
import sys
for name in sorted(sys.stdlib_module_names - {"antigravity", "this"}):
    try:
        __import__(name)
    except ImportError:
        print(name, end=" ", file=sys.stderr)
"""
PACKAGES = "grpc.aio, google.protobuf.json_format, typing_extensions, mypy_extensions, librt, numpy.linalg"
JAVASCRIPT = {
    "what is built in": 'for (const name of require("node:module").builtinModules) require(name)',
    "a module of its own, from a module": """
        const { writeFileSync } = require("node:fs");
        writeFileSync("/tmp/own.cjs", "exports.lead = () => 'sun 3'; exports.follow = 1;");
        writeFileSync("/tmp/own.mjs", "import { lead } from './own.cjs'; export const card = lead();");
        import("/tmp/own.mjs").then(({ card }) => { if (card !== "sun 3") process.exit(3); });
    """,
    "a module in WebAssembly": """
        const seven = "0061736d010000000105016000017f03020100070501016100000a0601040041070b";
        const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(seven, "hex")));
        if (instance.exports.a() !== 7) process.exit(3);
    """,
    "what lies in files of its distribution": """
        new Headers({ card: "sun 3" }); new Request("http://bot/"); new FormData();
        require("node:path").matchesGlob?.("bot.js", "*.js");
        require("node:repl").start({ input: require("node:stream").Readable.from([]),
                                     output: new (require("node:stream").PassThrough)() });
    """,
    "words of many languages": """
        const words = ["Zug", "Äste", "Ast"].sort(new Intl.Collator("de").compare).join();
        if (words !== "Ast,Äste,Zug") process.exit(3);
    """,
    "a thread": """
        const { Worker } = require("node:worker_threads");
        new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true })
            .on("message", number => { if (number !== 1) process.exit(3); });
    """,
}
PERL = """
for my $module (qw(strict POSIX List::Util Storable Time::HiRes JSON::PP Encode Digest::SHA Data::Dumper
                   Socket IO::Select Unicode::UCD Compress::Zlib Compress::Bzip2 DB_File Math::BigInt threads
                   charnames utf8 Text::ParseWords Getopt::Long)) {
    eval "require $module; 1" or print STDERR "$module ";
}
print STDERR "no case folding " unless lc("\\x{c4}") eq "\\x{e4}" and "\\x{3b1}" =~ /\\p{Greek}/;
"""
AWK = {
    "mawk": 'BEGIN { exit 0 * length("sun 3") }',
    "gawk": """
        @include "join"
        @load "ordchr"
        BEGIN { split("sun 3", words); exit join(words, 1, 2, "-") != "sun-3" || ord("A") != 65 }
    """,
}


def said(arena, *command: str, parts: tuple[str, ...] = (), limits: Limits | None = None) -> str:
    """Return what a bot with these parts complains of."""
    spec = dataclasses.replace(arena.spec("", limits=limits), command=command, parts=parts)
    report = arena.wait(arena.launch(spec))
    assert (report.kind, report.code) == ("exited", 0), report
    return report.stderr


def said_here(*command: str) -> str:
    """Return what the same program complains of on this machine."""
    environment = {"PATH": PATH, "LANG": "C.UTF-8"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr


def test_a_bot_imports_all_of_pythons_library_that_this_machine_has(arena):
    quiet = ("-I", "-W", "ignore", "-c", STANDARD_LIBRARY)
    here = set(said_here(sys.executable, *quiet).split())
    assert set(said(arena, PYTHON, *quiet).split()) - here <= NOT_SHOWN


def test_a_bot_imports_every_package_that_it_may_rely_on(arena):
    assert said(arena, PYTHON, "-I", "-c", f"import stichkampf.client, {PACKAGES}") == ""


@pytest.mark.parametrize("code", JAVASCRIPT.values(), ids=JAVASCRIPT.keys())
def test_a_bot_in_javascript_loads(arena, code):
    words = ("node", "--no-warnings", "--max-old-space-size=150", "-e", code)
    assert said(arena, *words, parts=("javascript",)) == ""


def test_a_bot_in_perl_uses_the_modules_of_perl_that_this_machine_has(arena):
    assert said(arena, "perl", "-e", PERL, parts=("perl",)) == said_here("perl", "-e", PERL)


@pytest.mark.parametrize("program", AWK)
def test_a_bot_in_awk_uses_what_awk_brings(arena, program):
    assert said(arena, program, AWK[program], parts=("awk",)) == ""


def test_a_bot_in_shell_starts_every_program_that_this_machine_has(arena):
    programs = [name for name in SHELL_PROGRAMS.split() if shutil.which(name, path=PATH)]
    code = 'for name do "$name" --help </dev/null >/dev/null 2>&1; [ $? -lt 126 ] || echo "$name" >&2; done'
    assert len(programs) > 50
    assert said(arena, "sh", "-c", code, "sh", *programs, parts=("sh",)) == ""


def test_a_bot_with_a_net_imports_its_runtime(arena):
    code = "import onnxruntime; onnxruntime.SessionOptions()"
    words = (PYTHON, "-I", "-c", code)
    assert "Traceback" not in said(arena, *words, parts=("onnxruntime",), limits=Limits.of(NET))


def test_files_that_a_program_names_by_their_whole_paths_are_found(tmp_path):
    lexer = tmp_path / "node_modules" / "lexer@2" / "lexer.js"
    lexer.parent.mkdir(parents=True)
    for path in (lexer, tmp_path / "other.json"):
        path.touch()
    program = tmp_path / "program"
    names = [f"internal/lexer:{lexer}", str(tmp_path / "absent.js"), str(tmp_path / "other.json"), ".js"]
    program.write_bytes(MAGIC + b"".join(b"\0" + os.fsencode(name) for name in names) + b"\0")
    assert list(named_files(program, (b".js", b".mjs"))) == [lexer]
