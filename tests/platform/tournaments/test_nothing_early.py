"""Output of a bot in one block shows nowhere while a block that it had begun by then is still to end."""

import json
import re
import uuid

import pytest
from django.contrib import admin
from django.db.models import F
from django.urls import reverse
from django.urls.converters import IntConverter, UUIDConverter
from stichkampf.match.verify import verify
from stichkampf.wire.v1 import arbiter_pb2 as pb
from stichkampf_platform.api.urls import urlpatterns as api_patterns
from stichkampf_platform.bots import remote
from stichkampf_platform.bots.models import RemoteAccess, Submission, Version
from stichkampf_platform.core import clock
from stichkampf_platform.people.services import create_token
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Fault, MatchRecord, Result, SeatReport, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.records import record_files
from stichkampf_platform.tournaments.running import revealing
from stichkampf_platform.web.file_urls import urlpatterns as file_patterns
from stichkampf_platform.web.urls import urlpatterns as web_patterns

pytestmark = pytest.mark.slow

SECRET = "elsewhere-R11-Y4"
SECONDS = 0.777777
WALKERS = [
    *("guest", "author", "rival", "organiser", "superuser"),
    pytest.param("staff", marks=pytest.mark.nightly),  # sees no more than a superuser
]


def value_for(converter):
    if isinstance(converter, UUIDConverter):
        return uuid.UUID(int=0)
    return 1 if isinstance(converter, IntConverter) else "none"


@pytest.fixture
def talker(person, submitted):
    """A version of ann's bot that tells at one table what it holds at another."""
    version = submitted(person("ann"), "talker")
    Submission.objects.create(version=version, submitted_by=version.bot.owner, file_name="talker.zip")
    return version


@pytest.fixture
def two_blocks(make_tournament, house, talker, person, make_organiser):
    """A running tournament of otto's: the talker is playing both its blocks."""
    otto = person("otto")
    make_organiser(otto)
    talker.bot.may_be_entered = True
    talker.bot.save()
    versions = [talker, house["thumb"], house["random"]]
    tournament = make_tournament(name="Two", versions=versions, blocks=2, created_by=otto)
    lifecycle.start(tournament=tournament)
    for block in tournament.blocks.all():
        leases.take(block_id=block.pk, owner="w1")
    return tournament


@pytest.fixture
def end(played_record, land, talker):
    """Play a block to its end; the talker tells its secret in every way that it has."""

    def play(block):
        for table in block.tables.all():
            seat = next(s.number for s in table.seats.all() if s.entrant.version == talker)
            record = played_record(table)
            moves = record["deals"][0]["moves"]
            told = next(place for place, (who, _) in enumerate(moves) if who == seat)
            record["notes"] = [{"deal": 0, "move": told, "note": {"text": SECRET}}]
            for place, (who, _) in enumerate(moves):
                if who == seat:
                    record["costs"][0][place] = SECONDS
            report = pb.SeatReport(seat=seat, stderr=SECRET, complaints=[SECRET], exit_kind="exited")
            assert land(table, record, reports=[report])
        block.refresh_from_db()
        assert block.over_at

    return play


@pytest.fixture(params=WALKERS)
def walker(request, client, person, two_blocks, talker):
    """Everybody who looks: of guests to superusers."""
    if request.param == "author":
        client.force_login(talker.bot.owner)
    elif request.param == "organiser":
        client.force_login(two_blocks.created_by)
    elif request.param != "guest":
        fields = {"staff": {"is_staff": True}, "superuser": {"is_staff": True, "is_superuser": True}}
        client.force_login(person("bob", **fields.get(request.param, {})))
    return client


def flat(patterns):
    """The patterns, those of included files too."""
    for pattern in patterns:
        yield from flat(pattern.url_patterns) if hasattr(pattern, "url_patterns") else [pattern]


def addresses(tournament, *, rows=20):
    """Every address of site, API and administration, filled in with what this tournament has.

    :param rows: pages of single rows in the administration, at most this many of each model.
    """
    table = tournament.blocks.first().tables.first()
    author = Submission.objects.get().version.bot.owner.username
    bot = {"slug": "talker", "number": 1, "author": author}
    given = {
        "ladder": {"slug": "stiche-raten"}, "pairs": {"slug": "stiche-raten"}, "rules": {"slug": "njet"},
        "versus": {"slug": "talker", "other": "thumb", "author": author, "other_author": "house"},
        "bot-ratings-versus": {"slug": "talker", "other": "thumb", "author": author, "other_author": "house"},
        "docs": {"slug": "ratings"}, "game": {"slug": "njet"},
        "tournament": {"slug": tournament.slug}, "blocks": {"slug": tournament.slug},
        "block": {"block_id": table.block_id, "pk": table.block_id}, "data": {"what": "records"},
        "deal": {"block_id": table.block_id, "deal": 0}, "embed": {"table_id": table.pk, "step": 3},
        "embed-tournament": {"slug": tournament.slug}, "embed-ladder": {"slug": "stiche-raten"},
        "embed-bot": bot, "bot-picture": bot, "ladder-picture": {"slug": "stiche-raten"},
        "person": {"name": author}, "sitemap-part": {"section": "bots"},
        "replay": {"table_id": table.pk, "step": 3, "deal": 0, "move": 1}, "record": {"table_id": table.pk},
        "submission": {"submission_id": Submission.objects.get().pk, "pk": Submission.objects.get().pk},
        "notice": {"notice_id": 1}, "end": {"token": "none"},
        "revoke-token": {"token_id": 1}, "table": {"pk": table.pk},
        "trial": {"submission_id": Submission.objects.get().pk, "pk": Submission.objects.get().pk},
        "marks": {"table_id": table.pk, "pk": table.pk},
        "entry": {"slug": tournament.slug, "author": author, "bot": "talker"},
        "entries": {"slug": tournament.slug}, "enter": {"slug": tournament.slug},
        "schedule": {"slug": tournament.slug}, "records": {"slug": tournament.slug},
        "experiment": {"experiment_id": 1, "pk": 1}, "cancel": {"experiment_id": 1, "pk": 1},
        "screen": {"slug": tournament.slug}, "press": {"slug": tournament.slug},
        "tables": {"slug": tournament.slug}, "standings": {"slug": tournament.slug}, "token": {"token_id": 1},
    }  # fmt: skip
    for prefix, patterns in (("web:", web_patterns), ("files:", file_patterns), ("", api_patterns)):
        for pattern in flat(patterns):
            if pattern.name == "submission-events":  # numbers of lines, and it closes the database of a test
                continue
            if pattern.name is None:  # such as robots.txt
                yield f"/{pattern.pattern}"
                continue
            wanted = pattern.pattern.converters
            name = pattern.name.removeprefix("api-")
            if prefix == "" and name == "record":
                values = {"pk": table.pk}
            else:
                values = next((given[key] for key in (name, name.partition("-")[0]) if key in given), bot)
            # of what this tournament does not have, an address of something that does not exist
            kwargs = {key: values.get(key, value_for(converter)) for key, converter in wanted.items()}
            yield reverse(prefix + pattern.name, kwargs=kwargs)
    for model in admin.site._registry:
        where = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield where
        yield from (f"{where}{one.pk}/change/" for one in model._default_manager.all()[:rows])
    for name in ("standings.csv", "results.csv", "tournament.json", "records.jsonl"):
        yield f"/admin/tournaments/tournament/{tournament.pk}/export/{name}"
    for seat in range(4):
        yield f"/r/{table.pk}/2?view={seat}"
    yield from (f"/r/{table.pk}/{step}" for step in range(1, 12))


def shown(client, address):
    answer = client.get(address, follow=True)
    assert answer.status_code < 500, address
    if answer.streaming:
        parts = answer.streaming_content
        return b"".join(parts).decode(errors="replace") if not answer.is_async else ""
    return answer.content.decode(errors="replace")


def tells(text):
    return SECRET in text or "777.77" in text or "0.7777" in text or "778 ms" in text or "0.78 s" in text


def test_a_bots_output_shows_nowhere_while_it_plays_on(walker, two_blocks, end):
    end(two_blocks.blocks.get(number=0))
    # all rows of the administration answer others than its staff with the same login
    rows = 20 if walker.get("/admin/").status_code == 200 else 1
    told = [address for address in addresses(two_blocks, rows=rows) if tells(shown(walker, address))]
    assert told == []


def test_all_output_shows_after_the_last_block_that_the_bot_had_begun(client, two_blocks, end, talker):
    client.force_login(talker.bot.owner)
    for block in two_blocks.blocks.all():
        end(block)
    told = {
        re.sub(r"(?<=/)\d+", "N", address)
        for address in addresses(two_blocks)
        if tells(shown(client, address))
    }
    assert told >= {
        "/r/N/N", "/r/N/record.json", "/api/v1/tables/N/", "/api/v1/tables/N/record/", "/bots/ann/talker/",
        "/api/v1/tournaments/two/records/", "/api/v1/tournaments/two/tables/",
        "/api/v1/bots/ann/talker/reports/",
    }  # fmt: skip


def test_moves_of_a_finished_block_are_public_and_name_the_withheld_notes(client, two_blocks, end):
    end(two_blocks.blocks.get(number=0))
    table = two_blocks.blocks.get(number=0).tables.first()
    record = client.get(f"/api/v1/tables/{table.pk}/record/").json()
    verify(record)
    assert record["held_back"] == [0, 1, 2]  # all three are playing the other block
    assert not any(cost is not None for costs in record["costs"] for cost in costs)


def test_bots_without_another_block_show_their_notes_at_once(leased, two_blocks, land):
    tables = leased("timid", "bold", "glimpse", name="Alone")
    alone = [table for table in tables if table.block.tournament.name == "Alone"]
    assert all(land(table) for table in alone)
    assert not record_files.held_back_seats([table.pk for table in alone])


def test_a_block_begun_after_a_match_ended_holds_nothing_of_it_back(
    two_blocks, end, make_tournament, talker, house
):
    for block in two_blocks.blocks.all():
        end(block)
    later = make_tournament(name="Later", versions=[talker, house["thumb"], house["random"]], blocks=1)
    lifecycle.start(tournament=later)
    assert leases.take(block_id=later.blocks.get().pk, owner="w1")
    assert not record_files.held_back_seats(Table.objects.filter(block__tournament=two_blocks).values("pk"))


@pytest.fixture
def remote_block(make_tournament, house, person):
    """A running block at which a remote bot plays, under way."""
    submission, _ = remote.create_remote_version(owner=person("rita"), slug="ferne", games=["stiche-raten"])
    Version.objects.filter(pk=submission.version_id).update(state=Version.State.APPROVED)
    RemoteAccess.objects.update(connected_at=clock.now(), last_seen_at=clock.now())
    submission.version.refresh_from_db()
    versions = [
        submission.version,
        *(house[name] for name in ("thumb", "random", "timid", "bold", "glimpse")),
    ]
    tournament = make_tournament(name="Far", versions=versions, blocks=2)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.first()
    assert block.dealt_once
    leases.take(block_id=block.pk, owner="w1")
    return block


def test_the_seats_of_a_running_table_with_a_remote_bot_are_hidden(client, remote_block, person):
    client.force_login(person("olga"))
    for address in (f"/blocks/{remote_block.pk}/", f"/tournaments/{remote_block.tournament.slug}/schedule/"):
        page = client.get(address).content.decode()
        assert not re.search(r"/bots/(\w+/)?(ferne|thumb)/|ferne v\d|thumb v\d", page), address


def test_seats_show_when_the_block_is_over(client, remote_block, land):
    for table in remote_block.tables.all():
        assert land(table)
    assert "ferne" in client.get(f"/blocks/{remote_block.pk}/").content.decode()
    assert "ferne v1" in client.get(f"/tournaments/{remote_block.tournament.slug}/schedule/").content.decode()


def test_seats_are_public_if_only_hosted_bots_play(client, two_blocks):
    page = client.get(f"/tournaments/{two_blocks.slug}/schedule/").content.decode()
    assert "talker v1" in page


def test_an_unsigned_visitor_may_keep_pages_and_a_signed_in_one_may_not(client, two_blocks, end, talker):
    end(two_blocks.blocks.get(number=0))
    pages = ["/", "/tournaments/", "/bots/ann/talker/", "/api/v1/bots/", f"/tournaments/{two_blocks.slug}/"]
    assert not any("no-store" in client.get(page).headers.get("Cache-Control", "") for page in pages)
    client.force_login(talker.bot.owner)
    submission = Submission.objects.get()
    pages += [
        "/account/",
        "/account/tokens/",
        f"/submissions/{submission.pk}/",
        "/api/v1/me/",
        "/nonsense/",
        "/admin/",
    ]
    pages += [f"/api/v1/tournaments/{two_blocks.slug}/records/"]
    for page in pages:
        assert client.get(page)["Cache-Control"] == "private, no-store", page


def test_token_answers_and_admin_pages_are_never_cached(client, talker):
    _, text = create_token(owner=talker.bot.owner, name="a test")
    answers = [client.get("/api/v1/bots/", headers={"authorization": f"Bearer {text}"})]
    answers += [
        client.get("/api/v1/me/", headers={"authorization": "Bearer nonsense"}),
        client.get("/admin/login/"),
    ]
    assert [answer["Cache-Control"] for answer in answers] == 3 * ["private, no-store"]


def test_a_scene_of_a_public_match_may_be_kept_by_anybody(client, two_blocks, end, talker):
    end(two_blocks.blocks.get(number=0))
    client.force_login(talker.bot.owner)
    table = two_blocks.blocks.get(number=0).tables.first()
    scene = client.get(f"/r/{table.pk}/1", headers={"x-fragment": "1"})
    assert scene["Cache-Control"] == "private, max-age=3600"


def test_the_file_of_everything_leaves_out_the_times_that_wait(client, two_blocks, end):
    end(two_blocks.blocks.get(number=0))
    client.force_login(two_blocks.created_by)
    address = f"/admin/tournaments/tournament/{two_blocks.pk}/export/tournament.json"
    waiting = json.loads(shown(client, address))["results"]
    end(two_blocks.blocks.get(number=1))
    shown_later = json.loads(shown(client, address))["results"]
    assert {result["median_ms"] for result in waiting} == {None}
    assert all(result["median_ms"] is not None for result in shown_later)
    assert len(shown_later) == 2 * len(waiting) == Result.objects.count()


@pytest.fixture
def held_back(two_blocks, played_record, land):
    """The two blocks, played whole, with results that are held back."""
    Tournament.objects.filter(pk=two_blocks.pk).update(reveal="press")
    for table in Table.objects.select_related("block__tournament"):
        reports = [pb.SeatReport(seat=seat, stderr=SECRET, exit_kind="exited") for seat in range(3)]
        assert land(table, played_record(table), reports=reports)
    return Tournament.objects.get(pk=two_blocks.pk)


def other_results():
    """Have everything have come out otherwise: scores, places, faults, times, records and output."""
    Result.objects.update(score=7919 - 31 * F("score"), rank=4 - F("rank"), median_ms=777.777)
    for result in Result.objects.filter(seat__number=0):
        Fault.objects.create(result=result, deal=0, move=1, decision=2, kind="timeout")
    Result.objects.filter(seat__number=0).update(faults=1, forfeited=True)
    MatchRecord.objects.update(moves=F("moves") + 991, record_bytes=F("record_bytes") + 7919)
    SeatReport.objects.update(stderr=SECRET * 2, exit_kind="killed", complaints=[SECRET])


CHANGING = re.compile(r'(csrfmiddlewaretoken" value=|nonce=|csrfToken"?: ?)"[^"]*"|[0-9a-f]{32,}|ETag: .*')


def answers(client, walk):
    """Every answer by its address: status, length and text, without what is drawn anew for each."""
    found = {}
    for address in walk:
        answer = client.get(address)
        assert answer.status_code < 500, address
        text = b"".join(answer.streaming_content) if answer.streaming and not answer.is_async else b""
        text = text or (b"" if answer.streaming else answer.content)
        plain = CHANGING.sub("", text.decode(errors="replace"))
        if "<feed" in plain and "<entry>" not in plain:  # one without entries tells the present time
            plain = re.sub(r"<updated>[^<]*", "", plain)
        lasting = "\n".join(
            line for line in plain.splitlines() if "_bytes" not in line and "_seconds" not in line
        )
        found[address] = (answer.status_code, answer.get("Location"), lasting)
    return found


def _faults_in(answer):
    return [line for line in answer[2].splitlines() if "fault" in line]


ROLES = [
    "everybody at once",
    *(
        pytest.param(role, marks=pytest.mark.nightly)
        for role in ("guest", "author", "organiser", "superuser")
    ),
]


@pytest.mark.parametrize("role", ROLES)
def test_no_answer_depends_on_results_that_are_held_back(
    role, held_back, client, talker, person, make_organiser, monkeypatch
):
    otto = held_back.created_by
    if role == "everybody at once":  # who organises, has a bot there and administers the site
        otto.is_staff = otto.is_superuser = True
        otto.save()
        client.force_login(otto)
        talker.bot.owner = otto
    elif role == "superuser":
        client.force_login(person("rosa", is_staff=True, is_superuser=True))
    elif role != "guest":
        client.force_login(otto if role == "organiser" else talker.bot.owner)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    walk = [*addresses(held_back, rows=3), "/metrics"]
    client.get("/account/")  # its notices count as read from then on, in the head of every page
    first, before = answers(client, walk), answers(client, walk)
    other_results()
    after = answers(client, walk)
    changing = {address for address in before if first[address] != before[address]}
    assert changing <= {"/metrics", "/classes/new/"}, "figures of the machine, and the key of a form"
    assert [each for each in before if each not in changing and before[each] != after[each]] == []
    assert _faults_in(before["/metrics"]) == _faults_in(after["/metrics"])
    revealing.reveal(tournament=held_back, step="all")
    shown = answers(client, walk)
    told = {
        re.sub(r"(?<=/)\d+", "N", address)
        for address in shown
        if "7919" in str(shown[address]) or shown[address] != after[address]
    }
    assert told >= {"/tournaments/two/", "/blocks/N/", "/api/v1/tournaments/two/tables/"}, (
        "the walk finds what is shown"
    )
