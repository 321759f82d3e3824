"""The end of a class: what is personal goes, what others played against stays, others keep all."""

import csv
import io
import re
import zipfile

import pytest
from django.core.files.storage import storages
from stichkampf_platform.bots.models import Bot, LogLine, Submission, Version
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes import closing, enrolment
from stichkampf_platform.classes.export import class_archive
from stichkampf_platform.classes.models import Pupil
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.people.models import ApiToken, Notice, User
from stichkampf_platform.people.notices import tell
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import Rating
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Result, Table
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from support import archive

pytestmark = pytest.mark.database


@pytest.fixture
def lived(make_class, person, land):
    """A class that has played: Ada of the list, ben with an account of his own, and a rated ladder."""
    made, (slip,) = make_class("Ada Lovelace")
    ada, ben = slip.pupil.person, person("ben")
    enrolment.join(code=made.code, by=ben)
    for owner in (ada, ben):
        content = archive(f"from stichkampf import Bot  # by {owner}")
        submit_version(owner=owner, slug="karl", content=content, file_name=f"{owner}.zip")
        create_token(owner=owner, name="laptop")
        tell(person=owner, title="Hello", text="you")
    Version.objects.filter(house="").update(state=Version.State.APPROVED, games=["stiche-raten"])
    Submission.objects.update(finished_at="2026-11-22T00:00Z")
    Bot.objects.filter(owner=ada).update(name="Ada's bot", description="by Ada Lovelace")
    User.objects.filter(pk=ada.pk).update(email="ada@example.org", first_name="Ada")
    ladder = made.ladders.get()
    due_steps.advance_tournaments()
    for block in ladder.blocks.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    due_steps.advance_tournaments()
    ladder.refresh_from_db()
    ratings.publish(ladder=ladder.ladder)
    return made, ada, ben


def counts():
    return Result.objects.count(), Rating.objects.count(), Table.objects.filter(state="done").count()


def test_personal_data_goes_and_pseudonyms_stay(lived, client):
    made, ada, ben = lived
    before, kept = counts(), Version.objects.get(bot__owner=ben)
    archives = storages["archives"]
    name = Version.objects.get(bot__owner=ada).archive.name
    assert closing.losses(made) == closing.ClassDeletionCounts(
        accounts=1, guests=1, submissions=1, archives=1, bots=1
    )
    closing.end_class(school_class=made)
    closing.delete_leftovers()
    made.refresh_from_db()
    ada.refresh_from_db()
    ben.refresh_from_db()
    assert (made.code, made.pupils.count(), made.ladders.get().state) == ("", 0, "cancelled")
    assert not made.ladders.get().members.exists()
    assert (ada.is_active, ada.email, ada.first_name, ada.has_usable_password()) == (False, "", "", False)
    bot = ada.bots.get()
    assert (bot.name, bot.description, bot.ranked_version) == ("karl", "", None)
    version = bot.versions.get()
    assert (version.state, version.archive.name, archives.exists(name)) == ("suspended", "", False)
    assert version.submission.file_name == ""
    assert not LogLine.objects.filter(submission__submitted_by=ada).exists()
    for model, way in ((ApiToken, "owner"), (Notice, "person"), (Pupil, "person")):
        assert not model.objects.filter(**{way: ada}).exists()
    assert counts() == before
    assert ben.is_active
    assert not ben.shares_address
    assert (ben.api_tokens.count(), ben.notices.count()) == (1, 1)
    kept.refresh_from_db()
    assert kept.state == "approved"
    assert archives.exists(kept.archive.name)
    assert LogLine.objects.filter(submission__submitted_by=ben).exists()
    ratings.publish(ladder=made.ladders.get().ladder)  # it can be rated once more
    client.force_login(made.teacher)
    text = client.get(made.get_absolute_url()).content.decode()
    assert not re.search(r"\bAda\b", text)
    with pytest.raises(RequestRefused, match="has ended"):
        closing.end_class(school_class=made)


def test_tournaments_that_a_closed_account_has_organised_go_on(lived, make_tournament, house):
    made, ada, _ = lived
    versions = [house["thumb"], house["random"], house["timid"]]
    cup = make_tournament(versions=versions, name="Open cup", created_by=ada)
    lifecycle.start(tournament=cup)
    closing.end_class(school_class=made)
    cup.refresh_from_db()
    assert cup.state == "running"


def test_code_stays_while_others_wait_for_a_table_with_it(lived, make_tournament, house):
    made, ada, _ = lived
    version = Version.objects.get(bot__owner=ada)
    cup = make_tournament(versions=[version, house["thumb"], house["random"]], name="Open cup")
    lifecycle.start(tournament=cup)
    closing.end_class(school_class=made)
    closing.delete_leftovers()
    version.refresh_from_db()
    assert version.archive
    lifecycle.cancel(tournament=cup)
    closing.delete_leftovers()
    version.refresh_from_db()
    assert not version.archive


def test_the_export_has_everything_and_no_formulas(lived):
    made, ada, _ = lived
    made.pupils.filter(person=ada).update(name="=HYPERLINK(1)")
    content = b"".join(class_archive(made))
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert file.testzip() is None
        names = set(file.namelist())
        people = list(csv.DictReader(io.StringIO(file.read("people.csv").decode("utf-8-sig"))))
        submissions = file.read("submissions.csv").decode()
    assert {
        "people.csv",
        "submissions.csv",
        "stiche-raten/records.jsonl",
        "stiche-raten/results.csv",
    } <= names
    (first,) = (line for line in people if line["login"] == ada.username)
    assert first["name"] == "'=HYPERLINK(1)"
    assert (first["submissions"], first["approved"], first["bots"]) == ("1", "1", "karl v1 approved")
    assert int(first["stiche-raten_blocks"]) > 0
    assert submissions.count("karl") == 2
