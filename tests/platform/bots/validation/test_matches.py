"""Trials by a real arbiter: how many there are, what they tell, and what the author can take away."""

import json
import re

import pytest
from stichkampf.games import GAMES
from stichkampf.local_play import validation
from stichkampf.match.verify import verify
from stichkampf_platform.bots import services
from stichkampf_platform.bots.models import TrialMatch
from stichkampf_platform.bots.validation import match_records, matches, run
from stichkampf_platform.core.errors import MatchFailed
from stichkampf_platform.people.models import Notice
from support import archive

pytestmark = pytest.mark.xdist_group("validation")

HONEST = """
from stichkampf import Bot

class Karl(Bot):
    def choose(self, table):
        return table.legal[-1]
"""
TALKS = HONEST.replace("return", "print('I see', table.phase)\n        return")
CRASHES = HONEST.replace("return table.legal[-1]", "raise ValueError('lost my cards')")
CRASHES_IN_TWO = CRASHES.replace(
    "raise", "if table.game.name == 'stiche-raten':\n            return table.legal[0]\n        raise"
)
TALKATIVE = CRASHES.replace("raise", "print('\\n'.join(map(str, range(1000))))\n        raise")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("from stichkampf import Bot\n\nclass Karl(Bot)\n    pass\n", "bot.py, line 3: expected ':'"),
        ("import torch\n", "ModuleNotFoundError: No module named 'torch'"),
        ("x = 1\n", "bot.py defines no subclass of stichkampf.Bot"),
    ],
    ids=["no Python", "missing library", "no bot"],
)
def test_a_bot_that_cannot_start_is_told_so_once_and_why_on_top(validated, source, why):
    version, lines = validated(source, games=())
    assert version.state == "rejected"
    assert len(lines) < 15
    assert sum(line.startswith("Validation ") for line in lines) == 1
    assert sum(": matches of the ladder, first with " in line for line in lines) == 1
    bad = version.submission.lines.filter(level="bad").first()
    assert bad.text.startswith("It did not start: ")
    assert bad.text.endswith(why)
    assert version.reason.endswith(why)


def test_a_bot_that_crashes_in_every_game_is_tried_in_two(validated):
    version, lines = validated(CRASHES, games=())
    assert version.state == "rejected"
    tried = [line for line in lines if ": matches of the ladder, first with " in line]
    assert len(tried) == validation.GAMES_FAILED == 2
    (rest,) = [line for line in lines if line.startswith("Not tried, ")]
    assert list(GAMES)[2] in rest
    assert version.reason.startswith("sticheln: crashed at ")


def test_an_author_is_told_everywhere_in_which_games_an_accepted_bot_may_not_play(validated, client):
    version, lines = validated(CRASHES_IN_TWO, games=())
    assert (version.state, version.games) == ("approved", ["stiche-raten"])
    assert re.sub(r"\b\d+\b", "N", version.reason) == (
        "It may not play where it had a fault: sticheln: crashed at decision N (deal N, seat N of N); "
        "sixes-and-sevens: crashed at decision N (deal N, seat N of N)."
        f" Not tried: {', '.join(list(GAMES)[3:])}."
    )
    owner = version.submission.submitted_by
    assert Notice.objects.get(person=owner).text == f"It plays stiche-raten. {version.reason}"
    client.force_login(owner)
    for address in ("/account/", version.get_absolute_url(), version.submission.get_absolute_url()):
        assert version.reason in client.get(address).content.decode(), address
    client.logout()
    assert version.reason not in client.get(version.get_absolute_url()).content.decode()
    assert lines[-1] == "Accepted: the bot may play stiche-raten."


def test_the_log_shows_the_last_lines_of_long_output_and_the_page_all(validated, client):
    version, lines = validated(TALKATIVE)
    printed = [line for line in lines if line.startswith("printed: ")]
    assert len(printed) == validation.PRINTED_LINES
    assert any(line.startswith("It printed 1,00") for line in lines), lines
    client.force_login(version.submission.submitted_by)
    page = client.get(version.submission.get_absolute_url()).content.decode()
    assert "\n500\n501\n" in page


def test_an_honest_bots_output_is_counted_and_shown_to_its_author(validated, client):
    version, lines = validated(TALKS)
    assert version.state == "approved"
    (counted,) = [line for line in lines if line.startswith("stiche-raten: it printed ")]
    assert int(counted.split()[3]) > 150
    client.force_login(version.submission.submitted_by)
    told = client.get(f"/api/v1/submissions/{version.submission.pk}/").json()
    (match,) = told["matches"]
    assert set(match["printed"].splitlines()) == {"I see bidding", "I see tricks"}


def test_the_matches_of_a_trial_can_be_fetched_and_refereed_by_their_author_alone(validated, client, person):
    version, _ = validated(HONEST, games=("stiche-raten", "njet"))
    number = version.submission.pk
    addresses = (f"/submissions/{number}/records.jsonl", f"/api/v1/submissions/{number}/records/")
    for visitor in (None, person("eve")):
        if visitor:
            client.force_login(visitor)
        assert all(client.get(address).status_code in (302, 401, 404) for address in addresses)
    client.force_login(version.submission.submitted_by)
    assert addresses[0] in client.get(version.submission.get_absolute_url()).content.decode()
    for address in addresses:
        records = [json.loads(line) for line in b"".join(client.get(address).streaming_content).splitlines()]
        assert [record["game"] for record in records] == ["stiche-raten", "njet"]
        for record in records:
            verify(record)
        assert records[0]["seats"][validation.SEAT] == {"bot": "chief/karl", "version": 1}


def test_matches_of_a_trial_are_deleted_after_a_month_and_by_the_next_trial(validated, again, monkeypatch):
    version, _ = validated(HONEST)
    (first,) = TrialMatch.objects.all()
    version.submission.finished_at = None
    version.submission.save()
    again(version)
    (second,) = TrialMatch.objects.all()
    assert first.file_name != second.file_name
    assert match_records.forget_old() == 0
    monkeypatch.setattr(match_records, "KEPT", -match_records.KEPT)
    assert match_records.forget_old() == 1
    assert list(match_records.export(version.submission)) == []


def test_a_trial_of_many_short_matches_keeps_its_lease_before_every_one(house, person, arbiter):
    chief = person("chief", is_staff=True)
    submission = services.submit_version(owner=chief, slug="karl", content=archive({"bot.py": HONEST}))
    kept = []
    verdict = matches.ValidationRun(submission, arbiter, lambda: kept.append(1) or True).run()
    assert verdict == (list(GAMES), "", "")
    assert len(kept) >= 3 * len(GAMES)


def test_a_trial_that_has_lost_its_lease_starts_no_further_match(house, person, arbiter):
    chief = person("chief", is_staff=True)
    submission = services.submit_version(owner=chief, slug="karl", content=archive({"bot.py": HONEST}))
    kept = []

    def keep():
        kept.append(1)
        return submission.matches.count() < 2

    with pytest.raises(MatchFailed, match="withdrawn"):
        matches.ValidationRun(submission, arbiter, keep).run()
    assert submission.matches.count() == 2
    starts = submission.lines.filter(text__contains=": matches of the ladder, first with ").count()
    assert starts <= 3


def test_no_trial_begins_while_another_worker_holds_the_lease(house, person, arbiter):
    chief = person("chief", is_staff=True)
    submission = services.submit_version(owner=chief, slug="karl", content=archive({"bot.py": HONEST}))
    assert run._take(submission.pk, "w1")
    assert not run.validate(submission_id=submission.pk, arbiter=arbiter)
    assert submission.lines.count() == 1
