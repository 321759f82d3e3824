from datetime import timedelta
from smtplib import SMTPServerDisconnected

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from stichkampf_platform.core import clock
from stichkampf_platform.people import notices, tasks
from stichkampf_platform.people.models import Notice

pytestmark = pytest.mark.queries

EVIDENCE = notices.Evidence(
    match="A cup, block 1, table 2",
    address="/r/7/3",
    faults={"timeout": 2},
    forfeited=False,
    stderr="<oh>",
    stderr_waits=False,
)


@pytest.fixture
def told(person):
    """Tell ann something."""

    def tell(email="ann@cards.example", **fields):
        return notices.tell(
            person=person(email=email), title="karl v1 is suspended", text="Too many faults.",
            address="/bots/ann/karl/v/1/", evidence=[EVIDENCE], **fields,
        )  # fmt: skip

    return tell


@pytest.fixture
def dead_server(monkeypatch):
    """A mail server that does not answer."""

    def hang_up(self, messages):
        raise SMTPServerDisconnected("Connection unexpectedly closed")

    monkeypatch.setattr(EmailBackend, "send_messages", hang_up)


def test_a_notice_is_mailed_once_however_often_it_is_asked_for(told):
    notice = told()
    assert [notices.mail(notice_id=notice.pk) for _ in range(3)] == [True, False, False]
    (message,) = mail.outbox
    assert message.to == ["ann@cards.example"]
    assert "http://localhost:8000/bots/ann/karl/v/1/" in message.body
    assert "A cup, block 1, table 2:\ntimeout (2)\nhttp://localhost:8000/r/7/3" in message.body
    assert "<oh>" in message.body
    notice.refresh_from_db()
    assert notice.mailed_at is not None


def test_two_workers_do_not_mail_the_same_notice(told, monkeypatch):
    notice = told()
    again = []

    def send(self, messages):
        again.append(notices.mail(notice_id=notice.pk))
        return 1

    monkeypatch.setattr(EmailBackend, "send_messages", send)
    assert notices.mail(notice_id=notice.pk)
    assert again == [False]


def test_without_an_address_nothing_is_mailed(told):
    notice = told(email="")
    assert not notices.due_mails().exists()
    assert not notices.mail(notice_id=notice.pk)
    assert mail.outbox == []


def test_a_mail_that_was_not_taken_is_due_again_a_little_later(told, dead_server, caplog):
    notice = told()
    tasks.mail_notice(notice.pk)
    assert "is not mailed yet" in caplog.text
    assert not notices.due_mails().exists()
    notice.refresh_from_db()
    assert notice.mailed_at is None
    assert clock.now() < notice.mail_due_at <= clock.now() + notices.NEXT_TRY


def test_a_second_try_has_the_same_message_id(told):
    notice = told()
    notices.mail(notice_id=notice.pk)
    Notice.objects.update(mail_due_at=clock.now())
    notices.mail(notice_id=notice.pk)
    first, second = mail.outbox
    assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]


def test_a_mail_that_waited_for_days_is_tried_once_more_and_given_up_where_that_fails(
    told, caplog, monkeypatch
):
    notice = told()
    Notice.objects.update(created_at=clock.now() - notices.GIVE_UP - timedelta(hours=1))
    assert notices.mail(notice_id=notice.pk)
    mail.outbox.clear()
    Notice.objects.update(mail_due_at=clock.now(), mailed_at=None)

    def refuse(message):
        raise ConnectionRefusedError

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    with pytest.raises(ConnectionRefusedError):
        notices.mail(notice_id=notice.pk)
    assert not notices.due_mails().exists()
    assert "could not be mailed" in caplog.text
    assert mail.outbox == []


def test_a_notice_stands_on_its_own_persons_pages_only(told, client, person):
    notice = told()
    client.force_login(notice.person)
    assert notice.get_absolute_url() in client.get("/account/").content.decode()
    page = client.get(notice.get_absolute_url()).content.decode()
    assert "Too many faults." in page
    assert 'href="/r/7/3"' in page
    assert "&lt;oh&gt;" in page
    for other in (person("bob"), person("chief", is_staff=True)):
        client.force_login(other)
        assert client.get(notice.get_absolute_url()).status_code == 404
        assert notice.title not in client.get("/account/").content.decode()


def test_the_api_tells_a_persons_own_notices(told, client, person, token):
    notice = told()
    client.force_login(notice.person)
    (answer,) = client.get("/api/v1/me/notices/").json()["results"]
    assert (answer["title"], answer["evidence"]) == (notice.title, [dict(EVIDENCE)])
    assert client.get("/api/v1/me/notices/", headers=token("bob")).json()["results"] == []
    client.logout()
    assert client.get("/api/v1/me/notices/").status_code == 401
