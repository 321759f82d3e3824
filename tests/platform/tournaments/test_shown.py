"""Show nothing hidden or still being played to guests, authors or other organisers."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import CollusionSignal
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Block, Entrant, Fault, Result, Ruling, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle, rulings

pytestmark = [pytest.mark.slow, pytest.mark.queries]

ADMIN = "/admin/tournaments"
LISTS = [
    f"{ADMIN}/{model}/" for model in ("tournament", "entrant", "block", "table", "result", "fault", "ruling")
]
LISTS += ["/admin/ratings/collusionsignal/", "/admin/"]


@pytest.fixture
def secret(make_tournament, play_out, person, house):
    """A played tournament of another organiser, hidden, with faults, ratings and a gift."""
    tournament = make_tournament(name="Secret cup", blocks=2, created_by=person("olga"))
    play_out(tournament, faulting=[house["timid"]])
    snapshot = ratings.publish(ladder=tournament.ladder, tournament=tournament)
    CollusionSignal.objects.create(
        snapshot=snapshot, giver=house["timid"], taker=house["thumb"], way="help", blocks=2,
        points=0.2, low=0.1, high=0.3,
    )  # fmt: skip
    rulings.hide(tournament=tournament)
    tournament.refresh_from_db()
    return tournament


@pytest.fixture
def half_played(make_tournament, land, person):
    """A running tournament of another organiser, with one table of its block played."""
    tournament = make_tournament(name="Open cup", blocks=1, created_by=person("otto"))
    lifecycle.start(tournament=tournament)
    table, *_ = leases.take(block_id=tournament.blocks.get().pk, owner="w1")
    assert land(table)
    return tournament


@pytest.fixture(params=["guest", "author", "staff", "organiser"])
def visitor(request, client, person, make_organiser):
    """Everybody but the organiser of the tournament and superusers."""
    if request.param != "guest":
        bob = person("bob", is_staff=request.param == "staff")
        if request.param == "organiser":
            make_organiser(bob)
        client.force_login(bob)
    return client


def test_a_hidden_tournament_shows_nowhere(visitor, secret):
    block, table = secret.blocks.first(), Table.objects.first()
    of_it = [f"/tournaments/{secret.slug}/{rest}" for rest in ("", "schedule/")]
    of_it += [
        f"/api/v1/tournaments/{secret.slug}/{rest}"
        for rest in ("", "tables/", "records/", "standings/", "rulings/")
    ]
    of_it += [f"/blocks/{block.pk}/", f"/r/{table.pk}/", f"/r/{table.pk}/3"]
    of_it += [f"/r/{table.pk}/marks/", f"/api/v1/tables/{table.pk}/marks/"]
    of_it += [f"/r/{table.pk}/continuations/1/", f"/api/v1/tables/{table.pk}/decisions/1/continuations/"]
    of_it += [
        f"/r/{table.pk}/record.json",
        f"/api/v1/tables/{table.pk}/",
        f"/api/v1/tables/{table.pk}/record/",
    ]
    for address in of_it:
        assert visitor.get(address).status_code in (403, 404, 409), address
    seed = bytes(block.seed).hex()
    for address in (
        "/", "/tournaments/", "/bots/house/timid/", "/bots/house/timid/v/1/",
        "/bots/house/timid/vs/house/thumb/", "/ladders/", "/api/v1/tournaments/",
        "/api/v1/bots/house/timid/faults/", "/api/v1/bots/house/timid/reports/", "/health/",
    ):  # fmt: skip
        content = visitor.get(address, follow=True).content.decode()
        assert not re.search(f"(?i)secret.cup|{seed}|/r/{table.pk}/|/blocks/{block.pk}/", content), address


def test_the_administration_shows_no_tournament_of_another_organiser(visitor, secret, half_played):
    entrant, result, fault = Entrant.objects.first(), Result.objects.first(), Fault.objects.first()
    gift, block, table = CollusionSignal.objects.get(), secret.blocks.first(), Table.objects.first()
    objects = [secret, half_played, entrant, result, fault, block, table, gift]
    details = [f"/admin/{one._meta.app_label}/{one._meta.model_name}/{one.pk}/" for one in objects]
    exports = ("standings.csv", "results.csv", "tournament.json", "records.jsonl")
    addresses = LISTS + [f"{detail}{way}/" for detail in details for way in ("change", "history", "delete")]
    addresses += [f"{ADMIN}/tournament/{t.pk}/export/{n}" for t in (secret, half_played) for n in exports]
    addresses += [f"{ADMIN}/tournament/?q=cup", f"{ADMIN}/entrant/?q=cup"]
    addresses += [f"{ADMIN}/block/?tournament__id__exact={secret.pk}"]
    addresses += [f"/admin/ratings/collusionsignal/?snapshot__tournament__id__exact={secret.pk}"]
    addresses += [
        f"/admin/autocomplete/?app_label={app}&model_name={model}&field_name=tournament&term="
        for app, model in (("tournaments", "entrant"), ("tournaments", "block"), ("ratings", "snapshot"))
    ]
    # what they are told of does not count as shown: the address that they typed themselves
    for address in addresses:
        content = visitor.get(address, follow=True).content.decode()
        assert not re.search(r"(?i)(secret|open).cup|20\.0", content), address


def test_strangers_neither_leave_nor_protest_where_they_do_not_play(visitor, secret, half_played):
    table = half_played.blocks.first().tables.first()
    for cup in (secret, half_played):
        of_it = f"/api/v1/tournaments/{cup.slug}/"
        assert visitor.post(f"{of_it}protests/", {"text": "x", "round": 0}).status_code in (
            400,
            401,
            403,
            404,
        )
        gone = visitor.delete(f"{of_it}entries/house/thumb/")
        assert gone.status_code in (400, 401, 403, 404)
        visitor.post(f"/tournaments/{cup.slug}/withdraw/", {"bot": "thumb"})
        visitor.post(f"/tournaments/{cup.slug}/protest/?table={table.pk}", {"text": "x"})
    assert not Ruling.objects.exists()
    assert visitor.get(f"/tournaments/{secret.slug}/withdraw/").status_code in (302, 404)
    assert visitor.get(f"/tournaments/{secret.slug}/protest/?round=1").status_code in (302, 404)


def test_no_address_in_the_administration_leads_from_a_number_to_a_name(visitor, secret):
    for one in (secret, secret.blocks.first(), Table.objects.first()):
        kind = ContentType.objects.get_for_model(one).pk
        answer = visitor.get(f"/admin/r/{kind}/{one.pk}/")
        assert answer.status_code == 404 or answer["Location"].startswith("/admin/login/")


def test_objects_in_the_administration_link_to_the_site(client, person, make_tournament, make_organiser):
    olga = person("olga")
    make_organiser(olga)
    client.force_login(olga)
    tournament = make_tournament(created_by=olga)
    lifecycle.start(tournament=tournament)
    block = tournament.blocks.first()
    kind = ContentType.objects.get_for_model(block).pk
    assert client.get(f"/admin/r/{kind}/{block.pk}/")["Location"].endswith(f"/blocks/{block.pk}/")
    assert client.get(f"/admin/r/{kind}/x/").status_code == 404
    for no_kind in ("9" * 25, "9" * 5000, "²", "٣"):
        assert client.get(f"/admin/r/{no_kind}/{block.pk}/").status_code == 404


def test_an_action_on_objects_of_another_person_does_nothing(
    client, person, secret, half_played, make_organiser
):
    bob = person("bob")
    make_organiser(bob)
    client.force_login(bob)
    before = list(Tournament.objects.order_by("pk").values_list("state", "published"))
    protest = half_played.rulings.create(kind="protest", role="author", reason="A cup!", round=0, after={})
    for model, action, one in (
        ("tournament", "cancel", half_played), ("tournament", "publish", secret),
        ("tournament", "clone", secret), ("block", "again", secret.blocks.first()),
        ("table", "again", Table.objects.first()),
        ("entrant", "disqualify", half_played.entrants.first()),
        ("entrant", "withdraw", half_played.entrants.first()), ("block", "void", half_played.blocks.first()),
        ("ruling", "answer", protest),
    ):  # fmt: skip
        fields = {"action": action, "_selected_action": one.pk, "index": 0, "reason": "Mine now."}
        content = client.post(f"{ADMIN}/{model}/", fields, follow=True).content.decode()
        assert not re.search(r"(?i)\bcup\b", content)
    assert list(Tournament.objects.order_by("pk").values_list("state", "published")) == before
    assert not Block.objects.exclude(replaced_by=None).exists()
    assert not Entrant.objects.exclude(out_at=None).exists()
    assert list(Ruling.objects.values_list("answer", flat=True)) == [""]
    assert not LogEntry.objects.exists()


def test_the_log_of_an_organiser_shows_no_actions_of_others(client, person, make_tournament, make_organiser):
    for name, title in (("olga", "Cup of Olga"), ("bob", "Cup of Bob")):
        organiser = person(name)
        make_organiser(organiser)
        client.force_login(organiser)
        tournament = make_tournament(name=title, created_by=organiser)
        fields = {"action": "start", "_selected_action": tournament.pk, "index": 0}
        client.post(f"{ADMIN}/tournament/", fields, follow=True)
    page = client.get("/admin/").content.decode()
    assert "Cup of Bob" in page
    assert "Cup of Olga" not in page


def test_nothing_shows_of_a_block_before_its_last_table_has_ended(visitor, half_played):
    block = half_played.blocks.get()
    table = block.tables.get(state="done")
    seed = bytes(block.seed).hex()
    for address in (f"/r/{table.pk}/", f"/r/{table.pk}/record.json", f"/api/v1/tables/{table.pk}/record/"):
        assert visitor.get(address).status_code in (403, 404, 409), address
    assert visitor.get(f"/api/v1/tables/{table.pk}/").status_code == 404
    assert visitor.get(f"/api/v1/tournaments/{half_played.slug}/tables/").json()["results"] == []
    assert b"".join(visitor.get(f"/api/v1/tournaments/{half_played.slug}/records/").streaming_content) == b""
    scores = {str(score) for score in Result.objects.values_list("score", flat=True) if abs(score) > 9}
    for address in (f"/blocks/{block.pk}/", f"/tournaments/{half_played.slug}/", "/", "/bots/house/thumb/"):
        content = visitor.get(address).content.decode()
        assert seed not in content, address
        assert not any(f"<b>{sign}{score}</b>" in content for score in scores for sign in ("", "+")), address


@pytest.mark.parametrize("lookup", ["seed__startswith", "seed__gte", "seed", "seed__contains"])
def test_the_administration_never_shows_the_seed_of_a_block(
    client, person, half_played, lookup, make_organiser
):
    otto = half_played.created_by
    make_organiser(otto)
    client.force_login(otto)
    assert client.get(f"{ADMIN}/block/").status_code == 200
    assert client.get(f"{ADMIN}/block/?{lookup}=a").status_code == 400


def test_a_hidden_block_that_ends_last_takes_no_match_off_the_watch_page(client, make_tournament, play_out):
    play_out(make_tournament(name="Shown", blocks=1))
    shown = client.get("/watch/").content.decode()
    rulings.hide(tournament=play_out(make_tournament(name="Hidden", blocks=1)))
    link = re.search(r'href="(/r/\d+/)', shown)
    assert link
    assert link[1] in client.get("/watch/").content.decode()
