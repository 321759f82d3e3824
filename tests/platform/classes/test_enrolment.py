"""People of a class: accounts and slips made once, the code, passwords, and limits for an address."""

import pytest
from django.contrib.auth.models import Group
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes import enrolment
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people.models import User
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.running import due_steps
from stichkampf_platform.tournaments.scheduling.ladder_field import field_of
from stichkampf_platform.tournaments.scheduling.suspicion import suspect_pairs
from support import archive

pytestmark = pytest.mark.database


def test_a_list_becomes_accounts_slips_and_a_running_private_ladder(make_class, client):
    made, slips = make_class("Ada Lovelace", "Alan Turing")
    assert [slip.pupil.name for slip in slips] == ["Ada Lovelace", "Alan Turing"]
    for slip in slips:
        login = slip.pupil.person.username
        assert not {"ada", "alan", "turing"} & set(login.split("-"))
        assert client.login(username=login, password=slip.password)
        ladder = Tournament.objects.shown_to(slip.pupil.person).get(private=True)
        assert (ladder.state, ladder.ladder.private, ladder.code) == ("running", True, made.code)
    assert not Tournament.objects.shown_to(None).filter(private=True).exists()


def test_the_same_form_sent_twice_makes_nothing_twice_and_gives_the_same_slips(teacher, house):
    tina, key = teacher(), new_key()
    words = {
        "teacher": tina,
        "name": "10b",
        "games": ["stiche-raten"],
        "names": [ListedName("Ada")],
        "key": key,
    }
    first = enrolment.create_class(**words)
    one = enrolment.slips(school_class=first, key=key)
    assert enrolment.create_class(**words) == first
    more = new_key()
    for _ in range(2):
        enrolment.add_people(school_class=first, names=[ListedName("Ben")], key=more)
    assert [pupil.name for pupil in first.pupils.all()] == ["Ada", "Ben"]
    assert enrolment.slips(school_class=first, key=key) == one
    assert Tournament.objects.filter(private=True).count() == 1
    assert enrolment.slips(school_class=first, key=new_key()) == []


def test_a_class_without_a_game_leaves_nothing_behind(teacher, house):
    people = User.objects.count()
    with pytest.raises(Exception, match="Choose a game"):
        enrolment.create_class(
            teacher=teacher(), name="10b", games=[], names=[ListedName("Ada")], key=new_key()
        )
    assert (SchoolClass.objects.count(), User.objects.count()) == (0, people + 1)


def test_people_with_accounts_of_their_own_come_with_the_code(make_class, person):
    made, _ = make_class("Ada")
    ben = person("ben")
    for _ in range(2):
        enrolment.join(code=made.code.upper(), by=ben)
    enrolment.join(code=made.code, by=made.teacher)
    pupil = made.pupils.get(person=ben)
    assert (pupil.name, pupil.made_here, made.pupils.count()) == ("ben", False, 2)
    assert made.ladders.get().members.filter(person=ben).count() == 1


def test_a_teacher_resets_passwords_of_accounts_that_the_class_made_and_of_no_others(
    make_class, person, client
):
    made, (slip,) = make_class("Ada")
    key, pupil = new_key(), slip.pupil
    enrolment.reset_password(pupil=pupil, key=key)
    (fresh,) = enrolment.slips(school_class=made, key=key)
    login = pupil.person.username
    assert not client.login(username=login, password=slip.password)
    assert client.login(username=login, password=fresh.password)
    assert pupil.person.notices.count() == 1
    ben = person("ben")
    enrolment.join(code=made.code, by=ben)
    with pytest.raises(RequestRefused, match="account of their own"):
        enrolment.reset_password(pupil=Pupil.objects.get(person=ben), key=new_key())
    pupil.person.groups.add(Group.objects.get(name="Teachers"))
    with pytest.raises(RequestRefused, match="rights of their own"):
        enrolment.reset_password(pupil=pupil, key=new_key())


def test_people_of_a_class_have_limits_for_the_account_and_none_for_their_address(
    make_class, person, settings, rf
):
    settings.RATES = settings.RATES | {"tokens": {"address": (1, 3600), "account": (2, 3600)}}
    _, slips = make_class("Ada", "Ben", "Carl")
    for slip in slips:
        create_token(owner=slip.pupil.person, name="one", address="192.0.2.1")
    create_token(owner=slips[0].pupil.person, name="two", address="192.0.2.1")
    with pytest.raises(TooMany):
        create_token(owner=slips[0].pupil.person, name="three", address="192.0.2.1")
    create_token(owner=person("dora"), name="one", address="192.0.2.1")
    with pytest.raises(TooMany):
        create_token(owner=person("emil"), name="one", address="192.0.2.1")


def test_wrong_passwords_of_a_class_do_not_lock_its_address(make_class, settings, client):
    _, slips = make_class("Ada", "Ben")
    settings.RATES = settings.RATES | {"passwords": {"address": (1, 3600), "account at address": (2, 3600)}}
    ada, ben = (slip.pupil.person.username for slip in slips)
    wrong = [{"username": login, "password": "wrong"} for login in (ada, ben, ada, ben)]
    assert [client.post("/login/", each, REMOTE_ADDR="192.0.2.1").status_code for each in wrong]
    answer = client.post("/login/", {"username": ada, "password": slips[0].password}, REMOTE_ADDR="192.0.2.1")
    assert "Too many wrong passwords" in answer.content.decode()  # two for this account
    answer = client.post("/login/", {"username": ben, "password": "wrong"}, REMOTE_ADDR="192.0.2.2")
    assert "correct name and password" in answer.content.decode()


def test_a_class_is_no_suspect_by_address_or_hour_on_its_own_ladder(make_class, submitted):
    made, slips = make_class("Ada", "Ben")
    versions = [submitted(slip.pupil.person, "karl") for slip in slips]
    people = {slip.pupil.person_id for slip in slips}
    ladder = made.ladders.get()
    due_steps.advance_tournaments()
    assert {entrant.version for entrant in ladder.entrants.all()} >= set(versions)
    by_number = field_of(ladder, {}).candidates
    numbers = {entrant.number for entrant in ladder.entrants.filter(version__in=versions)}
    assert not any(by_number[number].young or by_number[number].group for number in numbers)
    ids = [version.pk for version in versions]
    Version = type(versions[0])
    for number, version in enumerate(versions):
        Version.objects.filter(pk=version.pk).update(digest=f"{number + 7:064}")
    assert suspect_pairs(ids) == [frozenset(ids)]
    assert suspect_pairs(ids, people) == []


def test_submissions_of_a_class_do_not_fill_the_limit_of_its_address(make_class, settings):
    _, slips = make_class("Ada", "Ben")
    settings.RATES = settings.RATES | {"submissions": {"address": (1, 3600)}}
    for slip in slips:
        content = archive(f"from stichkampf import Bot  # {slip.pupil.name}\n")
        submit_version(owner=slip.pupil.person, slug="karl", content=content, address="192.0.2.1")
