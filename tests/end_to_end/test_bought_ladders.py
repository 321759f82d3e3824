"""Attacks on public ladders, by people who are signed up and no more, through a platform that runs.

Where a bot's author or the operators may take a protection away, the same attack succeeds afterwards.
"""

from __future__ import annotations

import json

import pytest
from stichkampf_platform.supervisor import preparation
from stichkampf_platform.supervisor.output import last_line
from support import wait_until

from .karl import KARL

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.xdist_group("end_to_end"),
    pytest.mark.parametrize("platform", ["postgresql"], indirect=True, scope="package"),
]

CRASHING = """
from stichkampf import Bot

class Friend(Bot):
    games = ("stiche-raten",)

    def choose(self, table):
        raise RuntimeError("for a friend")
"""
GAME = "stiche-raten"
HOUSE = ["thumb", "random", "timid", "bold"]
FIELD = [*HOUSE, "glimpse", "worrier"]
DESK = "/api/v1/organiser/tournaments/"


@pytest.fixture(scope="module")
def ottilie(platform):
    """An organiser without other rights, with a token for scripts."""
    (ottilie,) = platform.authors("ottilie", group="Organisers", scope="organiser")
    return ottilie


@pytest.fixture(scope="module")
def uma(platform):
    """An author whose bot counts as validated."""
    uma = platform.member("uma")
    platform.approved(KARL, [GAME], "uma/lucky")
    return uma


def shell(platform, code):
    """Run a program on the server; return what it printed."""
    return preparation.manage(platform.installation, ("shell", "--no-imports", "-c", code))


def ladder_of(platform, seats, deals):
    """Return the slug of the ladder with these options; empty before it has one."""
    found = platform.visitor().api("/api/v1/ladders/")["results"]
    wanted = (GAME, seats, f"deals:{deals}")
    fits = (
        one["slug"] for one in found if (one["game"], one["seats"], one["options"].get("length")) == wanted
    )
    return next(fits, "")


def ratings_on(platform, slug):
    """Return the lines of a ladder by bot and version; none before its first ratings."""
    status, text = platform.visitor().get(f"/api/v1/ladders/{slug}/")
    lines = json.loads(text)["ratings"] if status == 200 else []
    return {(line["bot"], line["version"]): line for line in lines}


def rated(platform, slug):
    """Wait until a tournament is over and its ratings are final; return its standings."""
    wait_until(lambda: platform.is_finished(slug), 300, goal=f"{slug} is over")

    def final():
        status, text = platform.visitor().get(f"/api/v1/tournaments/{slug}/standings/")
        found = json.loads(text) if status == 200 else {}
        return found["standings"] if found.get("final") else None

    return wait_until(final, 120, goal=f"{slug} is rated")


def asked_for(organiser, slug, entrants, **fields):
    """Ask for a tournament at the desk; return status and text of the answer."""
    settings = {
        "name": slug, "slug": slug, "game": GAME, "seats": 4, "options": {"length": "deals:5"},
        "rated": True, "blocks_planned": 2, "entrants": entrants, **fields,
    }  # fmt: skip
    return organiser.request("POST", DESK, json=settings)


def test_a_rated_tournament_of_an_organiser_moves_no_public_ladder_until_it_is_released(platform, ottilie):
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Own", slug="own-cup", game=GAME, seats=4, options='{"length": "deals:5"}',
        blocks_planned=2, bots=HOUSE,
    )  # fmt: skip
    rated(platform, "own-cup")
    ladder = wait_until(lambda: ladder_of(platform, seats=4, deals=5), 60, goal="there is a ladder")
    before = wait_until(lambda: ratings_on(platform, ladder), 120, goal="the ladder is rated")
    assert {line["blocks"] for line in before.values()} == {2}
    status, text = asked_for(ottilie, "bought-cup", HOUSE)
    assert status == 201, text
    status, text = ottilie.request("POST", f"{DESK}bought-cup/start/")
    assert status == 200, text
    assert len(rated(platform, "bought-cup")) == len(HOUSE), "it has ratings of its own"
    for number in range(2):
        sent = {"reason": "The wrong bot won.", "fault": "machine"}
        assert ottilie.request("POST", f"{DESK}bought-cup/blocks/{number}/again/", json=sent)[0] != 200
    assert ottilie.request("POST", f"{DESK}bought-cup/release/")[0] in (403, 404)
    assert ratings_on(platform, ladder) == before
    platform.act(admin, "tournaments/tournament", "release", "bought-cup")
    moved = wait_until(
        lambda: (now := ratings_on(platform, ladder)) != before and now, 120, goal="the ladder has moved"
    )
    assert {line["blocks"] for line in moved.values()} == {4}


def test_an_organiser_enters_a_bot_of_another_only_where_its_author_agrees(platform, ottilie, uma):
    sunk = ["uma/lucky v1", "thumb", "random", "timid"]
    for accepted, expected in ((False, 400), (True, 201)):
        sent = {"accepted": accepted}
        assert uma.request("POST", f"{uma.own_bot('lucky')}entries/", json=sent)[0] == 200
        status, text = asked_for(ottilie, "sink-cup", sunk, move_seconds=0.05)
        assert status == expected, text
        assert accepted or "Only its author enters uma/lucky v1" in text


@pytest.fixture
def ladder(platform, uma):
    """Start a ladder of its own options, which would draw the bots of other tests; yields its slug."""
    admin = platform.administrator()
    platform.make_tournament(
        admin, name="Luck ladder", slug="luck-ladder", game=GAME, seats=3, format="ladder",
        options='{"length": "deals:7"}', blocks_planned=4, bots=FIELD,
    )  # fmt: skip
    yield wait_until(lambda: ladder_of(platform, seats=3, deals=7), 60, goal="there is a ladder")
    platform.act(admin, "tournaments/tournament", "cancel", "luck-ladder")


def blocks_of_lucky(platform):
    """Return the numbers of the blocks of the ladder that the first version has played."""
    tables = platform.visitor().api("/api/v1/tournaments/luck-ladder/tables/?limit=1000")["results"]
    return {
        table["block"]
        for table in tables
        for seat in table["results"]
        if (seat["bot"], seat["version"]) == ("uma/lucky", 1)
    }


def holder_on(platform, ladder):
    """Return the version that holds the place of uma's bot; None for none."""
    held = (key for key, line in ratings_on(platform, ladder).items() if line["holds_place"])
    return next((version for bot, version in held if bot == "uma/lucky"), None)


def is_connected(platform):
    present = platform.visitor().api("/api/v1/remote/")["results"]
    return any(line["connected"] for line in present if line["bot"] == "uma/lucky")


def test_a_lucky_version_is_drawn_again_and_a_newer_one_that_went_away_loses_its_place(
    platform, uma, ladder, play_from_home
):
    wait_until(lambda: blocks_of_lucky(platform), 300, goal="the first version is drawn")
    made = uma.add_remote_version("lucky", games=[GAME])
    shell(  # on a busy machine the bot starts sooner than the next sweep, and would be a stranger
        platform,
        "from stichkampf_platform.bots.arbiter_sync import admit\n"
        "from stichkampf_platform.core.arbiter_client import gate\n"
        "admit(gate())\n",
    )
    with play_from_home(KARL, made):
        submission = platform.finished_submission(uma, made["submission"]["id"])
        assert submission["version"]["state"] == "approved", submission["lines"]
        status, text = uma.request("POST", f"{uma.own_bot('lucky')}versions/2/rank/")
        assert status == 200, text
        wait_until(lambda: holder_on(platform, ladder) == 2, 300, goal="the second version has the place")
    wait_until(lambda: not is_connected(platform), 60, goal="it is gone")
    known = max(blocks_of_lucky(platform)) + 8  # four are drawn ahead, and the site shows some later
    wait_until(lambda: max(blocks_of_lucky(platform)) > known, 300, goal="the first version is drawn again")
    assert holder_on(platform, ladder) == 2, "within a week it keeps its place"
    shell(
        platform,
        "from datetime import timedelta\n"
        "from stichkampf_platform.bots.models import RemoteAccess\n"
        "away = RemoteAccess.objects.get(version__bot__slug='lucky')\n"
        "away.last_seen_at -= timedelta(days=8)\n"
        "away.save(update_fields=['last_seen_at'])\n",
    )
    wait_until(lambda: holder_on(platform, ladder) == 1, 120, goal="the first version has the place again")


def test_what_others_played_beside_a_friend_that_forfeits_counts_for_their_ratings(platform, uma):
    """Every table has its forfeit; once these were void, and a friend chose which."""
    platform.approved(CRASHING, [GAME], "uma/friend")
    platform.make_tournament(
        platform.administrator(), name="Friend", slug="friend-cup", game=GAME, seats=4,
        options='{"length": "deals:8"}', blocks_planned=1, bots=["friend", "thumb", "random", "timid"],
    )  # fmt: skip
    bots = [line["bot"] for line in rated(platform, "friend-cup")]
    tables = platform.visitor().api("/api/v1/tournaments/friend-cup/tables/")["results"]
    forfeited = [[seat["bot"] for seat in table["results"] if seat["forfeited"]] for table in tables]
    assert forfeited == [["uma/friend"]] * 4
    ladder = wait_until(lambda: ladder_of(platform, seats=4, deals=8), 60, goal="there is a ladder")
    ratings = wait_until(lambda: ratings_on(platform, ladder), 120, goal="the ladder is rated")
    played = {bot: (line["blocks"], line["comparisons"]) for (bot, _), line in ratings.items()}
    assert played == dict.fromkeys(bots, (1, 3 * 4)), "each with three others at four hands"


def test_new_versions_give_an_author_no_further_past_blocks_of_a_day(platform, uma):
    platform.approved(KARL, [GAME], "uma/again")
    platform.make_tournament(
        platform.administrator(), name="Past", slug="past-cup", game=GAME, seats=4,
        options='{"length": "deals:4"}', blocks_planned=1, bots=["again", "thumb", "random", "timid"],
    )  # fmt: skip
    rated(platform, "past-cup")
    platform.approved(KARL, [GAME], "uma/again", "uma/again")
    account = "account=str(User.objects.get(username='uma').pk)"
    count = (
        "from stichkampf_platform.people import rates\n"
        "from stichkampf_platform.people.models import User\n"
        "{}\n"
    )
    shell(platform, count.format(f"rates.count('counterfactuals', times=999, {account})"))

    def ask(number):
        path = f"{uma.own_bot('again')}versions/{number}/counterfactuals/"
        return uma.request("POST", path, json={"against": 1, "blocks": 1, "game": GAME, "same_program": True})

    status, text = ask(2)
    assert status == 201, text
    status, text = ask(3)
    assert status == 429, text
    assert "counterfactual blocks" in text
    shell(platform, count.format(f"rates.take_back('counterfactuals', {account})"))
    status, text = ask(3)
    assert status == 201, "what refused it is the limit of the account"


def test_accounts_of_one_address_are_a_group_as_long_as_their_bots_play(platform):
    """An account without a bot shows that the digests of others are deleted at this age."""
    for name in ("sam", "sue", "sid"):
        platform.visitor().sign_up(name)
    platform.approved(KARL, [GAME], "sam/one", "sue/two")
    shell(
        platform,
        "from datetime import timedelta\n"
        "from django.conf import settings\n"
        "from django.db.models import F\n"
        "from stichkampf_platform.people.models import KnownAddress\n"
        "from stichkampf_platform.people.tasks import forget\n"
        "before = F('seen_at') - timedelta(days=settings.ADDRESS_DAYS + 1)\n"
        "known = KnownAddress.objects.filter(person__username__in=['sam', 'sue', 'sid'])\n"
        "known.update(seen_at=before, named_by_proxy=True)\n"
        "forget.delay()\n",
    )
    group = (
        "from stichkampf_platform.people.models import User\n"
        "from stichkampf_platform.people.network_addresses import sign_up_addresses\n"
        "ids = dict(User.objects.filter(username__in=['sam', 'sue', 'sid']).values_list('pk', 'username'))\n"
        "known = sign_up_addresses(ids, named=True)\n"
        "print(len(set(known.values())), *sorted(ids[key] for key in known))\n"
    )
    wait_until(
        lambda: last_line(shell(platform, group)) == "1 sam sue", 120, goal="only sid's digest is forgotten"
    )
