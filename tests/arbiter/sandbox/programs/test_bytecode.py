"""Modules in an image are compiled once, when the image is filled."""

import importlib.util
import os
import py_compile
import subprocess
import sys
from pathlib import Path

from stichkampf_arbiter.sandbox.programs.bytecode import compile_missing


def compiled_of(source):
    return Path(importlib.util.cache_from_source(str(source)))


def test_a_module_without_bytecode_gets_some_that_python_takes(tmp_path):
    source = tmp_path / "cards.py"
    source.write_text("print('from the source')\n")
    compile_missing(tmp_path)
    source.write_text("print('from another source')\n")
    command = [sys.executable, "-c", "import cards"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "from the source\n"


def test_bytecode_that_is_current_stays_and_old_bytecode_goes(tmp_path):
    for name in ("current", "old"):
        (tmp_path / f"{name}.py").write_text(f"name = {name!r}\n")
        py_compile.compile(str(tmp_path / f"{name}.py"))
    before = {name: compiled_of(tmp_path / f"{name}.py").read_bytes() for name in ("current", "old")}
    os.utime(tmp_path / "old.py", (1, 1))
    compile_missing(tmp_path)
    assert compiled_of(tmp_path / "current.py").read_bytes() == before["current"]
    assert compiled_of(tmp_path / "old.py").read_bytes() != before["old"]


def test_a_module_in_machine_code_needs_none(tmp_path):
    (tmp_path / "deal.py").write_text("")
    (tmp_path / "deal.cpython-311.so").touch()
    compile_missing(tmp_path)
    assert not compiled_of(tmp_path / "deal.py").exists()
