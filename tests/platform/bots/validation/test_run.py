"""Validation by a real arbiter: what the log says, and what becomes of the version."""

import re
import subprocess
from pathlib import Path

import pytest
from stichkampf.games import GAMES
from stichkampf.limits import FREE_WAIT_FACTOR, FREE_WAIT_SECONDS, START_SECONDS
from stichkampf.local_play import validation
from stichkampf.time_control import LADDER_CLOCK
from stichkampf_platform.bots import remote, services, tasks
from stichkampf_platform.bots.models import RemoteAccess, Version
from stichkampf_platform.bots.queries import due_submissions
from stichkampf_platform.bots.validation import revalidation, run
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import ArbiterGone
from stichkampf_platform.people.models import Notice
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.organising import lifecycle as tournaments
from support import archive

pytestmark = pytest.mark.xdist_group("validation")

HONEST = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[-1]
"""
BAD = """
import os, sys
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        {}
"""
WIRE = """
import grpc, os, queue, subprocess, sys
from stichkampf.wire.v1 import bot_pb2 as pb, bot_pb2_grpc
address = "unix:" + os.environ["STICHKAMPF_SOCKET"]
channel = grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)])
say = queue.Queue()
say.put(pb.FromBot(hello=pb.Hello(wire_version_min=1, wire_version_max=1, agent="env/1")))
for frame in bot_pb2_grpc.BotGatewayStub(channel).Play(iter(say.get, None), wait_for_ready=True):
    for update in frame.updates.tables:
        if update.HasField("question"):
            asked = update.question
            action = asked.legal[0]
            if len(sys.argv) > 1:
                told = "\\n".join(asked.legal) + "\\n"
                said = subprocess.run(sys.argv[1:], input=told, stdout=subprocess.PIPE, text=True).stdout
                action = said.splitlines()[0]
            answer = pb.Answer(table=update.table, decision=asked.decision, action=action)
            say.put(pb.FromBot(answers=pb.Answers(answers=[answer])))
"""


def test_the_log_says_every_step_of_an_honest_bots_way(validated):
    version, lines = validated(HONEST)
    assert version.state == "approved"
    received, trial, starts, hello, played, accepted = lines
    assert "1 file, 106 bytes unpacked; the archive is valid" in received
    assert trial == (
        "Validation 1: stiche-raten; 2 s a decision, a reserve of 10 s, and no fault is allowed."
    )
    assert "with 4 seats, against house bots. The bot is started and must connect within 30 s." in starts
    assert hello.startswith("stiche-raten: started in ")
    assert "Hello from stichkampf/" in hello
    assert "played to the end without a fault, " in played
    assert "5 matches with 3, 4, 5, 6 seats; " in played
    assert " decisions, median " in played
    assert " of cpu time; on the clock median " in played
    assert accepted == "Accepted: the bot may play stiche-raten."
    assert version.validated_against == {"wire": 1, "stiche-raten": 1}


@pytest.mark.parametrize(
    ("move", "reason", "told"),
    [
        (
            "return 'play R99'",
            "malformed at decision ",
            ["malformed: 'play R99'; legal were "],
        ),
        ("raise ValueError('lost my cards')", "crashed at", ["bot.py, line 7", "lost my cards"]),
        ("while True: pass", "timeout at", ["timeout: ", "s of cpu time used, 5.00 s allowed"]),
        ("os._exit(3)", "crashed at", ["The process has ended: exited (3)."]),
        ("self.much = bytearray(400 * 2**20)", "resource-limit at", ["at the limit of 256 MiB of memory"]),
        ("print('oh dear', file=sys.stderr); os.abort()", "crashed at", ["printed: oh dear"]),
    ],
    ids=["not a move", "raises", "hangs", "leaves", "too much memory", "last words"],
)
def test_a_faulty_bot_is_rejected_and_told_why(validated, move, reason, told):
    version, lines = validated(BAD.format(move))
    assert version.state == "rejected"
    assert reason in version.reason
    text = "\n".join(lines)
    assert re.search("the last question was to choose from: (bid|trump) [^.]+[.]", text)
    for words in told:
        assert words in text, text


def test_a_bot_that_cannot_be_imported_is_told_the_end_of_its_traceback(validated):
    version, lines = validated("import nothing_of_that_name\n")
    assert version.state == "rejected"
    assert "it ended before it said hello" in lines
    assert lines[3].startswith(
        "It did not start: bot.py does not load: bot.py, line 1: ModuleNotFoundError: "
    )
    assert "nothing_of_that_name" in version.reason
    assert not any("Hello from" in line for line in lines)


def test_a_bot_that_names_no_games_gets_those_that_it_plays(validated):
    picky = HONEST.replace("def choose", "games = ('stiche-raten', 'mue')\n\n    def choose")
    version, lines = validated(picky, games=())
    assert version.state == "approved"
    assert version.games == ["stiche-raten", "mue"]
    told = "\n".join(lines)
    assert "Validation 1: every game, because it names none;" in told
    assert told.count("the bot does not play this game; it names stiche-raten, mue.") == 1
    assert "crashed" not in told


@pytest.mark.parametrize(
    ("program", "language", "command", "agent"),
    [
        (Path(__file__).with_name("karl.pl").read_bytes(), "Perl", '["./karl"]', "perl/5."),
        (
            Path("/usr/bin/env").read_bytes(),
            "C",
            '["./karl", "/opt/stichkampf/bin/python", "-I", "wire.py"]',
            "env/1",
        ),
    ],
    ids=["a script without libraries", "a compiled program"],
)
def test_a_program_of_another_language_is_accepted_and_plays(validated, program, language, command, agent):
    manifest = f'name = "Karl"\nlanguage = "{language}"\ncommand = {command}\ngames = ["stiche-raten"]\n'
    version, lines = validated("", games=(), karl=program, wire__py=WIRE, stichkampf__toml=manifest)
    assert version.state == "approved", lines
    assert any(f"Hello from {agent}" in line for line in lines), lines


CHOOSERS = {
    "javascript": "#!/usr/bin/env node\nconsole.log(require('fs').readFileSync(0, 'utf8').split('\\n')[0])\n",
    "perl": "#!/usr/bin/perl\nprint scalar <STDIN>;\n",
    "awk": "#!/usr/bin/awk -f\nNR == 1 { print }\n",
    "sh": "#!/bin/sh\nread first\necho $first\n",
}
STATIC = """
#include <stdio.h>
int main(void) { char line[99]; return fgets(line, 99, stdin) == NULL || fputs(line, stdout) < 0; }
"""


@pytest.mark.parametrize("part", [*CHOOSERS, "none: compiled statically"])
def test_a_program_in_each_language_that_sandboxes_know_chooses(validated, part, tmp_path):
    # It is asked by a bot in Python: choosing is its part, the wire is not.
    if part in CHOOSERS:
        program, parts = CHOOSERS[part].encode(), f'parts = ["{part}"]\n'
    else:
        (tmp_path / "karl.c").write_text(STATIC)
        command = ["cc", "-static", "-o", tmp_path / "karl", tmp_path / "karl.c"]
        subprocess.run(command, check=True, capture_output=True)
        program, parts = (tmp_path / "karl").read_bytes(), ""
    manifest = (
        'name = "Karl"\nlanguage = "several"\ngames = ["stiche-raten"]\n'
        f'command = ["/opt/stichkampf/bin/python", "-I", "wire.py", "./karl"]\n{parts}'
    )
    version, lines = validated("", games=(), karl=program, wire__py=WIRE, stichkampf__toml=manifest)
    assert version.state == "approved", lines


def test_a_bot_is_told_which_parts_it_may_ask_for(validated):
    manifest = 'name = "Karl"\nlanguage = "Cobol"\ncommand = ["cobol"]\ngames = ["stiche-raten"]\n'
    version, lines = validated("", games=(), stichkampf__toml=manifest)
    assert version.state == "rejected"
    assert any("ask for the part that holds it" in line for line in lines), lines


def test_a_program_that_is_not_executable_for_this_machine_is_told_so(validated):
    manifest = 'name = "Karl"\nlanguage = "C"\ncommand = ["./karl"]\ngames = ["stiche-raten"]\n'
    version, lines = validated("", games=(), karl="no program", stichkampf__toml=manifest)
    assert version.state == "rejected"
    assert any("Exec format error" in line for line in lines), lines


def test_a_version_is_validated_again_when_the_rules_of_its_game_change(validated, again, monkeypatch):
    version, _ = validated(HONEST)
    assert revalidation.mark_stale() == 0
    monkeypatch.setattr(GAMES["mue"], "rules_version", 2)
    assert revalidation.mark_stale() == 0
    # The arbiter keeps to the rules of version 1: what it says then does not stand, and the version waits.
    monkeypatch.setattr(GAMES["stiche-raten"], "rules_version", 2)
    assert revalidation.mark_stale() == 1
    version.refresh_from_db()
    assert (version.state, version.may_play) == ("stale", False)
    assert version.reason == "The rules of Stiche-Raten changed from version 1 to 2."
    version, lines = again(version)
    assert version.state == "stale"
    assert "knows version 2" in lines[-1]
    monkeypatch.setattr(GAMES["stiche-raten"], "rules_version", 1)
    Version.objects.update(validated_against={"wire": 1, "stiche-raten": 0})
    version.submission.lease_until = None
    version.submission.save()
    version, lines = again(version)
    assert (version.state, version.reason) == ("approved", "")
    assert version.validated_against == {"wire": 1, "stiche-raten": 1}
    assert lines[-1] == "Accepted: the bot may play stiche-raten."


def test_a_version_is_validated_again_when_the_wire_changes(validated, monkeypatch):
    version, _ = validated(HONEST)
    monkeypatch.setattr(revalidation, "WIRE_VERSION", 2)
    assert revalidation.mark_stale() == 1
    assert version.submission.lines.last().text == (
        "It is validated again. The wire changed from version 1 to 2."
    )
    assert revalidation.mark_stale() == 0


def test_a_version_that_fails_under_the_new_rules_is_suspended_and_its_owner_told(validated, again):
    version, _ = validated(BAD.format("os._exit(1)"))
    passed_once = {"wire": 1, "stiche-raten": 0}
    Version.objects.filter(pk=version.pk).update(state="approved", validated_against=passed_once)
    assert revalidation.mark_stale() == 1
    version.refresh_from_db()
    version, _ = again(version)
    assert version.state == "suspended"
    assert version.reason.startswith(
        "The rules of Stiche-Raten changed from version 0 to 1. It fails under the new rules."
    )
    assert Notice.objects.get(kind="conduct").title == f"{version.bot.full_name} v1 is suspended"


def test_the_old_version_stays_ranked_when_a_new_one_passes_validation(validated, again):
    old, _ = validated(HONEST)
    new, _ = validated(HONEST + "\n")
    assert services.Bot.objects.get(slug="karl").ranked_version == old
    Version.objects.filter(pk=new.pk).update(validated_against={"wire": 0})
    assert revalidation.mark_stale() == 1
    new, _ = again(new)
    assert new.may_play
    assert services.Bot.objects.get(slug="karl").ranked_version == old


def test_a_block_waits_for_a_version_that_is_validated_again(house, person, submitted, make_tournament):
    karl = submitted(person())
    tournament = make_tournament(versions=[karl, house["thumb"], house["random"]], blocks=1)
    tournaments.start(tournament=tournament)
    assert queries.due_blocks().count() == 1
    Version.objects.filter(pk=karl.pk).update(state=Version.State.STALE)
    assert queries.due_blocks().count() == 0


def test_a_remote_version_that_stays_away_is_suspended_after_a_day_and_no_sooner(person):
    submission, _ = remote.create_remote_version(owner=person(), slug="karl", games=["stiche-raten"])
    Version.objects.update(state=Version.State.APPROVED, validated_against={"wire": 0})
    assert revalidation.mark_stale() == 1
    assert revalidation.suspend_absent(Gate()) == 0
    Version.objects.update(stale_at=clock.now() - revalidation.PATIENCE)
    assert revalidation.suspend_absent(Gate()) == 1
    submission.version.refresh_from_db()
    assert submission.version.state == "suspended"
    assert submission.version.reason.endswith(revalidation.AWAY)


def test_a_remote_version_that_is_there_is_given_its_time(person):
    remote.create_remote_version(owner=person(), slug="karl", games=["stiche-raten"])
    long_ago = clock.now() - 2 * revalidation.PATIENCE
    Version.objects.update(state=Version.State.STALE, stale_at=long_ago)
    RemoteAccess.objects.update(connected_at=long_ago, last_seen_at=clock.now())
    assert revalidation.suspend_absent(Gate()) == 0


def test_nobody_is_absent_from_an_arbiter_that_is_away(person):
    submission, _ = remote.create_remote_version(owner=person(), slug="karl", games=["stiche-raten"])
    long_ago = clock.now() - 2 * revalidation.PATIENCE
    Version.objects.update(state=Version.State.STALE, stale_at=long_ago)
    assert revalidation.suspend_absent(Gate(away=True)) == 0
    assert revalidation.suspend_absent(Gate(submission.version.remote_name)) == 0
    assert revalidation.suspend_absent(Gate("another")) == 1


class Gate:
    """An arbiter to which these remote bots are connected."""

    def __init__(self, *names, away=False):
        self.names, self.away = names, away

    def remote_bots(self):
        if self.away:
            raise ArbiterGone("The arbiter does not answer.")
        return dict.fromkeys(self.names)


def test_a_submission_that_staff_suspend_meanwhile_is_not_validated_to_its_end(validated):
    version, _ = validated(HONEST)
    Version.objects.update(validated_against=None)
    revalidation.mark_stale()
    services.suspend(version=version, reason="By staff.", cause="staff")
    version.submission.refresh_from_db()
    assert version.submission.finished_at is not None
    assert not run._renew(version.submission.pk, version.submission.lease_owner)


def test_of_one_person_one_submission_is_in_hands_at_a_time(person):
    ann, bob = person("ann"), person("bob")
    first, second, other = (
        services.submit_version(owner=owner, slug=slug, content=archive({"bot.py": slug}))
        for owner, slug in ((ann, "karl"), (ann, "anna"), (bob, "bert"))
    )
    assert due_submissions() == [first, other]
    assert run._take(first.pk, "w1")
    assert due_submissions() == [other]
    assert not run._take(second.pk, "w2")
    assert run._take(other.pk, "w2")
    run._finish(first, "w1", validation.Verdict(["mue"], "", ""))
    assert due_submissions() == [second]
    assert run._take(second.pk, "w1")


def test_a_validation_with_all_time_used_ends_before_its_worker_is_stopped():
    decision = (1 + FREE_WAIT_FACTOR) * LADDER_CLOCK.cap_seconds + FREE_WAIT_SECONDS
    seconds = validation.SECONDS + len(GAMES) * (START_SECONDS + decision)
    assert seconds < tasks.validate.soft_time_limit < tasks.validate.time_limit < 3600
