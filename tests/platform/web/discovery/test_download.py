"""The SDK from the site: one command with a hash, checksums, and nothing of another name or version."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from stichkampf import __version__
from stichkampf_platform.web.discovery import download

ROOT = Path(__file__).parents[4]
PURE = f"stichkampf-{__version__}-py3-none-any.whl"
COMPILED = f"stichkampf-{__version__}-cp312-cp312-linux_x86_64.whl"


@pytest.fixture
def folder(settings, tmp_path):
    settings.DOWNLOADS = tmp_path
    return tmp_path


def text_of(answer):
    return answer.content.decode()


@pytest.mark.django_db
def test_the_page_has_one_command_with_the_hash_and_names_every_file_with_its_checksum(client, folder):
    for name in (PURE, COMPILED, f"stichkampf-{__version__}.tar.gz"):
        (folder / name).write_bytes(name.encode())
    page = text_of(client.get("/download/"))
    digest = hashlib.sha256(PURE.encode()).hexdigest()
    assert f"stichkampf @ http://testserver/download/{PURE}#sha256={digest}" in page
    assert "Python 3.12 on linux_x86_64, rules compiled" in page
    assert "source archive" in page
    assert "not tried" in page
    assert f"{digest}  {PURE}\n" in text_of(client.get("/download/SHA256SUMS"))
    assert "nicht probiert" in text_of(client.get("/de/download/"))


@pytest.mark.django_db
def test_files_of_another_name_or_version_are_not_offered(client, folder):
    server = PURE.replace("stichkampf-", "stichkampf_server-")
    others = (server, "stichkampf-99.0-py3-none-any.whl", "secret-key", f"{PURE}.asc")
    for name in others:
        (folder / name).write_bytes(b"")
    assert "This site offers no files yet." in text_of(client.get("/download/"))
    for name in (*others, "..%2fsecret-key"):
        assert client.get(f"/download/{name}").status_code == 404
    assert text_of(client.get("/download/SHA256SUMS")) == ""


@pytest.mark.django_db
def test_a_file_that_is_replaced_gets_its_own_checksum(client, folder):
    (folder / PURE).write_bytes(b"one")
    before = text_of(client.get("/download/SHA256SUMS"))
    (folder / PURE).write_bytes(b"another")
    assert text_of(client.get("/download/SHA256SUMS")) != before


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_pip_installs_the_wheel_by_the_command_and_refuses_another_content(
    live_server, client, folder, tmp_path
):
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(
        build,
        cwd=ROOT,
        check=True,
        capture_output=True,
        env=os.environ | {"STICHKAMPF_ENGINE": "interpreted"},
    )
    page = text_of(client.get("/download/", headers={"host": live_server.url.partition("//")[2]}))
    wheel = re.search(r'"(stichkampf @ [^"]+)"', page.replace("&quot;", '"'))[1]
    target = tmp_path / "installed"

    def install():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--no-index",
            "--no-cache-dir",
            "--no-compile",
        ]
        return subprocess.run(
            [*command, "--target", str(target), wheel], capture_output=True, text=True, check=False
        )

    done = install()
    assert done.returncode == 0, done.stderr
    assert (target / "stichkampf/__init__.py").is_file()
    (folder / PURE).write_bytes((folder / PURE).read_bytes() + b"more")
    assert download.offered()
    assert "DO NOT MATCH" in install().stderr
