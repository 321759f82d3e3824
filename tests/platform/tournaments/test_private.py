"""Private tournaments: outsiders learn nothing of them anywhere, members see them, public ratings stay."""

import re
from dataclasses import replace
from functools import partial
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import LocalePrefixPattern, URLPattern, URLResolver, get_resolver
from stichkampf_platform.classes.models import Pupil, SchoolClass
from stichkampf_platform.ladders.models import Ladder
from stichkampf_platform.operations.figures import ArbiterFigures, measure
from stichkampf_platform.operations.state_texts import part_states
from stichkampf_platform.people.services import create_token
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.models import Snapshot
from stichkampf_platform.tournaments import leases, queries
from stichkampf_platform.tournaments.models import (
    Block,
    Entrant,
    Entry,
    Fault,
    Membership,
    Result,
    Seat,
    Table,
    Tournament,
)
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
READS_GERMAN = {"guest", "owner"}
"""Walkers that try the addresses of the other language, too: these show the same in other words."""
TOKEN, TIME = r'csrfmiddlewaretoken" value="\w+"', r"\d\d:\d\d:\d\d[.\d]*"


@pytest.fixture
def people(person, submitted):
    """Olga, a teacher, and ann, who has a bot."""
    olga, ann = person("olga"), person("ann")
    olga.user_permissions.set(Permission.objects.filter(content_type__app_label="classes"))
    submitted(ann, "karl")
    ann.bots.update(may_be_entered=True)
    return olga, ann


@pytest.fixture
def whisper(make_tournament, play_out, house, people):
    """Play a private tournament of olga's, with ann as its member and a bot of hers in it, in a class."""

    def play():
        olga, ann = people
        versions = [ann.bots.get().versions.get(), house["thumb"], house["random"]]
        made = make_tournament(name=NAME, slug=SLUG, versions=versions, private=True, created_by=olga)
        Membership.objects.create(tournament=made, person=ann)
        made.entries.create(bot=ann.bots.get())
        played = play_out(made, faulting=[house["random"]])
        ratings.publish(ladder=played.ladder, tournament=played)
        ratings.publish(ladder=played.ladder)
        school_class = SchoolClass.objects.create(teacher=olga, name=NAME, code="abcd-efgh-jkmn")
        school_class.ladders.add(played)
        Pupil.objects.create(school_class=school_class, person=ann, name=f"Ann of {NAME}", made_here=False)
        return played

    return play


@pytest.fixture
def whispered(whisper):
    return whisper()


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


def rows_of(tournament):
    """Return what a private tournament has in the database, by the name of its model."""
    of_it = {
        Tournament: "pk", Block: "tournament", Table: "block__tournament", Entrant: "tournament",
        Entry: "tournament", Membership: "tournament", Result: "seat__table__block__tournament",
        Fault: "result__seat__table__block__tournament", Ladder: "tournaments", Snapshot: "tournament",
        SchoolClass: "ladders", Pupil: "school_class__ladders",
    }  # fmt: skip
    return {
        model._meta.model_name: model.objects.filter(**{way: tournament.pk}).order_by("pk").last()
        for model, way in of_it.items()
    }


def addresses(*, slug, ladder, numbers):
    """Every address of site, API and administration that takes no more than these words.

    :param numbers: of a tournament, a block, a table and so on, by the name of the model.
    """
    words = {
        "bot": "karl", "author": "ann", "name": "ann", "other": "thumb", "other_author": "house",
        "number": "1", "version": "1", "deal": "1", "move": "1", "step": "0", "topic": "ratings",
        "section": "tournaments", "what": "records", "pk": numbers["table"], "table_id": numbers["table"],
        "block_id": numbers["block"], "tournament_id": numbers["tournament"],
        "class_id": numbers["schoolclass"], "pupil_id": numbers["pupil"],
    }  # fmt: skip
    for route in sorted(set(_routes(get_resolver().url_patterns))):
        if re.search(r"logout|password|jsi18n|confirm", route):
            continue
        model = (re.match(r"admin/\w+/(\w+)/", route) or [None, ""])[1]
        known = {**words, "object_id": numbers.get(model, 1)}
        if model == "tournament":
            known |= {"pk": numbers["tournament"], "name": "results.csv"}
        elif route.endswith("export/<str:name>"):
            known["name"] = "results.csv"
        elif "blocks/" in route and "pk" in route:
            known["pk"] = numbers["block"]
        of = slug if "tournaments/" in route else ladder if "ladders/" in route else "karl"
        named = re.sub(r"<(?:\w+:)?slug>", of, route)
        yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", partial(_word, known), named)


def _word(known, place):
    return str(known.get(place[1], 1))


def _routes(patterns, prefix=""):
    for each in patterns:
        route = prefix + str(each.pattern)
        if route == "api/":  # the same as below api/v1/
            continue
        if isinstance(each.pattern, LocalePrefixPattern) and not prefix:
            yield from ("de/" + one for one in _routes(each.url_patterns))
        if isinstance(each, URLResolver):
            yield from _routes(each.url_patterns, route)
        elif isinstance(each, URLPattern) and not re.search(r"[\^$\\]", route):
            yield route


def fetched(client, address, send=None):
    """Return an answer and its text, without what was typed in the address."""
    answer = (send or client.get)(address)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if "messages" in answer.cookies:  # a message waits for the next page
        client.get("/games/")
    return answer, _untyped(content.decode(errors="replace"), address)


def _untyped(text, address):
    """Return a text without the address, and without its longer words: pages link to themselves, in each
    language."""
    ways = [address, quote(address, safe="/"), quote(address, safe=""), address.removeprefix("/de")]
    for typed in [*ways, *set(re.findall(r"[\w-]{8,}", address))]:
        text = text.replace(typed, "")
    return text


def test_no_address_tells_an_outsider_of_a_private_tournament(walker, whispered):
    role, client = walker
    rows, ladder = rows_of(whispered), whispered.ladder.slug
    numbers = {name: row.pk for name, row in rows.items()}
    block, table = numbers["block"], numbers["table"]
    known = [*addresses(slug=SLUG, ladder=ladder, numbers=numbers), *searches("cup")]
    known = [address for address in known if role in READS_GERMAN or not address.startswith("/de/")]
    assert len(known) > 250
    traces = rf"{NAME}|{ladder}|{bytes(rows['block'].seed).hex()}|(?<!embed)(?<!admin)/(r|blocks)/\d+"
    told = [address for address in known if re.search(traces, fetched(client, address)[1])]
    if role in OUTSIDERS:
        assert told == []
    else:
        assert {f"/tournaments/{SLUG}/", "/tournaments/", f"/api/v1/tournaments/{SLUG}/"} <= set(told)
        assert {f"/r/{table}/", f"/blocks/{block}/"} <= set(told)
        assert ({f"/de/r/{table}/", "/de/tournaments/"} <= set(told)) == (role == "owner")
        assert (f"/api/v1/organiser/tournaments/{SLUG}/" in told) == (role != "member")
        assert ("/organise/" in told) == (role == "owner")
        assert (f"/classes/{numbers['schoolclass']}/" in told) == (role != "member")
        assert ("/admin/tournaments/block/?q=cup" in told) == (role != "member")
        assert "/tournaments/feed.atom" not in told
        assert not {address for address in told if "sitemap" in address}


@pytest.mark.parametrize("walker", roles(OUTSIDERS, INCLUDED | {"organiser"}), indirect=True)
def test_a_private_tournament_answers_as_a_name_that_does_not_exist(walker, whispered):
    role, client = walker
    rows, ladder = rows_of(whispered), whispered.ladder.slug
    here = {name: row.pk for name, row in rows.items()}
    away = {name: _free(type(row), row.pk) for name, row in rows.items()}
    none = ladder[:-1] + ("0" if ladder[-1] != "0" else "1")
    of_it = [*addresses(slug=SLUG, ladder=ladder, numbers=here), *searches("Whispered")]
    of_none = [*addresses(slug="whispered-cap", ladder=none, numbers=away), *searches("Whisperad")]
    pairs = [pair for pair in zip(of_it, of_none, strict=True) if pair[0] != pair[1]]
    pairs = [pair for pair in pairs if role in READS_GERMAN or not pair[0].startswith("/de/")]
    assert len(pairs) > 100
    answers = {address: (answered(client, address), answered(client, other)) for address, other in pairs}
    assert {address: both for address, both in answers.items() if both[0] != both[1]} == {}


def searches(words):
    """The lists that search or filter, asked for these words."""
    yield from (f"/{route}?q={words}" for route in ("people/", "bots/", "de/people/", "api/v1/people/"))
    for page in admin.site._registry.values():
        if page.search_fields:
            yield f"/admin/{page.opts.app_label}/{page.opts.model_name}/?q={words}"


def answered(client, address):
    """Return status, length and headers of an answer, without what was typed; of a form, when it is sent."""
    answer, content = fetched(client, address)
    if answer.status_code == 405:
        answer, content = fetched(client, address, send=client.post)
    headers = {name: _untyped(value, address) for name, value in answer.headers.items()}
    for name in ("Content-Length", "Expires"):  # with what was typed; the time
        headers.pop(name, None)
    return answer.status_code, len(content), headers


def test_what_all_may_see_stays_the_same_when_a_private_tournament_comes(client, person, people, whisper):
    numbers = dict.fromkeys(["tournament", "table", "block", "schoolclass", "pupil"], 999)
    known = addresses(slug="no-cup", ladder="sticheln", numbers=numbers)
    times = ("/account/data/", "/account/sessions/")  # they tell when bob was here
    known = [address for address in known if not address.startswith(("/admin/", "/de/", *times))]
    bob = person("bob")

    def seen():
        for visitor in (None, bob):
            client.logout() if visitor is None else client.force_login(visitor)
            for address in known:
                text = fetched(client, address)[1]
                yield (str(visitor), address), re.sub(rf"{TOKEN}|{TIME}", "", text)

    before = dict(seen())
    whisper()
    after = dict(seen())
    changed = {where for where in before if before[where] != after[where]}
    assert changed == set()


def _free(model, pk):
    """Return an id of as many digits that no row has."""
    taken = set(model.objects.values_list("pk", flat=True))
    digits = len(str(pk))
    return next(number for number in range(10 ** (digits - 1), 10**digits) if number not in taken)


def test_the_status_page_counts_no_private_tables(make_tournament, person):
    """Three of five tables in play are private, and so is a block that waits."""
    secret = make_tournament(name="Secret", private=True, created_by=person("olga"))
    lifecycle.start(tournament=secret)
    assert len(leases.take(block_id=secret.blocks.first().pk, owner="w1")) == 3
    assert told_of_matches() == "2 tables are being played."
    lifecycle.start(tournament=make_tournament(name="Shown"))
    assert told_of_matches() == "2 tables are being played. Waiting blocks: 2."


def told_of_matches():
    busy = ArbiterFigures(
        tables=5, tables_limit=9, draining=False, sandbox_level="hosted", answer_seconds=0.0, refused_calls={}
    )
    return part_states(replace(measure(), arbiter=busy, queued={"blocks": 0}, beat_seconds=1.0))[0].text


def test_what_a_private_tournament_holds_counts_for_nobody_else(whispered, house):
    karl = Entrant.objects.get(version__bot__slug="karl").version
    assert whispered.ladder.private
    assert not Ladder.objects.filter(private=False, tournaments=whispered).exists()
    assert not Snapshot.objects.filter(ladder__private=False).exists()
    karl.bot.refresh_from_db()
    assert karl.bot.ranked_version is None
    for found in (queries.shown_tables(), queries.shown_results(), queries.shown_ladders()):
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
        answer = client.get(f"/api/v1/tournaments/{SLUG}/", headers={"authorization": f"Bearer {text}"})
        assert answer.status_code == status
    assert client.get(f"/api/v1/tournaments/{SLUG}/").status_code == 404
    assert Tournament.objects.shown_to(None).count() == 0
