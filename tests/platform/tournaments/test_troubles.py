"""Reasons why tables could not be played, as organisers read them."""

from __future__ import annotations

import pytest
from django.utils.translation import override
from stichkampf_arbiter.bots.hosted import KeptFromCoreError
from stichkampf_arbiter.matches.live_match import KEPT
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.tournaments.troubles import told_trouble


@pytest.mark.parametrize(
    ("reason", "german"),
    [
        (KEPT, "Die Maschine ist zu stark belegt"),
        (str(KeptFromCoreError("0123456789abcdef")), "bekam er keinen Prozessorkern (0123456789ab)."),
        ("an error of the arbiter: KeyError('R6')", "Fehler des Arbiters: KeyError('R6')"),
        ("The archive of ann/karl v1 cannot be read: [Errno 2].", "Das Archiv von ann/karl v1 lässt sich"),
        ("The match was cancelled at the arbiter.", "Die Partie wurde beim Arbiter abgebrochen."),
    ],
)
def test_a_reason_is_told_in_german(reason, german):
    with override("de"):
        assert german in told_trouble(reason)
    assert told_trouble(reason) == reason


def test_an_arbiter_that_is_not_there_is_told_in_german(tmp_path):
    arbiter = ArbiterClient(f"unix:{tmp_path}/missing.sock")
    with pytest.raises(ArbiterGone) as gone:
        arbiter.status(seconds=1)
    arbiter.close()
    with override("de"):
        told = told_trouble(str(gone.value))
    assert told.startswith("Der Arbiter ist nicht erreichbar oder hat die Partie verloren (UNAVAILABLE")


def test_an_unforeseen_reason_is_told_as_it_is():
    with override("de"):
        assert told_trouble("the bench broke") == "the bench broke"
