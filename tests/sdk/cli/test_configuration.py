"""The file of settings: for its owner's eyes, whole or not at all, with one clear line for what is wrong."""

from __future__ import annotations

import os
import stat

import pytest
from stichkampf.cli import configuration
from stichkampf.cli.configuration import Configuration, ConfigurationError

SITE = "http://127.0.0.1:8000"


@pytest.fixture
def environ(tmp_path):
    return {"XDG_CONFIG_HOME": str(tmp_path / "new" / "folder")}


def test_what_was_written_is_read_again(environ):
    written = Configuration(site=SITE, tokens={SITE: "sk_abc", "https://[::1]:80": "sk_def"})
    file = configuration.write(written, environ)
    assert configuration.read(environ) == written
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert configuration.site_address("", environ) == SITE
    assert configuration.api_token(SITE, environ) == "sk_abc"


def test_option_and_environment_go_before_the_file(environ):
    configuration.write(Configuration(site=SITE, tokens={SITE: "sk_abc"}), environ)
    environ |= {"STICHKAMPF_SITE": "https://other.example.org/", "STICHKAMPF_API_TOKEN": " sk_new\n"}
    assert configuration.site_address("", environ) == "https://other.example.org"
    assert configuration.site_address("http://third/", environ) == "http://third"
    assert configuration.api_token(SITE, environ) == "sk_new"


def test_a_file_that_others_can_read_is_refused_and_its_token_not_shown(environ):
    file = configuration.write(Configuration(tokens={SITE: "sk_abc"}), environ)
    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="chmod 600") as refusal:
        configuration.read(environ)
    assert "sk_abc" not in str(refusal.value)


def test_a_file_that_cannot_be_replaced_is_left_as_it_was(environ, monkeypatch):
    file = configuration.write(Configuration(site=SITE), environ)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigurationError, match=r"cannot write .*config\.toml: No space left on device"):
        configuration.write(Configuration(site="https://other"), environ)
    assert configuration.read(environ).site == SITE
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("site = ", "is not TOML in UTF-8"),
        ("adress = 'http://a'", "unknown key 'adress'; possible are site, tokens"),
        ("site = 5", "site in .* must be a text, not 5"),
        ("site = 'play.example.org'", "'play.example.org' is not the address of a site"),
        ("site = 'http://karl:secret@a/'", "holds no name or password"),
        ("tokens = 'sk_abc'", "must be a table"),
    ],
)
def test_settings_that_cannot_be_used_are_quoted(environ, content, complaint):
    file = configuration.path(environ)
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(ConfigurationError, match=complaint):
        configuration.read(environ)


def test_without_site_or_token_the_message_says_how_to_get_one(environ):
    with pytest.raises(ConfigurationError, match="run `stichkampf login ADDRESS` once"):
        configuration.site_address("", environ)
    with pytest.raises(ConfigurationError, match="run `stichkampf login http"):
        configuration.api_token(SITE, environ)
