"""Connections to the database: a machine that vanishes is left, and the address has the last word."""

from stichkampf_platform.settings.database import database_settings

TWO_SERVERS = "postgres://ann:secret@/cards?host=10.0.0.2,10.0.0.3&target_session_attrs=read-write"


def test_an_address_may_name_two_servers():
    database = database_settings(TWO_SERVERS)
    assert (database["HOST"], database["NAME"], database["USER"]) == ("", "cards", "ann")
    assert database["OPTIONS"]["host"] == "10.0.0.2,10.0.0.3"
    assert database["OPTIONS"]["target_session_attrs"] == "read-write"
    assert database["OPTIONS"]["keepalives_idle"] == 10


def test_what_the_address_says_comes_first():
    options = database_settings(f"{TWO_SERVERS}&connect_timeout=1&options=-c%20lock_timeout%3D9")["OPTIONS"]
    assert (options["connect_timeout"], options["options"]) == (1, "-c lock_timeout=9")


def test_sqlite_has_its_own_options():
    assert database_settings("sqlite:////srv/cards.sqlite3")["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
