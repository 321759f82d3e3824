"""A class ends while its people submit bots, make tokens and come with the code."""

import pytest
from stichkampf_platform.bots.models import LogLine, Version
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes import closing, enrolment
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.models import ApiToken
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.models import Entrant
from support import archive

pytestmark = [pytest.mark.database, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def submit(owner, number):
    content = archive(f"from stichkampf import Bot  # {number} by {owner}")
    return lambda: submit_version(owner=owner, slug="karl", content=content, file_name=f"{owner}.zip")


def test_what_is_sent_while_a_class_ends_is_refused_or_deleted_with_it(make_class, person, at_once):
    made, slips = make_class("Ada Lovelace", "Alan Turing", "Grace Hopper")
    people, guest = [slip.pupil.person for slip in slips], person("ben")
    for number, owner in enumerate(people):
        submit(owner, number)()
    told = at_once(
        *[lambda: closing.end_class(school_class=made)] * 2,
        *(submit(owner, "late") for owner in people),
        *(lambda owner=owner: create_token(owner=owner, name="laptop") for owner in people),
        lambda: enrolment.add_people(school_class=made, names=[ListedName("Edsger Dijkstra")], key="k" * 32),
        lambda: enrolment.join(code=made.code, by=guest),
    )
    assert (
        sorted(told[:2], key=str) == [None, "The class Computing 10b has ended."] or told[:2].count(None) == 1
    )
    for owner, reason in zip([*people, *people], told[2:8], strict=True):
        assert reason in (None, f"The account {owner.username} is closed.")
    made.refresh_from_db()
    assert (made.pupils.count(), made.ladders.get().state, made.ladders.get().members.count()) == (
        0,
        "cancelled",
        0,
    )
    closing.delete_leftovers()
    assert not ApiToken.objects.filter(owner__closed__isnull=False).exists()
    assert not LogLine.objects.filter(submission__submitted_by__closed__isnull=False).exists()
    assert not Version.objects.filter(bot__owner__in=people).exclude(archive="").exists()
    assert {version.state for version in Version.objects.filter(bot__owner__in=people)} == {"rejected"}
    assert not Entrant.objects.filter(version__bot__owner__in=people).exists()
