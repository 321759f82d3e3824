"""The settings of the arbiter: their sources, and refused values."""

from pathlib import Path

import pytest
from stichkampf_arbiter.settings import SettingsError, read_settings

ENVIRONMENT = {
    "STICHKAMPF_ARBITER_ADDRESS": "unix:/run/sk/arbiter.sock",
    "STICHKAMPF_STATE_DIR": "/var/lib/sk",
}


def test_the_environment_is_enough():
    settings = read_settings([], ENVIRONMENT)
    assert settings.socket == Path("/run/sk/arbiter.sock")
    assert settings.state == Path("/var/lib/sk/arbiter")
    assert settings.sockets == Path("/run/sk/bots")


def test_the_command_line_overrides_the_environment():
    settings = read_settings(["--listen", "127.0.0.1:5000", "--tables", "7"], ENVIRONMENT)
    assert (settings.listen, settings.socket, settings.tables) == ("127.0.0.1:5000", None, 7)


@pytest.mark.parametrize(
    ("arguments", "missing", "words"),
    [
        ([], "STICHKAMPF_ARBITER_ADDRESS", "give the address to listen on"),
        ([], "STICHKAMPF_STATE_DIR", "give a folder"),
        (["--listen", "somewhere"], "", "unix:/path or 127.0.0.1:port"),
        (["--tables", "many"], "", "tables must be a whole number from 1 to 1000"),
        (["--tables", "9" * 5000], "", "tables must be a whole number from 1 to 1000"),
        (["--listen", "[::1:5000"], "", "unix:/path or 127.0.0.1:port"),
        (["--listen", "127.0.0.1:99999"], "", "unix:/path or 127.0.0.1:port"),
        (["--processes", "2"], "", "processes must be a whole number from 6"),
        (
            ["--remote-listen", "somewhere"],
            "",
            "'somewhere' is not an address for remote bots; write host:port",
        ),
        (["--remote-listen", ":5001", "--remote-address", "x:y"], "", "':5001' is not an address"),
        (["--remote-address", "cards.example:443"], "", "give the address for remote bots: --remote-listen"),
        (["--remote-listen", "0.0.0.0:1", "--remote-tls-key", "key.pem"], "", "needs both"),
    ],
)
def test_the_message_about_an_invalid_setting_names_valid_ones(arguments, missing, words):
    environment = {name: value for name, value in ENVIRONMENT.items() if name != missing}
    with pytest.raises(SettingsError, match=words):
        read_settings(arguments, environment)


def test_without_a_listener_there_are_no_remote_bots():
    assert read_settings([], ENVIRONMENT).remote is None


def test_a_listener_for_remote_bots_comes_from_the_environment():
    remote = {
        "STICHKAMPF_ARBITER_REMOTE_LISTEN": "[::]:7443",
        "STICHKAMPF_ARBITER_REMOTE_ADDRESS": "cards.example:7443",
        "STICHKAMPF_ARBITER_REMOTE_TLS_CERTIFICATE": "/etc/sk/chain.pem",
        "STICHKAMPF_ARBITER_REMOTE_TLS_KEY": "/etc/sk/key.pem",
    }
    settings = read_settings([], ENVIRONMENT | remote).remote
    assert (settings.listen, settings.host, settings.address) == ("[::]:7443", "[::]", "cards.example:7443")
    assert (settings.certificate, settings.key) == (Path("/etc/sk/chain.pem"), Path("/etc/sk/key.pem"))
