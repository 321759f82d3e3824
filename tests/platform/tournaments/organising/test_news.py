"""Announcements of organisers, and the description after the start: page, notices, feed, API and desk."""

import pytest
from django.core import mail
from stichkampf_platform.core.errors import RequestRefused, TooMany
from stichkampf_platform.people import notices
from stichkampf_platform.people.models import Notice, NoticeKind, NoticeWay, User
from stichkampf_platform.people.notice_choices import choose
from stichkampf_platform.people.services import create_token
from stichkampf_platform.settings.base import RATES
from stichkampf_platform.tournaments.models import Membership, Ruling
from stichkampf_platform.tournaments.organising import lifecycle, rulings

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(person, make_organiser):
    made = person("olga")
    make_organiser(made)
    return made


@pytest.fixture
def cup(make_tournament, house, person, submitted, olga):
    """A running tournament of Olga, with a bot of Ann's and Ben as a member."""
    karl = submitted(person("ann"), "karl")
    karl.bot.may_be_entered = True
    karl.bot.save()
    versions = [house["thumb"], house["random"], karl]
    made = make_tournament(versions=versions, blocks=2, created_by=olga, published=True)
    Membership.objects.create(tournament=made, person=person("ben"))
    lifecycle.start(tournament=made)
    made.refresh_from_db()
    return made


def bearer(owner, **scope):
    return {"authorization": f"Bearer {create_token(owner=owner, name='a test', **scope)[1]}"}


def told():
    found = Notice.objects.filter(title__contains="an announcement")
    return sorted(found.values_list("person__username", "text"))


def test_an_announcement_stands_on_page_list_and_feed_and_goes_to_authors_and_members(cup, olga, client):
    rulings.announce(tournament=cup, by=olga, text=" The final is at eight.\n<b>Come!</b> ")
    text = "The final is at eight.\n<b>Come!</b>"
    assert told() == [("ann", text), ("ben", text)]
    page = client.get(cup.get_absolute_url()).content.decode()
    assert page.count("The final is at eight.<br>&lt;b&gt;Come!&lt;/b&gt;") == 2
    assert "It changed no place" not in page
    assert "The final is at eight." in client.get("/tournaments/feed.atom").content.decode()
    (listed,) = client.get(f"/api/v1/tournaments/{cup.slug}/rulings/").json()
    assert (listed["kind"], listed["role"], listed["reason"]) == ("news", "organiser", text)


def test_an_announcement_is_mailed_once_in_the_language_of_each_who_chose_mail(cup, olga):
    """Ann has entered and is a member, Ben reads German, Cid wants no mail, Dot nothing."""
    people = {each.username: each for each in User.objects.filter(username__in=("ann", "ben"))}
    for name in ("cid", "dot"):
        people[name] = User.objects.create_user(name)
        Membership.objects.create(tournament=cup, person=people[name])
    Membership.objects.create(tournament=cup, person=people["ann"])
    for name, each in people.items():
        each.email, each.language = f"{name}@cards.example", "de" if name == "ben" else "en"
        each.save()
    choose(person=people["cid"], kind=NoticeKind.TOURNAMENT, way=NoticeWay.SITE)
    choose(person=people["dot"], kind=NoticeKind.TOURNAMENT, way=NoticeWay.OFF)
    rulings.announce(tournament=cup, by=olga, text="The final is at eight.")
    assert [name for name, _ in told()] == ["ann", "ben", "cid"]
    for _ in range(2):
        for notice in Notice.objects.all():
            notices.mail(notice_id=notice.pk)
    heads = {message.to[0]: (message.subject, message.body.splitlines()[0]) for message in mail.outbox}
    assert len(mail.outbox) == len(heads)
    assert heads == {
        "ann@cards.example": ("Stichkampf: A test: an announcement", "Hello ann,"),
        "ben@cards.example": ("Stichkampf: A test: eine Ankündigung", "Hallo ben,"),
    }
    assert all("The final is at eight." in message.body for message in mail.outbox)


@pytest.mark.parametrize("text", ["", "  \n ", "a\x07b", "x" * 1001])
def test_what_cannot_be_announced_is_refused_and_nobody_is_told(cup, olga, text):
    with pytest.raises(RequestRefused):
        rulings.announce(tournament=cup, by=olga, text=text)
    assert not Ruling.objects.exists()
    assert told() == []


def test_nobody_is_told_more_often_than_an_organiser_may_announce(cup, olga, settings):
    settings.RATES = {**settings.RATES, "announcements": RATES["announcements"]}
    for number in range(12):
        rulings.announce(tournament=cup, by=olga, text=f"News {number}")
    with pytest.raises(TooMany):
        rulings.announce(tournament=cup, by=olga, text="more")


def test_the_organiser_describes_and_announces_by_the_api_and_others_do_not(cup, olga, person, client):
    address = f"/api/v1/organiser/tournaments/{cup.slug}"
    own = {"headers": bearer(olga, scope="organiser"), "content_type": "application/json"}
    assert client.post(f"{address}/describe/", {"description": "Bring **pens**."}, **own).status_code == 200
    assert "Bring <strong>pens</strong>." in client.get(cup.get_absolute_url()).content.decode()
    answer = client.post(f"{address}/describe/", {"description": "x" * 10_001}, **own)
    assert (answer.status_code, "description" in answer.json()) == (400, True)
    eve = {"headers": bearer(person("eve")), "content_type": "application/json"}
    assert client.post(f"{address}/announce/", {"text": "no"}, **eve).status_code in (403, 404)
    assert not Ruling.objects.exists()


def test_the_desk_asks_for_the_text(cup, olga, client):
    client.force_login(olga)
    page = client.get(f"/admin/tournaments/tournament/{cup.pk}/change/").content.decode()
    assert 'name="text"' in page
    sent = {"action": "announce", "_selected_action": cup.pk, "from_page": "yes", "index": 0, "text": "Soon."}
    answer = client.post("/admin/tournaments/tournament/", sent, follow=True)
    assert "Announced." in answer.content.decode()
    assert Ruling.objects.get().reason == "Soon."
