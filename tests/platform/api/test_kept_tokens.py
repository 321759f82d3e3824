"""The tokens that `stichkampf connect` makes over the API and keeps."""

from __future__ import annotations

import os
import stat

import pytest
from django.core.cache import cache
from stichkampf.cli import configuration
from stichkampf.cli.remote.kept_tokens import access_to
from stichkampf.cli.server.site import SiteApi, SiteError, SiteRefused
from stichkampf.errors import StichkampfError
from stichkampf_platform.bots import remote
from stichkampf_platform.bots.arbiter_sync import ADDRESS_KEY
from stichkampf_platform.bots.models import Version
from stichkampf_platform.people.services import create_token

pytestmark = [pytest.mark.machine, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def said():
    return []


@pytest.fixture
def access(live_server, person, monkeypatch, tmp_path, said):
    """Ask for the access of Ann's bot Karl, as `connect` does once she has logged in."""
    monkeypatch.setenv("STICHKAMPF_CONFIG", str(tmp_path / "config.toml"))
    cache.set(ADDRESS_KEY, "bots.example:7100", timeout=None)
    _, token = create_token(owner=person("ann"), name="laptop")
    configuration.write(configuration.Configuration(site=live_server.url, tokens={live_server.url: token}))

    def access(name="karl", games=("sixes-and-sevens", "mue"), *, another=False):
        return access_to(SiteApi(live_server.url, token), name, games, said.append, another=another)

    return access


def test_a_token_is_made_once_and_kept_for_its_owner_alone(access, said):
    made = access()
    assert (made.token[:4], made.server, made.new) == ("skr_", "bots.example:7100", True)
    assert list(Version.objects.values_list("games", flat=True)) == [["mue"]], "it cannot play with partners"
    file = configuration.path()
    assert said == [f"version 1 is made; its token is in {file}, which only you can read"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    cache.set(ADDRESS_KEY, "elsewhere.example:7200", timeout=None)
    again = access()
    assert (again.token, again.server, again.new) == (made.token, "elsewhere.example:7200", False)
    assert Version.objects.count() == 1


def test_another_version_takes_the_place_of_the_kept_one_and_no_other_bots(access):
    otto, first = access("otto"), access()
    second = access(another=True)
    assert second.token not in (first.token, otto.token)
    assert (access().token, access("otto").token) == (second.token, otto.token)
    assert first.token not in configuration.path().read_text()


@pytest.mark.parametrize("told", ["has another token now, or none", "is rejected"])
def test_a_kept_token_that_does_not_hold_leads_to_the_next_version(access, told):
    access()
    version = Version.objects.get()
    if told == "is rejected":
        Version.objects.update(state=Version.State.REJECTED)
    else:
        remote.new_token(version=version, by=version.bot.owner)
    with pytest.raises(SiteError, match=f"version 1 of karl {told}; .*--new-version makes the next one"):
        access()
    assert access(another=True).token.startswith("skr_")


def test_a_site_that_takes_no_remote_bots_or_does_not_know_where_says_so(access):
    cache.set(ADDRESS_KEY, "", timeout=None)
    with pytest.raises(SiteRefused, match="accepts no remote bots"):
        access()
    cache.clear()
    with pytest.raises(SiteError, match="does not know yet where bots connect"):
        access()
    cache.set(ADDRESS_KEY, "bots.example:7100", timeout=None)
    assert access().server == "bots.example:7100"
    assert Version.objects.count() == 1


def test_nothing_is_made_where_its_token_cannot_be_kept(access, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StichkampfError, match=r"cannot write .*config\.toml: No space left on device"):
        access()
    assert not Version.objects.exists()
