"""The choice of what people are told of, and how; and the end of mails without signing in."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from stichkampf_platform.bots.models import Version
from stichkampf_platform.bots.services import reject
from stichkampf_platform.core import clock
from stichkampf_platform.ladders.queries import main_ladders
from stichkampf_platform.people import notice_choices, notices
from stichkampf_platform.people.models import Notice, NoticeKind, NoticeWay
from stichkampf_platform.ratings import announcements
from stichkampf_platform.ratings.models import Rating, Snapshot

pytestmark = pytest.mark.queries


@pytest.fixture
def ann(person):
    return person(email="ann@cards.example")


def tell(person, kind=NoticeKind.TOURNAMENT, **fields):
    return notices.tell(person=person, title="A cup has started", text="karl plays.", kind=kind, **fields)


def test_a_person_is_told_in_the_chosen_way(ann):
    assert tell(ann).mail_to == ann.email
    notice_choices.choose(person=ann, kind=NoticeKind.TOURNAMENT, way=NoticeWay.SITE)
    assert tell(ann).mail_to == ""
    notice_choices.choose(person=ann, kind=NoticeKind.TOURNAMENT, way=NoticeWay.OFF)
    assert tell(ann) is None
    assert tell(ann, kind=NoticeKind.RANK) is None
    notice_choices.choose(person=ann, kind=NoticeKind.CONDUCT, way=NoticeWay.OFF)
    assert tell(ann, kind=NoticeKind.CONDUCT).mail_to == ""


def test_the_same_is_told_to_a_person_once(ann, person):
    first = tell(ann, once="cup 3 started")
    assert tell(ann, once="cup 3 started") == first
    tell(person("bob"), once="cup 3 started")
    assert Notice.objects.count() == 2


def test_the_page_keeps_the_choice_and_offers_no_silence_about_suspensions(client, ann):
    client.force_login(ann)
    page = client.get("/account/notices/").content.decode()
    assert re.search(r'<select name="conduct".*?</select>', page, re.DOTALL)[0].count("<option") == 2
    ways = {"conduct": "site", "validation": "mail", "tournament": "off", "rank": "site"}
    assert client.post("/account/notices/", ways).status_code == 302
    assert notice_choices.ways_of(ann) == ways
    refused = client.post("/account/notices/", ways | {"conduct": "off"})
    assert refused.status_code == 422
    assert "off" in refused.content.decode()
    client.logout()
    assert client.get("/account/notices/").status_code == 302


def test_a_mail_names_the_address_that_ends_its_kind(client, ann):
    notices.mail(notice_id=tell(ann).pk)
    (message,) = mail.outbox
    (address,) = re.findall(
        r"<http://localhost:8000(/notices/off/[^>]+)>", message.extra_headers["List-Unsubscribe"]
    )
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert address in message.body
    assert "Send no more of these mails" in client.get(address).content.decode()
    assert tell(ann).mail_to
    assert "gets no mails of this kind" in client.post(address, "List-Unsubscribe=One-Click",
        content_type="application/x-www-form-urlencoded").content.decode()  # fmt: skip
    assert tell(ann).mail_to == ""
    assert tell(ann, kind=NoticeKind.CONDUCT).mail_to
    assert client.post(f"{address[:-2]}/").status_code == 404


def test_what_waits_is_not_mailed_after_the_person_chose_otherwise(ann):
    notice = tell(ann)
    notice_choices.end_mails(person=ann, kind=NoticeKind.TOURNAMENT)
    assert not notices.mail(notice_id=notice.pk)
    assert mail.outbox == []
    assert not notices.due_mails().exists()


def test_the_end_of_a_validation_is_told(person, submitted):
    ann = person(language="de")
    version = submitted(ann, state=Version.State.SUBMITTED)
    version.bot.owner.submissions.create(version=version, file_name="x.zip")
    reject(version=version, reason="It never answers.")
    notice = Notice.objects.get()
    assert (notice.kind, notice.text) == (NoticeKind.VALIDATION, "It never answers.")
    assert "karl v1" in notice.title


def test_new_ranks_are_told_once_a_day_to_those_who_want_it(person, submitted, house):
    ladder = main_ladders().first()
    ann, bob = person("ann"), person("bob")
    notice_choices.choose(person=ann, kind=NoticeKind.RANK, way=NoticeWay.SITE)
    versions = [submitted(who, name) for who, name in ((ann, "karl"), (ann, "otto"), (bob, "emil"))]

    def snapshot(ranks, age):
        made = Snapshot.objects.create(
            ladder=ladder, block_spans=[], blocks=20, tables=80, comparisons=9, digest=""
        )
        Snapshot.objects.filter(pk=made.pk).update(at=clock.now() - age)
        for version, rank in zip(versions, ranks, strict=True):
            Rating.objects.create(
                snapshot=made,
                version=version,
                elo=1500,
                blocks=20,
                comparisons=9,
                rank=rank,
                provisional=False,
            )

    snapshot([3, 1, 2], timedelta(hours=30))
    snapshot([2, 1, 3], timedelta(0))
    assert announcements.tell_ranks() == 1
    assert announcements.tell_ranks() == 0
    notice = Notice.objects.get()
    assert notice.person == ann
    assert notice.text.endswith("karl has rank 2, a day ago 3.")
    assert "otto" not in notice.text


def test_the_api_reads_and_keeps_the_choice(client, token):
    mine = token("ann")
    address = "/api/v1/me/notice-choices/"
    assert {"kind": "rank", "way": "off"} in client.get(address, headers=mine).json()
    put = {"path": address, "content_type": "application/json", "headers": mine}
    assert client.put(data={"kind": "rank", "way": "mail"}, **put).status_code == 200
    assert {"kind": "rank", "way": "mail"} in client.get(address, headers=mine).json()
    refused = client.put(data={"kind": "conduct", "way": "off"}, **put)
    assert (refused.status_code, refused.json()["detail"]) == (
        400,
        "way: conduct can be site or mail, not 'off'.",
    )
    assert client.get(address).status_code == 401
