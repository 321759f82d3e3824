"""The ranked version of each bot, the same in every list of a ladder."""

import csv
import re
from datetime import timedelta

import pytest
from stichkampf_platform.bots.models import Bot, RemoteAccess, Version
from stichkampf_platform.bots.services import approve, put_forward, suspend
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import RequestRefused
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import ranked_versions
from stichkampf_platform.ratings.models import Rating, Snapshot
from stichkampf_platform.ratings.queries import due, ratings_of
from stichkampf_platform.ratings.ranked_versions import promote_versions, ranked_by_bot, ranks_changed

GAME = "stiche-raten"


@pytest.fixture
def ann(person):
    return person()


@pytest.fixture
def versions(ann, submitted, house):
    """Two approved versions of karl; the first stands for it."""
    both = submitted(ann), submitted(ann)
    Bot.objects.filter(slug="karl").update(ranked_version=both[0])
    return both


@pytest.fixture
def snapshot(house):
    """The ratings of the main ladder at one moment, as given: version, Elo, blocks, rank."""

    def make(*lines):
        made = Snapshot.objects.create(
            ladder=Ladder.objects.get(game=GAME, main=True), block_spans=[], blocks=99, tables=99,
            comparisons=99, digest="x",
        )  # fmt: skip
        for version, elo, blocks, rank in lines:
            Rating.objects.create(
                snapshot=made, version=version, elo=elo, plus_minus=30, blocks=blocks, comparisons=9,
                rank=rank, provisional=blocks < 20,
            )  # fmt: skip
        return made

    return make


def holder(old, new, *blocks):
    return Version.objects.get(pk=ranked_by_bot({old.pk: blocks[0], new.pk: blocks[1]}, GAME)[old.bot_id])


def test_a_new_version_is_ranked_after_twenty_blocks_of_its_own(versions):
    assert holder(*versions, 300, 19) == versions[0]
    assert holder(*versions, 300, 20) == versions[1]


def test_the_oldest_version_is_ranked_while_none_has_twenty_blocks(versions):
    assert holder(*versions, 15, 17) == versions[0]


@pytest.mark.parametrize(
    ("days", "is_limited", "kept"),
    [(6, True, True), (8, True, False), (8, False, True), (3000, False, True)],
    ids=["six days", "eight days", "without the limit", "for ever without the limit"],
)
def test_a_remote_version_that_stays_away_for_a_week_loses_its_rank(
    versions, ann, monkeypatch, days, is_limited, kept
):
    old, new = versions
    if not is_limited:
        monkeypatch.setattr(ranked_versions, "AWAY", timedelta(days=9000))
    Version.objects.filter(pk=new.pk).update(remote=True, digest="")
    seen = clock.now() - timedelta(days=days)
    RemoteAccess.objects.create(
        version=new, token_digest="x", hint="skr_", issued_at=seen, issued_by=ann, last_seen_at=seen
    )
    assert holder(old, new, 300, 50) == (new if kept else old)


def test_each_ladder_has_a_holder_of_its_own(versions):
    old, new = versions
    assert ranked_by_bot({old.pk: 40}, GAME)[old.bot_id] == old.pk
    assert ranked_by_bot({new.pk: 3}, GAME)[old.bot_id] == new.pk


def test_a_suspension_ranks_the_previous_version_until_it_is_lifted(versions, person):
    old, new = versions
    promote_versions({old.bot_id: new.pk})
    suspend(version=new, reason="It faults.", cause="staff")
    assert holder(old, new, 300, 50) == old
    assert Bot.objects.get(slug="karl").ranked_version == old
    approve(version=new, staff=person("chief", is_staff=True))
    assert holder(old, new, 300, 50) == new


def test_the_owner_gives_a_version_the_place_before_it_is_rated(versions, ann):
    old, new = versions
    put_forward(version=new, by=ann)
    assert ranked_by_bot({old.pk: 300}, GAME)[old.bot_id] == new.pk
    assert ranked_by_bot({old.pk: 300}, "mue")[old.bot_id] == old.pk, "it does not play that game"
    assert Bot.objects.get(slug="karl").ranked_version == new


def test_only_the_newest_version_that_may_play_is_put_forward_and_only_by_its_owner(
    versions, ann, person, submitted
):
    old, new = versions
    with pytest.raises(RequestRefused, match="ann/karl v2 is newer than ann/karl v1"):
        put_forward(version=old, by=ann)
    with pytest.raises(RequestRefused, match="belongs to someone else"):
        put_forward(version=new, by=person("bob"))
    rejected = submitted(ann, state=Version.State.REJECTED)
    with pytest.raises(RequestRefused, match="karl v3 is rejected"):
        put_forward(version=rejected, by=ann)
    assert not Version.objects.exclude(put_forward_at=None).exists()


def test_ratings_are_published_again_when_a_place_has_passed_on(
    versions, snapshot, make_tournament, play_out
):
    old, new = versions
    made = snapshot((old, 1500, 300, 1), (new, 1400, 25, None))
    assert ranks_changed(made)
    Rating.objects.filter(version=old).update(rank=None)
    Rating.objects.filter(version=new).update(rank=1)
    assert not ranks_changed(made)
    suspend(version=new, reason="It faults.", cause="staff")
    assert ranks_changed(made)
    ladder = made.ladder
    options = {"length": "deals:4"}
    play_out(make_tournament("thumb", "random", "timid", "bold", seats=4, options=options, blocks=1))
    Snapshot.objects.update(final=True)
    assert due(ladder)


@pytest.fixture
def listed(versions, snapshot, house):
    """A ladder: thumb first, karl's old version second, a provisional bot of the house with the best Elo."""
    old, new = versions
    return snapshot(
        (house["thumb"], 1560, 400, 1), (old, 1540, 300, 2), (house["bold"], 1700, 4, None),
        (new, 1800, 19, None),
    )  # fmt: skip


def places_on(page, *names):
    """The names in the order in which the page has them."""
    found = {name: re.search(rf'/bots/[a-z-]+/{name}/">', page) for name in names}
    return sorted((name for name in names if found[name]), key=lambda name: found[name].start())


def test_home_ladder_page_api_and_csv_have_one_order(listed, client):
    order = ["thumb", "karl", "bold"]
    page = client.get(f"/ladders/{GAME}/").content.decode()
    assert places_on(page, *order) == order
    home = client.get("/").content.decode()
    assert places_on(home, *order) == ["thumb", "karl"], "the front page has those with a rank"
    lines = client.get(f"/api/v1/ladders/{GAME}/").json()["ratings"]
    held = [line["bot"].split("/")[1] for line in lines if line["holds_place"]]
    assert held == order
    every = [(line["bot"], line["version"]) for line in lines]
    assert every == [(r.version.bot.full_name, r.version.number) for r in ratings_of(listed)]
    texts = {client.get(f"{before}/ladders/{GAME}.csv").content.decode() for before in ("", "/api/v1")}
    assert len(texts) == 1
    rows = csv.DictReader(texts.pop().splitlines())
    assert [(row["bot"], int(row["version"])) for row in rows] == every


def test_the_old_version_keeps_its_row_while_the_new_one_plays(listed, client, versions):
    page = client.get(f"/ladders/{GAME}/").content.decode()
    row = page[page.index('/bots/ann/karl/">') :][:300]
    assert "v1</small>" in row
    assert "not ranked yet: 16 blocks to go" in page
    bot = client.get("/bots/ann/karl/").content.decode()
    assert "<b>1540</b>" in bot
    assert "<small>version 1</small>" in bot


def test_a_version_that_was_put_forward_has_a_row_that_says_not_ranked_yet(
    versions, snapshot, house, client, ann
):
    snapshot((house["thumb"], 1560, 400, 1), (versions[0], 1540, 300, 2))
    client.force_login(ann)
    assert "Rank version 2 now" in client.get("/bots/ann/karl/").content.decode()
    assert client.post("/bots/ann/karl/v/2/rank/").status_code == 302
    assert "Rank version 2 now" not in client.get("/bots/ann/karl/").content.decode()
    page = client.get(f"/ladders/{GAME}/").content.decode()
    row = page[page.index('/bots/ann/karl/">') :][:300]
    assert "v2</small>" in row
    assert "not ranked yet: 20 blocks to go" in row


def test_the_api_puts_a_version_forward(versions, client, token, ann, person):
    address = "/api/v1/bots/ann/karl/versions/{}/rank/"
    bob = token("bob")
    answer = client.post(address.format(2), headers=bob)
    assert answer.status_code == 400
    _, text = create_token(owner=ann, name="mine")
    mine = {"authorization": f"Bearer {text}"}
    answer = client.post(address.format(2), headers=mine)
    assert answer.status_code == 200, answer.content
    assert answer.json()["ranked_version"] == 2
    assert client.get("/api/v1/bots/ann/karl/versions/2/").json()["put_forward_at"]
    refused = client.post(address.format(1), headers=mine)
    assert refused.status_code == 400
    assert "karl v2 is newer" in refused.content.decode()


def test_old_snapshots_keep_their_ratings(versions, snapshot):
    old, new = versions
    first = snapshot((old, 1500, 300, 1))
    snapshot((old, 1500, 300, None), (new, 1510, 20, 1))
    suspend(version=new, reason="It faults.", cause="staff")
    assert list(first.ratings.values_list("version", "rank")) == [(old.pk, 1)]
