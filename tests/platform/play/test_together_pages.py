"""Pages of a table by link: to invite, to sit down, and what others are told there."""

import pytest
from django.test import Client
from stichkampf_platform.play import together
from stichkampf_platform.play.models import PlayedState, PlayedTable
from support import wait_until

FIELDS = {"game": "stiche-raten", "seats": "3", "level": "gentle", "minutes": "3"}


def room_of(client):
    answer = client.post("/play/together/", FIELDS)
    assert answer.status_code == 302, answer.content.decode()
    return answer["Location"]


def text(answer):
    return answer.content.decode()


def test_people_come_by_the_link_and_play(parts):
    host, guest, late = Client(), Client(), Client()
    room = room_of(host)
    page = host.get(room)
    assert (page["Cache-Control"], page["Refresh"]) == ("private, no-store", "4")
    assert f'<code id="link">http://testserver{room}</code>' in text(page)
    assert "in 3 minutes at the latest" in text(page)
    assert text(page).count("the bot <i>gentle</i> will play") == 2
    place = room.replace("together/", "")
    assert host.get(place).status_code == 302
    for pressed in (
        {"move": "bid 1", "decision": "1"},
        {"deed": "resign"},
        {"deed": "leave"},
        {"deed": "back"},
    ):
        for headers in ({}, {"X-Fragment": "steps"}):
            refused = host.post(place, pressed, headers=headers)
            assert (refused.status_code, "This table has not begun yet." in text(refused)) == (409, True)
    assert "You are invited" in text(guest.get(room))
    assert guest.post(room, {"deed": "sit", "seat": "2"}).status_code == 302
    assert text(host.get(room)).count("the bot <i>gentle</i> will play") == 1
    again = guest.post(room, {"deed": "sit", "seat": "3"})
    assert (again.status_code, "You have a seat at this table already." in text(again)) == (409, True)
    for stranger, deed in ((late, "begin"), (guest, "begin"), (guest, "off")):
        refused = stranger.post(room, {"deed": deed})
        assert (refused.status_code, "Only who invited" in text(refused)) == (409, True)
    assert host.post(room, {"deed": "begin"}).status_code == 302
    table = PlayedTable.objects.get()
    assert host.get(room)["Location"] == f"/play/{table.public_id}/"
    for answer in (late.get(room), late.post(room, {"deed": "sit", "seat": "3"})):
        assert (answer.status_code, "This table has begun" in text(answer)) == (409, True)
    assert late.get(f"/play/{table.public_id}/").status_code == 403

    def drawn():
        page = text(guest.get(f"/play/{table.public_id}/"))
        return page if 'id="phrases"' in page else None

    page = wait_until(drawn, goal="the cards are dealt")
    assert 'value="hint"' not in page
    assert page.count('value="say ') == len(together.PHRASES)
    said = host.post(f"/play/{table.public_id}/", {"deed": "say 2"})
    assert said.status_code == 302
    assert "Guest 1: Well played!" in text(guest.get(f"/play/{table.public_id}/"))
    refused = host.post(f"/play/{table.public_id}/", {"deed": "say 77"})
    assert (refused.status_code, "no such phrase" in text(refused)) == (409, True)


def test_who_has_an_account_takes_the_seat_again_on_another_device_and_may_report_a_name(parts, person):
    ann, phone, desk, friend = person("ann"), Client(), Client(), Client()
    phone.force_login(ann)
    desk.force_login(ann)
    friend.force_login(person("ben"))
    room = room_of(phone)
    friend.post(room, {"deed": "sit", "seat": "2"})
    phone.post(room, {"deed": "begin"})
    place = room.replace("together/", "")
    wait_until(lambda: "/people/ben/report/" in text(phone.get(place)), goal="the cards are dealt")
    assert "/people/ann/report/" not in text(phone.get(place))
    assert f'href="{place}"' in text(desk.get("/play/"))
    assert phone.post(place, {"deed": "leave"}).status_code == 302
    assert "A bot plays for you." in text(desk.get(place))
    assert "away: a bot plays" in text(friend.get(place))
    assert desk.post(place, {"deed": "return"}).status_code == 302
    for device in (desk, phone):
        page = text(device.get(place))
        assert ("A bot plays for you." in page, "Take my seat again" in page) == (False, False)
    assert "away: a bot plays" not in text(friend.get(place))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("level", "word"), [("gentle", "sanft"), ("even", "ausgeglichen"), ("strong", "stark")]
)
def test_a_german_room_tells_the_level_of_its_bots_in_german(client, level, word):
    sent = client.post("/de/play/together/", FIELDS | {"level": level})
    assert text(client.get(sent["Location"])).count(f"ein Bot wird spielen, <i>{word}</i>") == 2


@pytest.mark.django_db
def test_a_table_that_was_called_off_says_so(client):
    room = room_of(client)
    assert client.post(room, {"deed": "off"}).status_code == 302
    answer = client.get(room)
    assert (answer.status_code, "called it off" in text(answer)) == (410, True)
    assert PlayedTable.objects.get().state == PlayedState.VOID


@pytest.mark.django_db
def test_what_cannot_be_is_refused_in_one_sentence(client):
    answer = client.post("/play/together/", FIELDS | {"seats": "77"})
    assert (answer.status_code, "Say for how many seats: 3, 4, 5, 6." in text(answer)) == (400, True)
    assert not PlayedTable.objects.exists()
    assert client.get("/play/together/nowhere/").status_code == 404
