"""Addresses and numbers that an operator mistypes are named with what would be right, without passwords."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from stichkampf_platform.core.environment import checked_parts, read_number, read_program
from stichkampf_platform.settings.database import database_settings
from stichkampf_platform.settings.object_store import store_settings
from stichkampf_platform.settings.provider import provider_settings
from stichkampf_platform.settings.redis_cache import cache_settings

WRONG = ("[::1", "[zz]", "\u2100", "h:99999", "h:abc", "h:" + "9" * 5000)
READ = {
    "STICHKAMPF_PROVIDER_URL": lambda name, host: provider_settings({name: f"https://ann:secret@{host}/"}),
    "STICHKAMPF_STORE_ENDPOINT": lambda name, host: store_settings(
        {"STICHKAMPF_STORE": "s3://bucket", name: f"https://ann:secret@{host}/"}, "/srv"
    ),
    "DATABASE_URL": lambda name, host: database_settings(f"postgres://ann:secret@{host}/cards"),
    "REDIS_URL": lambda name, host: cache_settings(f"redis://:secret@{host}/0"),
    "SITE_ADDRESS": lambda name, host: checked_parts(
        name, f"https://ann:secret@{host}", "https", example="https://play.example.org"
    ),
}


@pytest.mark.parametrize("host", WRONG, ids=lambda host: ascii(host)[:12])
@pytest.mark.parametrize("name", READ)
def test_an_address_that_is_none_is_named_without_its_password(name, host):
    with pytest.raises(ImproperlyConfigured, match=f"{name} is .*it must be .*(://|host)") as told:
        READ[name](name, host)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "bucket", ["s3://[::1", "s3://a b/", "s3://\u2100/", "s3://a:1/b", "s3://a@b", "s3://"]
)
def test_a_bucket_that_is_none_is_named(bucket):
    with pytest.raises(ImproperlyConfigured, match=r"STICHKAMPF_STORE is .*it must be s3://bucket/folder"):
        store_settings({"STICHKAMPF_STORE": bucket}, "/srv")


@pytest.mark.parametrize("text", ["h", "h:", "h:abc", "[::1", "::1:5", "unix:relative", "http://h:1", "h:0"])
def test_a_program_stands_at_a_socket_or_a_port(monkeypatch, text):
    monkeypatch.setenv("STICHKAMPF_ARBITER_ADDRESS", text)
    with pytest.raises(ImproperlyConfigured, match="it must be unix:/path or host:port"):
        read_program("STICHKAMPF_ARBITER_ADDRESS", otherwise="unix:/run/arbiter.sock")
    monkeypatch.setenv("STICHKAMPF_ARBITER_ADDRESS", "[::1]:50051")
    assert read_program("STICHKAMPF_ARBITER_ADDRESS", otherwise="unix:/a") == "[::1]:50051"


@pytest.mark.parametrize("text", ["-1", "1e999", "NaN", "\u00b2", str(2**63), "9" * 5000, "1_0", " 1"])
def test_a_number_beyond_its_bounds_is_named(monkeypatch, text):
    monkeypatch.setenv("STICHKAMPF_FREE_DISK_MB", text)
    with pytest.raises(ImproperlyConfigured, match="it must be a number from 0 to 512"):
        read_number("STICHKAMPF_FREE_DISK_MB", otherwise=1, least=0, most=512)
