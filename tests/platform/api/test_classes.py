"""Classes by API: made, read, added to, graded, exported and ended with a teacher's token."""

import csv
import io
import json
import zipfile

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from stichkampf_platform.bots.services import submit_version
from stichkampf_platform.classes.enrolment import add_people
from stichkampf_platform.classes.initial_passwords import new_key
from stichkampf_platform.classes.models import CodeLikeness, SchoolClass
from stichkampf_platform.classes.name_lists import ListedName
from stichkampf_platform.people.models import ApiToken, User
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.running import due_steps
from support import archive

pytestmark = [pytest.mark.slow, pytest.mark.queries]

CLASSES = "/api/v1/classes/"
KEY = "k" * 32
COURSE = {"name": "Computing 10b", "games": ["stiche-raten"], "names": ["Ada Lovelace", "Alan Turing"]}


@pytest.fixture
def desk(client, teacher, house):
    """A teacher's token of the organiser's scope; `desk("post", "3/end/", {})` returns the answer."""
    tina = teacher()
    _, text = create_token(owner=tina, name="script", scope=ApiToken.Scope.ORGANISER)

    def ask(method, rest="", fields=None, *, status=200):
        sent = {} if fields is None else {"data": json.dumps(fields), "content_type": "application/json"}
        headers = {"authorization": f"Bearer {text}"}
        answer = getattr(client, method)(f"{CLASSES}{rest}", headers=headers, **sent)
        assert answer.status_code == status, answer.content
        return answer

    ask.tina = tina
    return ask


def test_a_class_lives_by_api_from_its_list_of_names_to_its_end(desk, client, submitted, land):
    made = desk("post", fields=COURSE, status=201).json()
    own = f"{made['class_id']}/"
    assert [slip["name"] for slip in made["slips"]] == COURSE["names"]
    assert (made["sign_in_at"], made["code_at"]) == ("http://testserver/login/", "http://testserver/code/")
    ada, alan = made["slips"]
    assert client.login(username=ada["login"], password=ada["password"])
    client.logout()
    (listed,) = desk("get").json()["results"]
    assert (listed["id"], listed["people"], listed["ended_at"]) == (made["class_id"], 2, None)
    assert [ladder["game"] for ladder in listed["ladders"]] == COURSE["games"]
    assert listed["code"] == made["code"]

    dry = desk("post", f"{own}people/", {"names": "Vorname;Name\nOle;Äcker", "dry_run": True}).json()
    assert dry == {"names": ["Ole Äcker"]}
    more = desk("post", f"{own}people/", {"names": "Name\r\nCharles;Babbage"}, status=201).json()
    assert [slip["name"] for slip in more["slips"]] == ["Charles Babbage"]
    versions = [submitted(User.objects.get(username=slip["login"]), "karl") for slip in (ada, alan)]
    submit_version(owner=versions[0].bot.owner, slug="emil", content=archive("from stichkampf import Bot\n"))
    (ladder,) = SchoolClass.objects.get().ladders.all()
    due_steps.advance_tournaments()
    for block in ladder.blocks.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    ratings.publish(ladder=ladder.ladder)
    found = SchoolClass.objects.get()
    CodeLikeness.objects.create(school_class=found, one=versions[0], other=versions[1], share=0.9)
    seen = desk("get", own)
    assert "no-store" in seen["Cache-Control"]
    third, first, _ = seen.json()["progress"]  # Babbage, Lovelace, Turing
    assert (first["name"], first["login"], first["attempts"]) == ("Ada Lovelace", ada["login"], 1)
    assert first["bots"] == [
        {"bot": f"{ada['login']}/emil", "number": 1, "state": "submitted"},
        {"bot": f"{ada['login']}/karl", "number": 1, "state": versions[0].state},
    ]
    assert first["matches"] > 0
    assert (third["name"], third["ratings"], third["last_active"]) == ("Charles Babbage", [], None)
    (hint,) = seen.json()["likenesses"]
    assert [program["name"] for program in hint["programs"]] == COURSE["names"]
    person = desk("get", f"{own}people/{first['id']}/").json()
    (rated,) = person["ratings"]
    assert rated["over_time"][-1] == rated["newest"] == first["ratings"][0]["newest"]
    assert (len(person["submissions"]), person["no_reset"]) == (1, "")

    reset = desk("post", f"{own}people/{first['id']}/password/", {}, status=201).json()
    (slip,) = reset["slips"]
    assert not client.login(username=ada["login"], password=ada["password"])
    assert client.login(username=ada["login"], password=slip["password"])
    client.logout()
    lines = list(csv.DictReader(io.StringIO(text_of(desk("get", f"{own}progress.csv")))))
    assert [line["name"] for line in lines] == ["Charles Babbage", *COURSE["names"]]
    exported = desk("get", f"{own}export.zip")
    files = zipfile.ZipFile(io.BytesIO(b"".join(exported.streaming_content))).namelist()
    assert {"people.csv", "submissions.csv", "stiche-raten/records.jsonl"} <= set(files)

    left = desk("post", f"{own}people/{third['id']}/remove/", {}).json()
    assert [each["name"] for each in left["progress"]] == COURSE["names"]

    told = desk("post", f"{own}end/", {}, status=400).json()["detail"]
    assert "made (2), " in told
    assert '"saved": true' in told
    ended = desk("post", f"{own}end/", {"saved": True}).json()
    assert (ended["progress"], ended["likenesses"], ended["code"], ended["people"]) == ([], [], "", 0)
    assert ended["ended_at"]
    assert [ladder["state"] for ladder in ended["ladders"]] == ["cancelled"]
    for rest, fields in (("end/", {"saved": True}), ("people/", {"names": ["Ben"]})):
        assert "has ended" in desk("post", f"{own}{rest}", fields, status=400).json()["detail"]


def text_of(answer):
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def test_all_that_is_wrong_is_told_at_once_and_nothing_is_made(desk):
    names = ["Ada", "ada", "x@example.org", "7"]
    wrong = {"name": "n" * 61, "games": ["skat", "stiche-raten", "poker"], "names": names, "key": "short",
             "people": []}  # fmt: skip
    told = desk("post", fields=wrong, status=400).json()
    assert set(told) == {"detail", *wrong}
    assert "No game is called 'skat', 'poker'; there are sticheln" in told["games"][0]
    assert [text.split(":")[0] for text in told["names"]] == ["Line 2", "Line 3", "Line 4"]
    assert "Given" not in "".join(told["names"])
    assert "There is no such field; there are key, names, dry_run, name, games" in told["people"][0]
    assert set(desk("post", fields={}, status=400).json()) == {"detail", "name", "games", "names"}
    for names in (7, [["Ada"]], ["Ada\nBen"], "Ada\0", "", None):
        told = desk("post", fields={**COURSE, "games": [], "names": names}, status=400).json()
        assert set(told) == {"detail", "games", "names"}, names
    assert "names" in desk("post", fields={**COURSE, "names": "\ud800"}, status=400).json()
    assert r"\ud800" in desk("post", fields={"\ud800": 1}, status=400).json()
    assert desk("post", fields=[1], status=400)
    assert not SchoolClass.objects.exists()

    own = f"{desk('post', fields=COURSE, status=201).json()['class_id']}/"
    told = desk("post", f"{own}people/", {"names": ["Alan Turing"], "key": 7}, status=400).json()
    assert "is in the class already" in told["names"][0]
    assert "Given: 7" in told["key"][0]
    assert (
        'Given: "perhaps"' in desk("post", f"{own}end/", {"saved": "perhaps"}, status=400).json()["saved"][0]
    )
    assert SchoolClass.objects.get().pupils.count() == 2


def test_a_call_that_is_sent_twice_with_its_key_makes_nothing_twice(desk):
    first, again = (desk("post", fields={**COURSE, "key": KEY}, status=201).json() for _ in range(2))
    assert first == again
    own = f"{first['class_id']}/"
    added = [
        desk("post", f"{own}people/", {"names": ["Ben"], "key": KEY}, status=201).json() for _ in range(2)
    ]
    assert added[0] == added[1]
    assert [slip["name"] for slip in added[0]["slips"]] == ["Ben"]
    assert SchoolClass.objects.get().pupils.count() == 3
    for slip in (*first["slips"], *added[0]["slips"]):  # of each another password, by one key
        once, twice = (
            desk("post", f"{own}people/{slip['id']}/password/", {"key": KEY}, status=201).json()["slips"]
            for _ in range(2)
        )
        assert once == twice
        assert [fresh["login"] for fresh in once] == [slip["login"]]
        assert once[0]["password"] != slip["password"]


def test_only_teachers_with_a_token_that_is_for_it_reach_their_own_classes(
    client, desk, teacher, person, make_organiser
):
    made = desk("post", fields=COURSE, status=201).json()
    here, none = f"{made['class_id']}/", f"{made['class_id'] + 1}/"
    pupil = f"people/{made['slips'][0]['id']}/"
    member = User.objects.get(username=made["slips"][0]["login"])
    olga = person("olga", is_staff=True)
    make_organiser(olga)
    visitors = [
        (404, headers_of(teacher("toni"), scope="organiser")),
        (403, headers_of(desk.tina)),
        (403, headers_of(desk.tina, scope="reader")),
        (403, headers_of(olga, scope="organiser")),
        (403, headers_of(member)),
        (401, {}),
    ]
    calls = [("get", ""), ("post", "people/"), ("get", pupil), ("post", f"{pupil}password/"),
             ("post", "end/"), ("get", "progress.csv"), ("get", "export.zip")]  # fmt: skip
    for status, headers in visitors:
        for method, rest in calls:
            addresses = [f"{CLASSES}{own}{rest}" for own in (here, none)]
            seen, absent = (getattr(client, method)(address, headers=headers) for address in addresses)
            assert seen.status_code == absent.status_code == status, rest
            headings = [{**answer.headers, "Expires": ""} for answer in (seen, absent)]
            assert headings[0] == headings[1]
            assert seen.content == absent.content.replace(addresses[1].encode(), addresses[0].encode())
    assert client.get(CLASSES, headers=visitors[0][1]).json()["results"] == []
    assert "is for bots and entries" in client.get(CLASSES, headers=visitors[1][1]).json()["detail"]
    assert "olga may lead no classes" in client.get(CLASSES, headers=visitors[3][1]).json()["detail"]
    assert member.check_password(made["slips"][0]["password"])
    client.force_login(desk.tina)
    assert "your own tournaments and classes" in client.get("/account/tokens/").content.decode()
    desk("get", f"{here}people/{made['slips'][0]['id'] + 99}/", status=404)


def headers_of(owner, **fields):
    _, text = create_token(owner=owner, name=f"n{ApiToken.objects.count()}", **fields)
    return {"authorization": f"Bearer {text}"}


def test_the_number_of_queries_does_not_grow_with_the_class(desk, submitted):
    made = desk("post", fields=COURSE, status=201).json()
    submitted(User.objects.get(username=made["slips"][0]["login"]), "karl")

    def queries():
        with CaptureQueriesContext(connection) as counted:
            desk("get", f"{made['class_id']}/")
        return len(counted)

    few = queries()
    found = SchoolClass.objects.get()
    add_people(school_class=found, names=[ListedName(f"P{letter}") for letter in "abcdefgh"], key=new_key())
    for pupil in found.pupils.filter(name__startswith="P"):
        submitted(pupil.person, "karl")
    assert queries() == few
