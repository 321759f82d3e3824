"""Output of a bot beside a decision: what was wrong for everybody, what it printed for its owner alone."""

import pytest
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Seat, SeatReport
from stichkampf_platform.tournaments.organising import lifecycle

pytestmark = pytest.mark.database

STDERR = "imported\nI begin, \nI hold <the> ace\n  and more\nthe end"
WRITTEN = [
    pb.DecisionOutput(decision=1, begin=9, end=22),
    pb.DecisionOutput(decision=2, begin=22, end=47),
]
SECRET = "I hold &lt;the&gt; ace"
WRONG = "malformed: &#x27;play X9&#x27;; legal were play R1"
COMPLAINTS = ["the connection was lost", "malformed: 'play X9'; legal were play R1"]


def report(seat):
    """The arbiter's report of Karl: its second complaint is about the second decision."""
    told = {"complaints": COMPLAINTS, "complaint_decisions": [0, 2]}
    return pb.SeatReport(seat=seat, stderr=STDERR, written=WRITTEN, **told)


@pytest.fixture
def match(person, submitted, make_tournament, house, land, played_record):
    """A match of Ann's Karl: its table, Karl's seat, and the steps of Karl's decisions."""
    karl, paul = submitted(person("ann"), "karl"), submitted(person("bob"), "paul")
    person("chief", is_staff=True)
    tournament = make_tournament(versions=[karl, paul, house["thumb"]], blocks=1)
    lifecycle.start(tournament=tournament)
    for table in leases.take(block_id=tournament.blocks.get().pk, owner="w1"):
        seat = table.seats.get(entrant__version=karl).number
        record = played_record(table, faulting=[seat])
        assert land(table, record, reports=[report(seat)])
    moves = [mover for deal in record["deals"] for mover, _ in deal["moves"]]
    return table.pk, seat, [step for step, mover in enumerate(moves, start=1) if mover == seat]


def test_a_line_belongs_to_the_decision_at_which_it_begins(match):
    assert [report.written for report in SeatReport.objects.all()] == [[[1, 1, 3], [2, 3, 4]]] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("who", "sees"), [("ann", True), ("bob", False), ("chief", False), ("", False)])
def test_only_the_owner_reads_output_beside_its_decision(client, match, who, sees):
    table, seat, steps = match
    if who:
        client.force_login(lifecycle.User.objects.get(username=who))

    def read(path):
        return client.get(path).content.decode()

    first = f"/r/{table}/{steps[0]}"
    assert (SECRET in read(first)) == sees
    assert (SECRET in read(f"{first}?view={seat + 1}")) == sees
    assert SECRET not in read(f"{first}?view={(seat + 1) % 3 + 1}")
    assert SECRET not in read(f"/embed{first}")
    second = read(f"/r/{table}/{steps[1]}")
    assert "the connection was lost" not in second
    assert SECRET not in second
    assert ("  and more" in second) == sees
    assert "imported" not in second


@pytest.mark.parametrize("who", ["ann", "bob", ""])
def test_everybody_reads_what_was_wrong_at_a_fault(client, match, who):
    table, seat, steps = match
    if who:
        client.force_login(lifecycle.User.objects.get(username=who))

    def read(path):
        return client.get(path).content.decode()

    second = f"/r/{table}/{steps[1]}"
    assert WRONG in read(second)
    assert WRONG in read(f"{second}?view={seat + 1}")
    assert WRONG in read(f"/embed{second}")
    assert WRONG in read(f"/de{second}")
    assert "play X9" not in read(f"{second}?view={(seat + 1) % 3 + 1}")
    assert "play X9" not in read(f"/r/{table}/{steps[0]}")
    faults = client.get(f"/api/v1/tables/{table}/faults/").json()
    assert [fault["reasons"] for fault in faults] == [[], COMPLAINTS[1:]]
    assert {(fault["seat"], fault["kind"]) for fault in faults} == {(seat, "timeout")}


def test_what_was_wrong_waits_for_the_blocks_that_its_bot_plays(client, match):
    table, _, steps = match
    karl = Seat.objects.get(table=table, entrant__version__bot__slug="karl")
    running = karl.table.block.tournament.blocks.create(number=1, seed=bytes(32))
    other = running.tables.create(lane=0, started_at=karl.table.started_at)
    other.seats.create(number=0, entrant=karl.entrant)
    assert "play X9" not in client.get(f"/r/{table}/{steps[1]}").content.decode()
    assert not any(fault["reasons"] for fault in client.get(f"/api/v1/tables/{table}/faults/").json())
