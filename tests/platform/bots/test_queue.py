"""Whose turn it is: authors side by side, trials that the platform breaks off, and what the log may hold."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import OperationalError
from stichkampf.local_play.validation import Verdict
from stichkampf.plain_text import LINE_CHARACTERS
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.bots import queries, services
from stichkampf_platform.bots.models import Submission
from stichkampf_platform.bots.validation import matches, run
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterBusy, ArbiterGone
from support import archive

pytestmark = pytest.mark.database


class Absent:
    """An arbiter that answers who it is and is gone when a match is to begin."""

    def __init__(self):
        self.starts = 0

    def status(self):
        return pb.GetStatusResponse(sandbox_level=pb.SANDBOX_LEVEL_HOSTED)

    def upload_missing(self, versions):
        pass

    def start(self, **asked):
        self.starts += 1
        raise ArbiterGone("The arbiter does not answer.")


@pytest.fixture
def submit(person):
    """Submit bots by the name of their author."""
    people = {}

    def make(name, slug):
        owner = people.get(name) or people.setdefault(name, person(name))
        return services.submit_version(owner=owner, slug=slug, content=archive({"bot.py": slug}))

    return make


def test_a_bot_waits_where_the_node_lacks_a_part_of_its_runtime(person):
    files = {"bot.py": "", "stichkampf.toml": 'name = "Karl"\nweight = "net"\n'}
    owner, arbiter = person("ann"), Absent()
    submission = services.submit_version(owner=owner, slug="karl", content=archive(files))
    assert submission.version.weight == submission.version.weight_class == "net"
    light = services.submit_version(owner=owner, slug="karla", content=archive("# light"))
    assert (light.version.weight, light.version.weight_class) == ("", "light")
    answer = pb.GetStatusResponse(
        sandbox_level=pb.SANDBOX_LEVEL_HOSTED, missing_parts=["javascript", "onnxruntime"]
    )
    arbiter.status = lambda: answer
    assert run.validate(submission_id=submission.pk, arbiter=arbiter)
    assert submission.lines.last().text == (
        "Waiting. This node lacks onnxruntime, which the archive asks for as a part of the runtime. The"
        " bot is validated as soon as an administrator has installed that."
    )
    assert (arbiter.starts, run.reason_to_wait(light, arbiter)) == (0, "")


def test_authors_take_turns_in_any_order_of_submission(submit):
    a1, a2, a3 = (submit("ann", f"a{number}") for number in (1, 2, 3))
    b1, c1 = submit("bob", "b1"), submit("cid", "c1")
    assert queries.turns() == [a1, b1, c1, a2, a3]
    assert queries.due_submissions() == [a1, b1, c1]
    assert run._take(a1.pk, "w1")
    assert queries.turns() == [b1, c1, a2, a3]
    assert queries.due_submissions() == [b1, c1]
    run._finish(a1, "w1", Verdict(["mue"], "", ""))
    assert queries.turns() == [b1, c1, a2, a3]


def test_workers_take_one_submission_of_an_author_at_a_time(submit):
    a1, a2, b1 = submit("ann", "a1"), submit("ann", "a2"), submit("bob", "b1")
    assert run._take(a1.pk, "w1")
    assert run._take(b1.pk, "w2")
    assert not run._take(a2.pk, "w3")


def test_the_place_in_the_queue_stands_on_the_page_and_in_the_api(submit, client):
    submit("bob", "b1")
    first, second = submit("ann", "a1"), submit("ann", "a2")
    client.force_login(first.submitted_by)
    places = [client.get(f"/api/v1/submissions/{each.pk}/").json()["queue_place"] for each in (first, second)]
    assert places == [2, 3]
    assert "It is number 3 in the queue" in client.get(second.get_absolute_url()).content.decode()
    assert run._take(first.pk, "w1")
    assert client.get(f"/api/v1/submissions/{first.pk}/").json()["queue_place"] is None


def test_a_lease_that_reaches_further_than_any_holds_no_submission(submit):
    submission = submit("ann", "karl")
    Submission.objects.update(lease_owner="gone", lease_until=clock.now() + timedelta(days=365))
    assert queries.turns() == [submission]
    assert run._take(submission.pk, "w1")


def test_a_trial_that_the_platform_breaks_off_three_times_waits_for_staff(house, submit, person, caplog):
    submission = submit("ann", "karl")
    arbiter = Absent()
    for _ in range(5):
        Submission.objects.filter(lease_owner="").update(lease_until=None)
        run.validate(submission_id=submission.pk, arbiter=arbiter)
    assert arbiter.starts == run.MOST_TRIALS == 3
    submission.refresh_from_db()
    submission.version.refresh_from_db()
    assert submission.set_aside_at is not None
    assert submission.version.state == "submitted"
    assert "This is not the bot's fault. Staff must look" in submission.version.reason
    assert "is set aside" in caplog.text
    assert queries.turns() == []
    services.approve(version=submission.version, staff=person("chief", is_staff=True))
    assert queries.turns() == [submission]
    run.validate(submission_id=submission.pk, arbiter=arbiter)
    assert arbiter.starts == 4


@pytest.mark.parametrize("error", [OperationalError("away"), OSError(28, "no space"), ArbiterBusy("no room")])
def test_a_trial_that_an_outage_breaks_off_is_not_counted(house, submit, monkeypatch, error):
    submission, arbiter = submit("ann", "karl"), Absent()
    monkeypatch.setattr(run.ValidationRun, "run", lambda trial: fail(error))
    for _ in range(2 * run.MOST_TRIALS):
        Submission.objects.update(lease_owner="", lease_until=None)
        with suppress(OperationalError, OSError):
            run.validate(submission_id=submission.pk, arbiter=arbiter)
    submission.refresh_from_db()
    assert (submission.trials, submission.set_aside_at) == (0, None)


def fail(error):
    raise error


def test_a_third_run_whose_worker_died_is_not_begun_again(house, submit):
    submission = submit("ann", "karl")
    past = clock.now() - timedelta(seconds=1)
    Submission.objects.update(trials=3, lease_owner="a dead worker", lease_until=past)
    arbiter = Absent()
    assert run.validate(submission_id=submission.pk, arbiter=arbiter)
    assert arbiter.starts == 0
    assert Submission.objects.get().set_aside_at is not None


def test_the_lease_of_a_trial_outlasts_every_single_step_of_it():
    from stichkampf_platform.core.arbiter_client import CALL_SECONDS, UPLOAD_SECONDS

    assert run.LEASE_SECONDS > CALL_SECONDS + UPLOAD_SECONDS


def test_a_trial_waits_for_room_at_the_arbiter_and_is_not_broken_off(house, submit, monkeypatch):
    class Full(Absent):
        def start(self, **asked):
            self.starts += 1
            if self.starts < 4:
                raise ArbiterBusy("All tables are taken.")
            raise ArbiterGone("It had room.")

    monkeypatch.setattr(matches, "ROOM_PAUSE_SECONDS", 0)
    arbiter = Full()
    run.validate(submission_id=submit("ann", "karl").pk, arbiter=arbiter)
    assert arbiter.starts == 4
    assert Submission.objects.get().trials == 1


def test_a_line_of_the_log_is_cut_and_holds_nothing_that_a_terminal_obeys(submit):
    submission = submit("ann", "karl")
    services.write(submission, "\x1b]0;mine\x07 a\u202eb c\nd\x00" + "x" * 65_000)
    text = submission.lines.last().text
    assert text.startswith("\ufffd]0;mine\ufffd a\ufffdb c d\ufffdxxx")
    assert len(text) == LINE_CHARACTERS


def test_what_a_bot_printed_in_a_tournament_is_stored_without_control_characters(leased, land, house):
    table, *_ = leased()
    report = pb.SeatReport(seat=0, stderr="first\x1b[2J\n\u202esecond\n" + "x" * 60_000)
    assert land(table, reports=[report])
    lines = table.seats.get(number=0).report.stderr.split("\n")
    assert lines[:2] == ["first\ufffd[2J", "\ufffdsecond"]
    assert len(lines[2]) == LINE_CHARACTERS
