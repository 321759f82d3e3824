"""The names of `stichkampf`, each loaded when it is asked for."""

import subprocess
import sys

import pytest
import stichkampf

NAMES = [*stichkampf.__all__, "bots", "engine", "errors", "faults", "games", "match"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there_after_one_import(name):
    code = f"import stichkampf; print(stichkampf.{name})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout


def test_all_of_them_can_be_imported_at_once():
    names = {}
    exec("from stichkampf import *", names)
    assert set(stichkampf.__all__) <= names.keys()


def test_another_name_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'Bots'"):
        _ = stichkampf.Bots
