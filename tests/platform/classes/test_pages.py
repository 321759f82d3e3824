"""Pages of classes: the teacher's alone, with a number of queries that does not grow with the class."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from stichkampf_platform.bots.models import Submission, Version
from stichkampf_platform.classes.closing import end_class
from stichkampf_platform.classes.enrolment import add_people
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments.entry.consent import enters_by_itself
from stichkampf_platform.tournaments.scheduling.ladder_field import left_out

pytestmark = pytest.mark.queries


def addresses(made, pupil):
    base = f"/classes/{made.pk}/"
    person = f"{base}people/{pupil.pk}/"
    return [base, f"{base}add/", f"{base}end/", f"{base}progress.csv", f"{base}export.zip", person,
            f"{person}remove/", f"{person}password/"]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("role", ["guest", "author", "member", "other teacher", "staff", "organiser"])
def test_for_all_others_a_class_is_as_one_that_does_not_exist(
    role, make_class, teacher, person, client, make_organiser
):
    made, (slip,) = make_class("Ada Lovelace")
    if role == "member":
        client.force_login(slip.pupil.person)
    elif role == "other teacher":
        client.force_login(teacher("toni"))
    elif role != "guest":
        bob = person("bob", is_staff=role == "staff")
        if role == "organiser":
            make_organiser(bob)
        client.force_login(bob)
    none = SchoolClass(pk=made.pk + 1)
    for address, other in zip(addresses(made, slip.pupil), addresses(none, slip.pupil), strict=True):
        for method in (client.get, client.post):
            answer, absent = method(address), method(other)
            text = answer.content.decode().replace(address, "")
            assert answer.status_code == absent.status_code, address
            assert answer.status_code == (302 if role == "guest" else 404)
            assert len(text) == len(absent.content.decode().replace(other, ""))
            assert "Lovelace" not in text
    if role != "guest":
        listing = client.get("/classes/")
        assert listing.status_code == (200 if role == "other teacher" else 404)
        assert not re.search(r"\b10b\b", listing.content.decode())
        account = client.get("/account/").content.decode()
        assert ("Class Computing 10b" in account) == (role == "member")
        assert ("/classes/" in account) == (role == "other teacher")
    assert User.objects.get(pk=slip.pupil.person_id).check_password(slip.password)
    assert made.pupils.count() == 1


def test_the_people_of_a_class_stand_in_the_order_that_is_pressed(make_class, client, submitted):
    made, slips = make_class("Ada Lovelace", "Alan Turing", "Grace Hopper")
    people_of = {slip.pupil.name: slip.pupil.person for slip in slips}
    alan, grace = people_of["Alan Turing"], people_of["Grace Hopper"]
    submitted(alan, "karl")
    for slug in ("max", "moritz"):
        submitted(grace, slug, state="rejected")
    User.objects.filter(pk=people_of["Ada Lovelace"].pk).update(last_login=timezone.now())
    client.force_login(made.teacher)

    def people(order):
        page = client.get(f"{made.get_absolute_url()}?order={order}").content.decode()
        table = page.partition("<tbody>")[2].partition("</tbody>")[0]
        assert page.count("aria-sort=") == 1
        return re.findall(r'people/\d+/">([^<]+)</a>', table)

    by_name = people("name")
    assert sorted(by_name) == ["Ada Lovelace", "Alan Turing", "Grace Hopper"]
    assert people("attempts")[0] == "Grace Hopper"
    assert people("rejected")[0] == "Grace Hopper"
    assert people("active")[-1] == "Ada Lovelace"
    assert people("faults") == by_name
    unknown = client.get(f"{made.get_absolute_url()}?order=shoe")
    assert (unknown.status_code, "attempts" in unknown.content.decode()) == (404, True)


@pytest.mark.slow
def test_a_teacher_sees_names_and_numbers_and_no_log(
    make_class, client, submitted, django_assert_num_queries
):
    made, (slip,) = make_class("Ada Lovelace", games=("stiche-raten", "sticheln"))
    submitted(slip.pupil.person, "karl")
    client.force_login(made.teacher)
    for address in addresses(made, slip.pupil)[:-1]:
        assert client.get(address).status_code == 200, address
    assert client.get(f"{made.get_absolute_url()}people/{slip.pupil.pk}/password/").status_code == 405
    page = client.get(made.get_absolute_url()).content.decode()
    assert "Ada Lovelace" in page
    assert "karl" in page
    with_one = count_queries(client, made)
    add_people(school_class=made, names=[ListedName(f"P{n}") for n in "abcdefgh"], key=new_key())
    assert count_queries(client, made) == with_one


def count_queries(client, made):
    with CaptureQueriesContext(connection) as queries:
        client.get(made.get_absolute_url())
    return len(queries)


def test_wrong_lists_are_answered_with_all_errors_and_nothing_is_made(teacher, client, house):
    client.force_login(teacher())
    key = re.search(r'name="key" value="([^"]+)"', client.get("/classes/new/").content.decode())[1]
    form = {"name": "10b", "names": "Ada\nAda\nx@example.org", "key": key}
    answer = client.post("/classes/new/", form)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Line 2: &#x27;Ada&#x27; stands in line 1" in text
    assert "Line 3: &#x27;x@example.org&#x27; is a mail address" in text
    assert "Choose a game or more" in text
    assert not SchoolClass.objects.exists()
    right = form | {"names": "Nr;Name\n1;Ada\n2;Ben", "games": ["stiche-raten"]}
    right = as_shown(client.post("/classes/new/", right))
    assert not SchoolClass.objects.exists()
    first, second = (client.post("/classes/new/", right).content.decode() for _ in range(2))
    passwords = [re.findall(r"<code>(\w{4}-\w{4}-\w{4})</code>", page) for page in (first, second)]
    assert passwords[0] == passwords[1]
    assert len(passwords[0]) == 4  # two passwords, and the code twice
    assert SchoolClass.objects.get().pupils.count() == 2


def as_shown(answer):
    """Return the fields of the page that shows the names of a list."""
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', answer.content.decode())
    return {name: html.unescape(value) for name, value in fields}


def test_names_are_shown_before_accounts_are_made_and_again_if_they_changed(teacher, client, house):
    client.force_login(teacher())
    key = re.search(r'name="key" value="([^"]+)"', client.get("/classes/new/").content.decode())[1]
    file = SimpleUploadedFile(
        "10b.csv", "Klasse;Nachname;Vorname\n10b;Öz;Ayşe\n10b;Äcker;Ole".encode("utf-16")
    )
    form = {"name": "10b", "games": ["stiche-raten"], "names": "Zoe Ng", "file": file, "key": key}
    answer = client.post("/classes/new/", form)
    assert re.findall("<li>([^<]+)</li>", answer.content.decode()) == ["Ole Äcker", "Zoe Ng", "Ayşe Öz"]
    shown = as_shown(answer)
    changed = shown | {"names": shown["names"] + "Eva;Schmidt\n"}
    assert "Are these the right names?" in client.post("/classes/new/", changed).content.decode()
    assert not SchoolClass.objects.exists()
    client.post("/classes/new/", shown)
    page = client.get(SchoolClass.objects.get().get_absolute_url()).content.decode()
    names = re.findall("Ole Äcker|Zoe Ng|Ayşe Öz", page)
    assert list(dict.fromkeys(names)) == ["Ole Äcker", "Zoe Ng", "Ayşe Öz"]


def test_a_person_can_be_removed_and_the_account_is_closed(make_class, client, submitted):
    made, (ada, ben) = make_class("Ada Lovelace", "Ben Zander")
    submitted(ada.pupil.person, "karl")
    client.force_login(made.teacher)
    address = f"{made.get_absolute_url()}people/{ada.pupil.pk}/remove/"
    assert f"closes the account {ada.pupil.person.username}" in client.get(address).content.decode()
    assert [pupil.name for pupil in made.pupils.all()] == ["Ada Lovelace", "Ben Zander"]
    answer = client.post(address, follow=True)
    assert "Ada Lovelace is no longer in the class." in answer.content.decode()
    assert [pupil.name for pupil in made.pupils.all()] == ["Ben Zander"]
    assert not client.login(username=ada.pupil.person.username, password=ada.password)
    assert client.login(username=ben.pupil.person.username, password=ben.password)
    assert {version.reason for version in Version.objects.filter(bot__owner=ada.pupil.person)} == {
        "Its author has left the class."
    }


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("progress.csv", "Hanna Müller,{login},0,0,0,0,0,,"),
        ("progress-de.csv", "Hanna Müller;{login};0;0;0;0;0;;"),
    ],
)
def test_the_file_for_grading_opens_in_spreadsheets_of_either_language(make_class, client, name, row):
    made, (slip,) = make_class("Hanna Müller")
    client.force_login(made.teacher)
    answer = client.get(f"/classes/{made.pk}/{name}")
    text = b"".join(answer.streaming_content).decode()
    assert text.startswith("\ufeffname")
    assert row.format(login=slip.pupil.person.username) in text


def test_an_ended_class_is_kept_without_its_people(make_class, client):
    made, _ = make_class("Ada Lovelace")
    client.force_login(made.teacher)
    address = f"{made.get_absolute_url()}end/"
    assert "accounts that the class made (1)" in client.get(address).content.decode()
    assert client.post(address).status_code == 422
    assert client.post(address, {"saved": "on"}).status_code == 302
    text = client.get(made.get_absolute_url()).content.decode()
    assert "This class ended" in text
    assert "Lovelace" not in text
    assert (
        client.post(f"{made.get_absolute_url()}add/", {"names": "Ben", "key": new_key()}).status_code == 422
    )


def test_a_teacher_reads_why_a_version_was_rejected_and_who_is_stuck(make_class, client, submitted):
    made, slips = make_class("Ada Lovelace", "Ben Bit", "Cleo Card")
    ben, cleo, ada = (slip.pupil for slip in slips)  # by last names
    for pupil, states in ((ada, "rejected approved rejected rejected"), (ben, "rejected approved")):
        for state in states.split():
            version = submitted(pupil.person, pupil.name[:3].lower())
            Version.objects.filter(pk=version.pk).update(
                state=state, reason="bot.py, line 2: expected ':'" if state == "rejected" else ""
            )
            Submission.objects.create(
                version=version, submitted_by=pupil.person, file_name="bot.zip", finished_at=timezone.now()
            )
    client.force_login(made.teacher)
    page = client.get(made.get_absolute_url()).content.decode()
    stuck = re.search(r'<section[^>]*aria-labelledby="stuck">(.*?)</section>', page, re.DOTALL)[1]
    assert "Ada Lovelace" in stuck
    assert "for the 2. time in a row" in " ".join(stuck.split())
    assert "bot.py, line 2: expected &#x27;:&#x27;" in stuck
    assert "Ben Bit" not in stuck
    assert re.search(r"Nothing submitted yet:\s*<a[^>]*>Cleo Card", stuck)
    for pupil, times in ((ada, 3), (ben, 1), (cleo, 0)):
        assert client.get(pupil.get_absolute_url()).content.decode().count("bot.py, line 2") == times


def test_a_class_can_be_kept_off_the_public_ladders_and_let_on_them_later(
    make_class, client, submitted, make_tournament
):
    made, (slip,) = make_class("Ada Lovelace")
    version = submitted(slip.pupil.person, "karl")
    public = make_tournament(format="ladder", released=True)
    (private,) = made.ladders.all()
    client.force_login(made.teacher)
    for choice, told in (
        ("private", "on its private ladders alone"),
        ("public", "on the public ladders, too"),
    ):
        page = client.post(f"{made.get_absolute_url()}ladders/", {"choice": choice}, follow=True)
        assert told in page.content.decode()
        add_people(school_class=SchoolClass.objects.get(), names=[ListedName(f"B {choice}")], key=new_key())
        assert User.objects.filter(off_public_ladders=True).count() == (2 if choice == "private" else 0)
        version = Version.objects.get(pk=version.pk)
        assert enters_by_itself(version, public) == (choice == "public")
        assert bool(left_out(version, public)) == (choice == "private")
        assert enters_by_itself(version, private)
        assert not left_out(version, private)
    assert client.post(f"{made.get_absolute_url()}ladders/", {"choice": "neither"}).status_code == 404


def test_the_form_of_a_class_says_where_its_bots_play_and_takes_no_for_an_answer(teacher, client, house):
    client.force_login(teacher())
    page = client.get("/classes/new/").content.decode()
    assert "Their bots play on the public ladders, too" in page
    key = re.search(r'name="key" value="([^"]+)"', page)[1]
    form = {"name": "10b", "names": "Ada", "games": ["stiche-raten"], "key": key}
    client.post("/classes/new/", as_shown(client.post("/classes/new/", form)))
    assert User.objects.get(pupils__name="Ada").off_public_ladders


def test_a_slip_names_the_name_that_everybody_sees_and_signing_in_leads_to_the_class(make_class, client):
    made, (slip,) = make_class("Ada Lovelace")
    client.force_login(made.teacher)
    page = client.post(f"{slip.pupil.get_absolute_url()}password/", {"key": new_key()}).content.decode()
    login = slip.pupil.person.username
    assert f"Everybody sees the name {login}," in " ".join(page.split())
    assert "<code>http://testserver/</code>" in page  # the front page follows the language of the browser
    password = re.search(r"<code>(\w{4}-\w{4}-\w{4})</code>\s*</dd>\s*<dt>Class", page)[1]
    client.logout()
    answer = client.post("/login/", {"username": login, "password": password})
    assert answer["Location"] == "/account/"
    assert "Class Computing 10b" in client.get("/account/").content.decode()
    client.logout()
    assert "ask your teacher" in " ".join(client.get("/password/reset/").content.decode().split())


def test_bots_of_a_class_that_has_ended_are_retired_and_not_suspended_in_public(
    make_class, client, submitted
):
    made, (slip,) = make_class("Ada Lovelace")
    version = submitted(slip.pupil.person, "karl")
    end_class(school_class=made)
    page = client.get(version.bot.get_absolute_url()).content.decode()
    assert "retired" in page
    assert "suspended" not in page
