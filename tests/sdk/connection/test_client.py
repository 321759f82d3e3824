"""The client in a sandbox: what it imports, and what it is told of a bot."""

import importlib.metadata
import io
import json
import subprocess
import sys
import tarfile

import pytest
from stichkampf.connection.client import main
from stichkampf.connection.open_tables import hello
from stichkampf.packaging.manifest import Manifest
from support import archive

NOT_LOADED = frozenset(
    (
        *("argparse", "ast", "asyncio", "concurrent", "dataclasses", "email", "google", "grpc", "inspect"),
        *("importlib.metadata", "logging", "numpy", "pathlib", "platform", "selectors", "shutil", "signal"),
        *("socket", "ssl", "subprocess", "tarfile", "tempfile", "threading", "tokenize", "tomllib"),
        *("traceback", "unicodedata", "zipfile"),
    )
)
LOOK = """
import sys
from stichkampf import client
import hashlib
print(*sorted({name for name in sys.modules if not name.startswith("stichkampf.")}))
assert hashlib.new("sha512", b"").digest() and hashlib.scrypt
"""


def test_it_loads_nothing_that_a_plain_bot_does_without():
    # without `site`, which loads what other packages of this machine ask for
    search = [path for path in sys.path if path]
    code = f"import sys; sys.path[:] = {search!r}\n{LOOK}"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    # `mypy_extensions`, with which the rules count, has Python 3.14 load it
    by_others = {"ast"} if sys.version_info >= (3, 14) else set()
    assert not (NOT_LOADED - by_others) & set(loaded.stdout.split())


def test_its_hello_names_the_versions_of_sdk_and_python():
    said = hello(["mue"]).hello
    assert said.agent.startswith(f"stichkampf/{importlib.metadata.version('stichkampf')} python/3.")
    assert said.games == ["mue"]


@pytest.mark.parametrize("words", [[], ["--archive", "a"], ["--archive", "a", "--socket"], ["--help", "a"]])
def test_words_that_are_not_its_own_are_answered_with_the_right_ones(capsys, words):
    assert main(words) == 2
    assert "--archive ARCHIVE --socket SOCKET" in capsys.readouterr().err


def of_tar(files):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz") as file:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content.encode()))
    return memory.getvalue()


@pytest.mark.parametrize("pack", [archive, of_tar])
@pytest.mark.parametrize("told", [False, True])
def test_a_bot_is_found_by_its_manifest_whether_it_was_told_or_not(tmp_path, monkeypatch, capsys, pack, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    files = {
        "karl.py": "raise ValueError('this is karl')",
        "stichkampf.toml": 'name = "K"\nentry = "karl.py"\n',
    }
    (tmp_path / "archive").write_bytes(pack(files))
    words = ["--archive", "archive", "--socket", "no.sock"]
    assert main([*words, "--manifest", Manifest(entry="karl.py").told()] if told else words) == 1
    assert "ValueError: this is karl" in capsys.readouterr().err


@pytest.mark.parametrize("is_async", [False, True])
def test_rules_and_event_loop_are_loaded_before_the_first_table(is_async):
    code = f"""
import sys
from stichkampf import Bot, client
from stichkampf.connection.client import load_what_it_needs
class Mine(Bot):
    {"async " * is_async}def choose(self, table):
        return table.legal[0]
load_what_it_needs(Mine, ("mue",))
assert "stichkampf.games.mue" in sys.modules and "stichkampf.games.njet" not in sys.modules
print("asyncio" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{is_async}\n"


def test_what_the_client_is_told_is_short_and_whole():
    manifest = Manifest(entry="", command=("./karl", "-q"), protocol="lines", games=("mue",), language="sh")
    told = Manifest.from_told(manifest.told())
    assert (told.command, told.protocol, told.games, told.entry) == (("./karl", "-q"), "lines", ("mue",), "")
    assert set(json.loads(manifest.told())) == {
        *("entry", "class_name", "games", "command", "protocol", "values")
    }
