from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stichkampf.addresses import host_and_port, network_of, parts_of
from support import examples

NO_HOSTS = (
    "[::1", "::1]", "[zz]", "[::1", "[fe80::1%25eth0]", "[v1.x]", "", ".", "a..b", "-a", "a b",
    "\u2100.example", "\uff10", "*", "a\\\\b", "a\r\nb", "x" * 64, ".".join(["x" * 60] * 5), "\ud800", "a\0b",
    "[127.0.0.1]",
)  # fmt: skip
HOSTS = (
    "127.0.0.1", "localhost", "play.example.org", "play.example.org.", "xn--mnchen-3ya.example", "db_1",
    "[::1]", "[::ffff:192.0.2.7]", "[2001:db8::]",
)  # fmt: skip


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1%eth0", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("unix", "unix"),
        ("", ""),
    ],
)
def test_an_address_stands_for_its_customer(host, network):
    assert network_of(host) == network


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_names_no_machine_is_neither_address_of_a_page_nor_of_a_server(host):
    assert parts_of(f"http://{host}/r/1/", "http", "https") is None
    assert parts_of(f"http://{host}:8000", "http", "https") is None
    assert host_and_port(f"{host}:8000") is None


@pytest.mark.parametrize("host", HOSTS)
def test_names_and_addresses_of_both_kinds_are_taken(host):
    assert parts_of(f"https://{host}:8000/r/1/", "https").port == 8000
    assert host_and_port(f"{host}:8000") == (host.strip("[]"), 8000)


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999", "abc", "9" * 5000, "1e3", "\u00b2"])
def test_a_port_has_bounds(port):
    assert parts_of(f"http://a:{port}", "http") is None
    assert host_and_port(f"a:{port}") is None


@given(st.text(alphabet="ha:/[]@.%?#1\u2100 \\x00-", max_size=30).map(lambda text: f"http://{text}"))
@settings(max_examples=examples(300))
def test_no_text_is_an_error_and_what_is_taken_has_a_host(text):
    parts = parts_of(text, "http")
    assert parts is None or (parts.hostname and parts == urlsplit(text))
