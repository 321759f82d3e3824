from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.db.models.signals import pre_save
from stichkampf.local_play.validation import Verdict
from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import Bot, Submission, Version
from stichkampf_platform.bots.validation import run
from stichkampf_platform.core.errors import RequestRefused
from support import archive

pytestmark = pytest.mark.database


@pytest.fixture
def waiting(person):
    """A submission of ann's that waits."""
    return services.submit_version(
        owner=person(), slug="karl", content=archive("from stichkampf import Bot\nclass Karl(Bot): pass\n")
    )


def test_house_bots_are_made_once(house):
    before = sorted(Version.objects.values_list("pk", flat=True))
    services.seed_house()
    assert sorted(Version.objects.values_list("pk", flat=True)) == before
    assert Bot.objects.get(slug="thumb").full_name == "house/thumb"


def test_a_new_version_of_a_house_bot_takes_the_old_ones_place(house, monkeypatch):
    from stichkampf.bots.registry import house_bot

    newest = house_bot("thumb").version
    monkeypatch.setattr(house_bot("thumb"), "version", newest + 1)
    services.seed_house()
    old, new = Version.objects.filter(bot__slug="thumb").order_by("number")
    assert (old.state, new.state) == ("suspended", "approved")
    assert Bot.objects.get(slug="thumb").ranked_version == new


def test_the_submission_of_staff_counts_as_approved(person):
    chief = person("chief", is_staff=True)
    assert services.submit_version(owner=chief, slug="own", content=archive("")).approved_by == chief


def test_staff_approve_a_waiting_submission_once(waiting, person):
    chief = person("chief", is_staff=True)
    services.approve(version=waiting.version, staff=chief)
    waiting.refresh_from_db()
    assert waiting.approved_by == chief
    assert waiting.lines.last().text == "Approved by chief: its code may run."
    with pytest.raises(RequestRefused, match="nothing to approve"):
        services.approve(version=waiting.version, staff=chief)


def test_a_rejected_submission_is_over(waiting):
    services.reject(version=waiting.version, reason="not a bot")
    waiting.refresh_from_db()
    waiting.version.refresh_from_db()
    assert waiting.finished_at is not None
    assert (waiting.version.state, waiting.version.reason) == ("rejected", "not a bot")


def test_a_suspended_version_is_approved_again(person, submitted):
    karl = submitted(person())
    services.suspend(version=karl, reason="too many faults", cause="staff")
    karl.refresh_from_db()
    assert not karl.may_play
    services.approve(version=karl, staff=person("chief", is_staff=True))
    karl.refresh_from_db()
    assert karl.may_play


def test_the_house_is_not_rejected(house):
    with pytest.raises(RequestRefused, match="suspend it instead"):
        services.reject(version=house["thumb"], reason="no")


def test_a_slug_of_the_house_is_taken(house, person):
    with pytest.raises(RequestRefused, match="choose another name"):
        services.create_bot(owner=person(), slug="thumb")


def test_the_second_of_two_requests_for_a_name_is_refused(person):
    bob = person("bob")

    def quicker(instance, **_):
        Bot.objects.bulk_create([Bot(owner=bob, slug=instance.slug, name="Quicker")])

    pre_save.connect(quicker, sender=Bot)
    try:
        with pytest.raises(RequestRefused, match="You have a bot called 'karl' already"):
            services.create_bot(owner=bob, slug="karl")
    finally:
        pre_save.disconnect(quicker, sender=Bot)
    assert not bob.bots.exists()


@pytest.mark.django_db(transaction=True)
def test_an_archive_is_looked_through_before_anybody_is_kept_waiting(person, monkeypatch):
    check = services.check_archive

    def outside(content):
        assert not connection.in_atomic_block
        return check(content)

    monkeypatch.setattr(services, "check_archive", outside)
    assert services.submit_version(owner=person(), slug="karl", content=archive(""))


@pytest.mark.django_db(transaction=True)
def test_a_decision_of_staff_during_a_validation_does_not_deadlock(waiting):
    """On PostgreSQL one of them was ended as a deadlock, where they locked in different orders."""
    together = Barrier(2)

    def decide(act):
        together.wait()
        try:
            act()
        except RequestRefused:  # the other one was quicker
            return
        finally:
            connection.close()

    examined = Submission.objects.select_related("version__bot__owner").get(pk=waiting.pk)
    actions = [
        lambda: run._finish(examined, "w1", Verdict(["stiche-raten"], "", "")),
        lambda: services.reject(version=waiting.version, reason="not a bot"),
    ]
    with ThreadPoolExecutor(2) as people:
        for _ in range(10):
            Submission.objects.update(lease_owner="w1", finished_at=None)
            Version.objects.update(state=Version.State.VALIDATING)
            list(people.map(decide, actions))
            waiting.refresh_from_db()
            assert waiting.finished_at is not None
