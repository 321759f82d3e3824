"""The settings of pip that set-up hands to uv."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def uv():
    return runpy.run_path(str(ROOT / "deploy" / "uv.py"))


def test_variables_come_before_the_section_for_installing_and_that_before_the_global_one(uv):
    listed = "\n".join(
        [
            ":env:.index-url='http://127.0.0.1:3/'",
            "global.index-url='http://127.0.0.1:1/'",
            "global.timeout='7'",
            "install.index-url='http://127.0.0.1:2/'",
            "install.timeout='9'",
            "list.format='freeze'",
        ]
    )
    assert uv["pip_settings"](listed) == {"index-url": "http://127.0.0.1:3/", "timeout": "9"}


def test_uv_looks_where_pip_looks(uv, tmp_path):
    pip = {
        "index-url": "http://127.0.0.1:1/simple",
        "extra-index-url": "http://127.0.0.1:2/\nhttp://127.0.0.1:3/",
        "find-links": f"{tmp_path} {tmp_path}/missing http://127.0.0.1:4/",
        "trusted-host": "127.0.0.1",
        "cert": "/etc/certificate.pem",
    }
    assert uv["uv_variables"](pip) == {
        "UV_DEFAULT_INDEX": "http://127.0.0.1:1/simple",
        "UV_INDEX": "http://127.0.0.1:2/ http://127.0.0.1:3/",
        "UV_FIND_LINKS": f"{tmp_path},http://127.0.0.1:4/",
        "UV_INSECURE_HOST": "127.0.0.1",
        "SSL_CERT_FILE": "/etc/certificate.pem",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_PYTHON_DOWNLOADS": "never",
    }


def test_what_pip_does_not_say_is_left_to_uv(uv):
    assert set(uv["uv_variables"]({})) == {"UV_INDEX_STRATEGY", "UV_PYTHON_DOWNLOADS"}
