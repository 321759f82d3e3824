"""Pages of classes: the teacher's alone, with a number of queries that does not grow with the class."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf_platform.classes.enrolment import add_people
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.people.models import User

pytestmark = pytest.mark.queries


def addresses(made, pupil):
    base = f"/classes/{made.pk}/"
    person = f"{base}people/{pupil.pk}/"
    return [base, f"{base}add/", f"{base}end/", f"{base}progress.csv", f"{base}export.zip", person,
            f"{person}password/"]  # fmt: skip


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
    add_people(school_class=made, names=[f"P{n}" for n in "abcdefgh"], key=new_key())
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
    right = form | {"names": "Ada\nBen", "games": ["stiche-raten"]}
    first, second = (client.post("/classes/new/", right).content.decode() for _ in range(2))
    passwords = [re.findall(r"<code>(\w{4}-\w{4}-\w{4})</code>", page) for page in (first, second)]
    assert passwords[0] == passwords[1]
    assert len(passwords[0]) == 4  # two passwords, and the code twice
    assert SchoolClass.objects.get().pupils.count() == 2


def test_an_ended_class_is_kept_without_its_people(make_class, client):
    made, _ = make_class("Ada Lovelace")
    client.force_login(made.teacher)
    address = f"{made.get_absolute_url()}end/"
    assert "the account that the class made" in client.get(address).content.decode()
    assert client.post(address).status_code == 422
    assert client.post(address, {"saved": "on"}).status_code == 302
    text = client.get(made.get_absolute_url()).content.decode()
    assert "This class ended" in text
    assert "Lovelace" not in text
    assert (
        client.post(f"{made.get_absolute_url()}add/", {"names": "Ben", "key": new_key()}).status_code == 422
    )
