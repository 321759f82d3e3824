"""The commands of an author against the real API: from a token to the matches of a version."""

import io
import json
import re
import shlex

import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from documents import typed_lines
from stichkampf.cli import main
from stichkampf.cli.server import site
from stichkampf.match.verify import verify
from stichkampf_platform.bots.models import LogLine, Submission, Version
from stichkampf_platform.bots.services import write
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.running import due_steps
from support import archive

pytestmark = [pytest.mark.machine, pytest.mark.django_db(transaction=True)]

BOT = """
from stichkampf import Bot

class First(Bot):
    def choose(self, table):
        return table.legal[0]
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STICHKAMPF_CONFIG", str(tmp_path / "config.toml"))

    def run(*words, stdin="", status=0, kind=io.StringIO):
        monkeypatch.setattr("sys.stdin", kind(stdin))
        try:
            assert main(words) == status, capsys.readouterr()
        except SystemExit as error:
            raise AssertionError(capsys.readouterr().err) from error
        out, err = capsys.readouterr()
        return out if status == 0 else out + err

    return run


def test_the_life_of_a_version(live_server, command, person, house, make_tournament, play_out, tmp_path):
    _, token = create_token(owner=person("ada"), name="laptop")
    assert f"Logged in at {live_server.url} as ada" in command("login", live_server.url, stdin=token)
    assert command("whoami") == f"ada at {live_server.url}\n"
    assert "No bot has a version yet" in command("status")

    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "bot.py").write_text(BOT)
    assert "first v1 is handed in" in command("submit", "first", "--game", "stiche-raten")
    assert "already version 1" in command("submit", "first/bot.py", status=1)
    assert "no game is called 'skat'" in command("submit", "first", "--game", "skat", status=2)
    assert "'Firs_t' cannot name a bot" in command("submit", "first", "--name", "Firs_t", status=2)

    version = Version.objects.get(house="")
    with transaction.atomic():
        write(version.submission, "Accepted: the bot may play stiche-raten.", LogLine.Level.GOOD)
        Submission.objects.update(finished_at=version.created_at)
        Version.objects.filter(pk=version.pk).update(state=Version.State.APPROVED)
    assert "Accepted: the bot may play stiche-raten." in command("logs", "first")
    assert "has no version 7; it has 1" in command("logs", "first", "--version", "7", status=2)
    lifecycle.start(
        tournament=make_tournament("thumb", "random", "timid", format="ladder", name="Ladder", blocks=1)
    )
    shown = command("status")
    assert "ada/first v1  approved  stiche-raten" in shown
    assert "20 blocks to a rank" in shown
    assert json.loads(command("status", "first", "--json"))[0]["ladders"][0]["blocks"] == 0

    make_tournament(name="Open cup", entry="anybody")
    assert "ada/first is entered in open-cup, number 1 in the list" in command("enter", "open-cup", "first")
    assert json.loads(command("enter", "open-cup", "first", "--version", "1", "--json"))["version"] == 1
    assert "ada has no bot 'lena'" in command("enter", "open-cup", "lena", status=1)
    assert "There is no tournament at /api/v1/tournaments/no-cup/entries/ that you may see" in command(
        "enter", "no-cup", "first", status=1
    )
    assert command("withdraw", "open-cup", "first") == "ada/first is withdrawn from open-cup\n"
    assert "ada/first is not entered" in command("withdraw", "open-cup", "first", status=1)

    version.refresh_from_db()
    play_out(
        make_tournament(name="Cup", versions=[version, house["thumb"], house["random"]], blocks=1),
        faulting=[version],
    )
    (protest,) = typed_lines("docs/organisers.md", "stichkampf organise protest")
    words = ["cup" if word == "friday-cup" else word for word in shlex.split(protest)[1:]]
    assert "stands on the list" in command(*words)
    match = str(version.entries.get(tournament__slug="cup").seats.first().table_id)
    made = command("organise", "protest", "cup", "It was slow.", "--match", match, "--json")
    assert json.loads(made)["table"] == int(match)
    shown = command("organise", "rulings", "cup")
    assert f"protest  ada  match {match}" in shown
    assert "protest  ada  round 1" in shown
    assert "has not been drawn" in command("organise", "protest", "cup", "Bad.", "--round", "9", status=1)
    listed = command("matches", "first", "--game", "stiche-raten")
    assert listed.count(f"{live_server.url}/r/") == 3
    assert "house/thumb" in listed
    assert len(json.loads(command("matches", "first", "--faulty", "--limit", "2", "--json"))) == 2
    assert f"{live_server.url}/r/" in command("faults", "first")
    assert "There are no such matches" in command("matches", "house/thumb", "--faulty")
    assert "There is no bot at /api/v1/" in command("matches", "thumb", status=2)
    assert "3 records in mine.jsonl" in command("records", "first", "-o", "mine.jsonl")
    for line in (tmp_path / "mine.jsonl").read_text().splitlines():
        verify(json.loads(line))


def test_a_challenge_and_a_comparison_from_the_command_line(
    live_server, command, person, house, submitted, land, played_record, monkeypatch, settings
):
    settings.RATES = {**settings.RATES, "challenges": {"account": (1_000, 86_400)}}
    ada = person("ada")
    _, token = create_token(owner=ada, name="laptop")
    command("login", live_server.url, stdin=token)
    submitted(ada)
    submitted(ada)

    def play_on(_seconds):
        for block in Block.objects.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                assert land(table, played_record(table))
        due_steps.advance_tournaments()

    monkeypatch.setattr("stichkampf.cli.experiment.asking.time.sleep", play_on)
    assert "2 blocks: http" in command("challenge", "karl@1", "thumb", "--blocks", "2")
    told = command("challenge", "karl", "thumb", "--blocks", "3", "--wait")
    assert "ada/karl v2 - house/thumb v" in told
    assert told.endswith("points a hand, 3 blocks\n")
    assert "Asks for 3 of the 998 blocks of a challenge that are left until" in told
    assert "name one opponent" in command("challenge", "karl", "timid", "thumb", status=1)
    assert "no bot 'nemo'" in command("challenge", "karl", "nemo", status=1)
    assert "karl has no version 7; it has" in command("challenge", "karl@7", "thumb", status=2)
    assert "not two versions of one bot" in command("compare", "karl@2", "otto@1", status=2)
    assert "has no past block" in command("counterfactual", "karl@2", "karl@1", status=1)
    asked = ("compare", "karl@2", "karl@1", "--blocks", "3", "--better-than")
    assert "ada/karl v2 - ada/karl v1:" in command(*asked, "-9000")
    command(*asked, "9000", status=1)
    assert "both version 2" in command("compare", "karl", "karl@2", status=2)
    assert "compares two versions" in command("compare", "karl@3", *asked[1:], "0", status=2)


def test_experiments_are_listed_followed_and_ended_from_the_command_line(
    live_server, command, person, house, submitted, land, played_record, monkeypatch, settings
):
    settings.RATES = {**settings.RATES, "comparisons": {"account": (2_000, 86_400)}}
    ada = person("ada")
    _, token = create_token(owner=ada, name="laptop")
    command("login", live_server.url, stdin=token)
    assert "You have asked for none yet" in command("experiments")
    submitted(ada)
    newer = submitted(ada)
    begun = command("compare", "karl@2", "karl@1", "--blocks", "40")
    (number,) = re.findall(r"stichkampf experiments (\d+) --wait", begun)
    listed = command("experiments")
    assert re.search(rf"{number} +comparison +ada/karl v2 and v1 +stiche-raten +40 +running", listed)
    assert "1,960 of 2,000 of a comparison" in listed
    assert "0 of 32 blocks; it goes on" in command("experiments", number)
    assert "There is no experiment" in command("experiments", "999", status=1)
    for wrong in (("--wait",), ("--cancel",), (number, "--wait", "--cancel")):
        command("experiments", *wrong, status=2)

    def play_on(_seconds):
        for block in Block.objects.filter(over_at=None):
            for table in leases.take(block_id=block.pk, owner="w1"):
                mine = {seat.number for seat in table.seats.all() if seat.entrant.version == newer}
                assert land(table, played_record(table, faulting=mine if block.number % 3 else ()))
        due_steps.advance_tournaments()

    monkeypatch.setattr("stichkampf.cli.experiment.asking.time.sleep", play_on)
    told = command("experiments", number, "--wait")
    assert re.search(r"v1: \S+ \(\S+ to \S+\) Elo, .* blocks, LLR [-+]\d", told), told
    assert "LLR weighs 20 Elo better against not better" in told
    command("experiments", number, "--cancel", status=1)
    second = json.loads(command("challenge", "karl", "thumb", "--blocks", "2", "--json"))["id"]
    assert json.loads(command("experiments", str(second), "--cancel", "--json"))["state"] == "cancelled"


def test_a_comparison_of_equal_programs_is_asked_about_first(live_server, command, person, house, submitted):
    ada = person("ada")
    _, token = create_token(owner=ada, name="laptop")
    command("login", live_server.url, stdin=token)
    for more in ({}, {"README.md": "Packed again."}):
        submitted(ada).archive.save("karl.zip", ContentFile(archive({"bot.py": BOT, **more})))
    slip = ("compare", "karl", "karl@1", "--blocks", "40")
    assert "are the same program" in command(*slip, status=1)
    assert "--same-program plays them all the same" in command(*slip, status=1)
    assert "You have asked for none yet" in command("experiments")
    assert "nothing was begun" in command(*slip, stdin="n\n", status=1, kind=Terminal)
    assert "nothing was begun" in command(*slip, stdin="", status=1, kind=Terminal)
    assert "40 blocks: http" in command(*slip, stdin="y\n", kind=Terminal)
    assert "2 blocks: http" in command("challenge", "karl", "ada/karl@1", "--blocks", "2", "--same-program")


CUP = """
name = "Friday cup"
game = "stiche-raten"
seats = 3
options = { length = "deals:1" }
blocks_planned = 2
entrants = ["house/thumb", "random", "timid"]
starts_at = 2099-11-27T18:00:00Z
"""


def test_an_organiser_makes_opens_runs_and_exports_a_cup_from_the_command_line(
    live_server, command, person, house, make_organiser, land, tmp_path, monkeypatch
):
    olga = person("olga")
    make_organiser(olga)
    _, author = create_token(owner=olga, name="laptop")
    command("login", live_server.url, stdin=author)
    assert "is for bots and entries" in command("organise", "status", status=1)
    _, token = create_token(owner=olga, name="desk", scope="organiser")
    command("login", live_server.url, stdin=token)
    assert "You have no tournaments" in command("organise", "status")

    (tmp_path / "cup.toml").write_text(CUP)
    wrong = command("organise", "create", "cup.toml", "--set", "seats=9", "--set", "rounds=soon", status=1)
    assert 'Given: "soon"' in wrong
    assert "seats:" in wrong
    assert "nowhere.toml: No such file" in command("organise", "create", "nowhere.toml", status=2)
    assert "'seats' is no setting" in command("organise", "create", "--set", "seats", status=2)
    made = command("organise", "create", "cup.toml")
    assert "Friday cup  friday-cup  draft" in made
    assert "start: 2099-11-27 18:00; 3 entrants chosen" in made
    opened = command("organise", "open", "friday-cup", "--members", "--code", "--places", "4", "--json")
    assert json.loads(opened)["places"] == 4
    assert "friday-cup  draft  stiche-raten  round-robin  2099-11-27 18:00" in command("organise", "status")
    by_hand = ("organise", "change", "friday-cup", "--set", "starts_at=null")
    assert "say why it is another" in command(*by_hand, status=1)
    assert "3 entrants" in command(*by_hand, "--set", "reason=The hall is taken.")
    assert "0 of 6 tables played" in command("organise", "start", "friday-cup")
    assert "it is not possible to start it" in command("organise", "start", "friday-cup", status=1)
    for action, state in (("pause", "paused"), ("resume", "running")):
        assert f"friday-cup  {state}" in command("organise", action, "friday-cup")
    for block in Block.objects.all():
        for table in leases.take(block_id=block.pk, owner="w1"):
            assert land(table)
    seen = command("organise", "again", "friday-cup", "1", "--reason", "No light.", status=1)
    assert "Name the fault of the platform" in seen
    (again,) = typed_lines("docs/organisers.md", "stichkampf organise again")
    assert "3 of 6 tables played" in command(*shlex.split(again)[1:])
    voided = command("organise", "void", "friday-cup", "3", "--reason", "It rained.")
    assert "3 of 3 tables played" in voided
    assert "loses nothing that was played" in command("organise", "cancel", "friday-cup", status=1)
    command("organise", "disqualify", "friday-cup", f"house/{house['timid']}", "--reason", "slow")
    listed = command("organise", "rulings", "friday-cup")
    assert "disqualify  organiser  house/timid" in listed
    assert "again       organiser  block 2" in listed
    cup = Tournament.objects.get()
    protest = cup.rulings.create(kind="protest", role="author", reason="It was slow.", round=0, after={})
    (answer,) = typed_lines("docs/organisers.md", "stichkampf organise answer")
    words = [str(protest.pk) if word == "17" else word for word in shlex.split(answer)[1:]]
    assert "/ organiser: We have looked at the log" in command(*words)
    assert "friday-cup  cancelled" in command("organise", "cancel", "friday-cup", "--yes")
    with monkeypatch.context() as small:
        small.setattr(site, "ANSWER_BYTES", 10)  # a file may be of any size
        assert "in rows.csv" in command("organise", "export", "friday-cup", "results.csv", "-o", "rows.csv")
    assert (tmp_path / "rows.csv").read_text().startswith("block,hand,bot,score")
    assert '"slug": "friday-cup"' in command("organise", "export", "friday-cup", "tournament.json")
    assert "friday-cup-2  draft" in command("organise", "clone", "friday-cup")
    assert command("organise", "delete", "friday-cup-2") == "friday-cup-2 is deleted\n"
    assert "its best are known when it is finished" in command("organise", "final", "friday-cup", status=1)
