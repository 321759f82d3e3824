"""Reasons why tables could not be played, as organisers read them."""

from __future__ import annotations

import pytest
from django.utils.translation import override
from stichkampf_arbiter.bots.hosted import KeptFromCoreError
from stichkampf_arbiter.matches.live_match import KEPT
from stichkampf_platform.core.arbiter_client import ArbiterClient
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.people.sentences import sentence_of, told
from stichkampf_platform.tournaments import leases, queries, troubles
from stichkampf_platform.tournaments.models import Table
from stichkampf_platform.tournaments.organising import lifecycle


@pytest.mark.parametrize(
    ("reason", "german"),
    [
        (KEPT, "Die Maschine ist zu stark belegt"),
        (str(KeptFromCoreError("0123456789abcdef")), "bekam er keinen Prozessorkern (0123456789ab)."),
        ("an error of the arbiter: KeyError('R6')", "Fehler des Arbiters: KeyError('R6')"),
        (troubles.CANCELLED, "Die Partie wurde beim Arbiter abgebrochen."),
    ],
)
def test_a_reason_is_told_in_german(reason, german):
    sentence = troubles.of_the_arbiter(reason)
    with override("de"):
        assert german in told(sentence)
    assert sentence == reason


def test_an_arbiter_that_is_not_there_is_told_in_german(tmp_path):
    arbiter = ArbiterClient(f"unix:{tmp_path}/missing.sock")
    with pytest.raises(ArbiterGone) as gone:
        arbiter.status(seconds=1)
    arbiter.close()
    with override("de"):
        shown = told(sentence_of(gone.value))
    assert shown.startswith("Der Arbiter ist nicht erreichbar oder hat die Partie verloren (UNAVAILABLE")


def test_an_unforeseen_reason_is_told_as_it_is():
    with override("de"):
        assert told(troubles.of_the_arbiter("the bench broke")) == "the bench broke"


def test_a_stored_reason_is_told_in_german_with_the_number_of_its_tables(make_tournament):
    started = make_tournament(blocks=1)
    lifecycle.start(tournament=started)
    for table in leases.take(block_id=started.blocks.first().pk, owner="w1"):
        reason = troubles.of_the_arbiter("an error of the arbiter: KeyError('R6')")
        leases.give_up(table=table, owner="w1", trouble=reason)
    [(reason, tables)] = queries.troubles(started)
    assert tables == Table.objects.exclude(trouble="").count() > 0
    with override("de"):
        assert told(reason) == "Fehler des Arbiters: KeyError('R6')"
        assert Table.objects.exclude(trouble="").first().told_trouble == told(reason)
