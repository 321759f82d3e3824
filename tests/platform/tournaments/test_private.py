"""Private tournaments: outsiders learn nothing of them anywhere, members see them, public ratings stay."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.urls import URLPattern, URLResolver, get_resolver
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.tournaments import queries
from stichkampf_platform.tournaments.models import Block, Entrant, Membership, Result, Seat, Table, Tournament
from stichkampf_platform.tournaments.organising import lifecycle
from stichkampf_platform.tournaments.scheduling.ladder_field import ladders_of

pytestmark = [pytest.mark.slow, pytest.mark.queries]

WALKERS = [
    *("guest", "author", "organiser", "teacher", "staff", "permitted"),
    *("member", "owner", "superuser"),
]
OUTSIDERS = WALKERS[:6]
INCLUDED = {"author", "staff"}
"""Outsiders whose rights a teacher, or staff with more rights, has too."""
NAME, SLUG = "Whispered cup", "whispered-cup"


@pytest.fixture
def whispered(make_tournament, play_out, person, house, submitted):
    """A played private tournament of olga's, with ann as its member and a bot of hers in it."""
    olga, ann = person("olga"), person("ann")
    versions = [submitted(ann, "karl"), house["thumb"], house["random"]]
    made = make_tournament(name=NAME, slug=SLUG, versions=versions, private=True, created_by=olga)
    Membership.objects.create(tournament=made, person=ann)
    played = play_out(made)
    ratings.publish(ladder=played.ladder, tournament=played)
    ratings.publish(ladder=played.ladder)
    return played


def roles(names, included):
    """Return parameters: the included roles are tried nightly, and a superuser on PostgreSQL too."""
    marks = {"superuser": pytest.mark.database, **dict.fromkeys(included, pytest.mark.nightly)}
    return [pytest.param(name, marks=marks.get(name, ())) for name in names]


@pytest.fixture(params=roles(WALKERS, INCLUDED))
def walker(request, client, person, make_organiser, whispered):
    """A visitor and the name of the role."""
    role = request.param
    known = {"member": "ann", "owner": "olga"}
    if role == "owner":
        make_organiser(whispered.created_by)
    if role in known:
        client.force_login(whispered.created_by if role == "owner" else Membership.objects.get().person)
    elif role != "guest":
        bob = person("bob", is_staff=role in ("staff", "permitted"), is_superuser=role == "superuser")
        if role == "organiser":
            make_organiser(bob)
        if role == "teacher":
            bob.user_permissions.set(Permission.objects.filter(content_type__app_label="classes"))
        if role == "permitted":  # staff with every right to look, and no other
            bob.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
        client.force_login(bob)
    return role, client


def addresses(*, slug, ladder, numbers):
    """Every address of site, API and administration that takes no more than these words."""
    words = {
        "bot": "karl", "author": "ann", "name": "ann", "other": "thumb", "other_author": "house",
        "number": "1", "version": "1", "deal": "1", "move": "1", "step": "0", "topic": "ratings",
        "section": "tournaments", "what": "records", "pk": str(numbers["table"]),
        "table_id": str(numbers["table"]),
        "block_id": str(numbers["block"]), "object_id": str(numbers["tournament"]),
        "tournament_id": str(numbers["tournament"]),
    }  # fmt: skip
    for route in sorted(set(_routes(get_resolver().url_patterns))):
        if re.search(r"logout|password|jsi18n|confirm", route):
            continue
        of = slug if "tournaments/" in route else ladder if "ladders/" in route else "karl"
        named = re.sub(r"<(?:\w+:)?slug>", of, route)
        yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda word: words.get(word[1], "1"), named)


def _routes(patterns, prefix=""):
    for each in patterns:
        route = prefix + str(each.pattern)
        if route == "api/":  # the same as below api/v1/
            continue
        if isinstance(each, URLResolver):
            yield from _routes(each.url_patterns, route)
        elif isinstance(each, URLPattern) and not re.search(r"[\^$\\]", route):
            yield route


def fetched(client, address):
    answer = client.get(address)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if "messages" in answer.cookies:  # a message waits for the next page
        client.get("/games/")
    shown = content.decode(errors="replace").replace(
        address, ""
    )  # pages link to themselves, such as for the login
    for typed in set(re.findall(r"[\w-]{8,}", address)):
        shown = shown.replace(typed, "")
    return answer, shown


def test_no_address_tells_an_outsider_of_a_private_tournament(walker, whispered):
    role, client = walker
    block = whispered.blocks.first()
    table = block.tables.first()
    numbers = {"table": table.pk, "block": block.pk, "tournament": whispered.pk}
    known = list(addresses(slug=SLUG, ladder=whispered.ladder.slug, numbers=numbers))
    assert len(known) > 100
    traces = rf"{NAME}|{whispered.ladder.slug}|{bytes(block.seed).hex()}|(?<!embed)(?<!admin)/(r|blocks)/\d+"
    told = [address for address in known if re.search(traces, fetched(client, address)[1])]
    if role in OUTSIDERS:
        assert told == []
    else:
        assert {f"/tournaments/{SLUG}/", "/tournaments/", f"/api/v1/tournaments/{SLUG}/"} <= set(told)
        assert {f"/r/{table.pk}/", f"/blocks/{block.pk}/"} <= set(told)
        assert (f"/api/v1/organiser/tournaments/{SLUG}/" in told) == (role != "member")
        assert ("/organise/" in told) == (role == "owner")
        assert client.get(f"/ladders/{whispered.ladder.slug}/").status_code == 200
        assert "/tournaments/feed.atom" not in told
        assert not {address for address in told if "sitemap" in address}


@pytest.mark.parametrize("walker", roles(OUTSIDERS, INCLUDED | {"organiser"}), indirect=True)
def test_a_private_tournament_answers_as_a_name_that_does_not_exist(walker, whispered):
    _, client = walker
    block, ladder = whispered.blocks.first(), whispered.ladder.slug
    here = {"table": block.tables.first().pk, "block": block.pk, "tournament": whispered.pk}
    away = {name: _free(model, here[name]) for name, model in (("table", Table), ("block", Block))}
    away["tournament"] = _free(Tournament, whispered.pk)
    none = ladder[:-1] + ("0" if ladder[-1] != "0" else "1")
    of_it = addresses(slug=SLUG, ladder=ladder, numbers=here)
    of_none = addresses(slug="whispered-cap", ladder=none, numbers=away)
    pairs = [pair for pair in zip(of_it, of_none, strict=True) if pair[0] != pair[1]]
    pairs = [pair for pair in pairs if not pair[0].startswith("/admin/") or "/tournaments/t" in pair[0]]
    assert len(pairs) > 25
    for address, other in pairs:
        (answer, content), (absent, nothing) = fetched(client, address), fetched(client, other)
        assert (answer.status_code, len(content)) == (absent.status_code, len(nothing)), (address, content)
        assert set(answer.headers) == set(absent.headers), address


def _free(model, pk):
    """Return an id of as many digits that no row has."""
    taken = set(model.objects.values_list("pk", flat=True))
    digits = len(str(pk))
    return next(number for number in range(10 ** (digits - 1), 10**digits) if number not in taken)


def test_what_a_private_tournament_holds_counts_for_nobody_else(whispered, house):
    karl = Entrant.objects.get(version__bot__slug="karl").version
    assert whispered.ladder.private
    assert not Ladder.objects.filter(private=False, tournaments=whispered).exists()
    assert not Snapshot.objects.filter(ladder__private=False).exists()
    karl.bot.refresh_from_db()
    assert karl.bot.ranked_version is None
    for found in (queries.revealed_tables(), queries.revealed_results(), queries.visible_ladders()):
        assert not found.filter(pk__in=found.model.objects.filter(**_of(found.model, whispered))).exists()
    assert not queries.shared_blocks([karl.pk], [house["thumb"].pk]).exists()
    assert queries.shared_blocks([karl.pk], [house["thumb"].pk], karl.bot.owner).count() == 2


def _of(model, tournament):
    way = {Table: "block__tournament", Result: "seat__table__block__tournament", Ladder: "tournaments",
           Block: "tournament", Seat: "table__block__tournament"}  # fmt: skip
    return {way[model]: tournament}


def test_only_bots_of_members_and_of_the_house_play_on_a_private_ladder(
    make_tournament, person, submitted, house
):
    olga, ann, bob = person("olga"), person("ann"), person("bob")
    karl, rival = submitted(ann, "karl"), submitted(bob, "rival")
    ladder = make_tournament(
        name="Class", versions=[], format="ladder", blocks=3, private=True, created_by=olga
    )
    Membership.objects.create(tournament=ladder, person=ann)
    lifecycle.start(tournament=ladder)
    entered = {entrant.version for entrant in ladder.entrants.select_related("version")}
    assert karl in entered
    assert rival not in entered
    assert house["thumb"] in entered
    assert [each.name for each in ladders_of(karl, ann)] == ["Class"]
    assert ladders_of(karl) == ladders_of(rival, bob) == []


def test_a_token_shows_its_owner_what_a_session_shows(client, whispered):
    for name, status in (("olga", 200), ("ann", 200)):
        owner = whispered.created_by if name == "olga" else Membership.objects.get().person
        _, text = create_token(owner=owner, name="a test")
        answer = client.get(f"/api/tournaments/{SLUG}/", headers={"authorization": f"Bearer {text}"})
        assert answer.status_code == status
    assert client.get(f"/api/tournaments/{SLUG}/").status_code == 404
    assert Tournament.objects.visible_to(None).count() == 0
