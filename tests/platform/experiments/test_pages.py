"""The pages and the API of experiments: a form, a page and answers that only the author sees."""

import json
import re

import pytest
from django.core.files.base import ContentFile
from stichkampf.cli import command_parser
from stichkampf_platform.experiments import services
from stichkampf_platform.experiments.beginning import BEGIN
from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.people.models import User
from stichkampf_platform.tournaments import leases
from stichkampf_platform.web.experiments.forms import ExperimentForm
from support import archive

GAME = "stiche-raten"


@pytest.fixture
def karl(person, submitted):
    return submitted(person("ada"))


@pytest.fixture
def played(house, karl, land):
    """A challenge of karl against thumb, one block of which is over."""
    author = karl.bot.owner
    experiment = services.challenge(version=karl, opponents=[house["thumb"]], game=GAME, blocks=2, by=author)
    for table in leases.take(block_id=experiment.tournament.blocks.first().pk, owner="w1"):
        assert land(table)
    return experiment


@pytest.mark.slow
def test_an_author_asks_for_a_challenge_on_the_site_and_follows_it(client, house, karl):
    client.force_login(karl.bot.owner)
    page = client.get("/experiments/new/", {"version": karl.pk, "opponents": "house/thumb"})
    assert "house/thumb" in page.text
    assert len(re.findall(r">\s*Starten\s*</button>", client.get("/de/experiments/new/").text)) == 3
    asked = {"kind": "challenge", "version": karl.pk, "opponents": "tumb", "game": GAME, "blocks": 2}
    refused = client.post("/experiments/new/", asked)
    assert refused.status_code == 422
    assert "There is no bot &#x27;tumb&#x27;" in refused.text
    begun = client.post("/experiments/new/", asked | {"opponents": "thumb"})
    experiment = Experiment.objects.get()
    assert begun.url == experiment.get_absolute_url()
    assert "0 of 2 blocks are over" in client.get(begun.url).text
    assert str(experiment) in client.get("/experiments/").text
    assert "Accept no challenges" in client.get(karl.bot.get_absolute_url()).text
    client.post(f"{karl.bot.get_absolute_url()}challenges/", {"accepted": "no"})
    assert "Accept challenges" in client.get(karl.bot.get_absolute_url()).text
    client.post(f"{begun.url}cancel/")
    experiment.tournament.refresh_from_db()
    assert experiment.tournament.state == "cancelled"


@pytest.mark.slow
def test_others_find_nothing_of_an_experiment(client, played, person):
    page = played.get_absolute_url()
    block = played.tournament.blocks.first()
    table = block.tables.first()
    author = played.version.bot.owner
    anywhere = [
        page,
        f"/api/v1/experiments/{played.pk}/",
        f"/api/v1/experiments/{played.pk}/records/",
        f"/tournaments/{played.tournament.slug}/",
        f"/api/v1/tournaments/{played.tournament.slug}/",
        f"/blocks/{block.pk}/",
        f"/deals/{block.pk}/1/",
        f"/r/{table.pk}/",
        f"/r/{table.pk}/record.json",
        f"/api/v1/tables/{table.pk}/record/",
    ]
    lists = [
        "/",
        "/tournaments/",
        "/api/v1/tournaments/",
        "/api/v1/bots/ada/karl/matches/",
        "/bots/ada/karl/",
        "/feed/",
    ]
    client.force_login(person("bob"))
    for address in anywhere:
        assert client.get(address).status_code in (403, 404), address
    for address in lists:
        assert played.tournament.slug not in client.get(address).text, address
        assert f"/r/{table.pk}/" not in client.get(address).text, address
    client.force_login(author)
    assert "1 of 2 blocks are over" in client.get(page).text
    assert played.get_absolute_url() in client.get(f"/r/{table.pk}/").text
    assert client.get(f"/api/v1/tables/{table.pk}/record/").json()["seats"]
    for address in lists:
        assert f"/r/{table.pk}/" not in client.get(address).text, address
    running = played.tournament.blocks.last().tables.first()
    assert client.get(f"/r/{running.pk}/").status_code == 404


def test_the_page_shows_what_is_left_and_asks_before_equal_programs_play(
    client, house, karl, submitted, settings
):
    settings.RATES = {**settings.RATES, "comparisons": {"account": (50, 86_400)}}
    newer = submitted(karl.bot.owner)
    for version, notes in ((karl, "One."), (newer, "Two.")):
        files = {"bot.py": "from stichkampf import Bot", "README.md": notes}
        version.archive.save("karl.zip", ContentFile(archive(files)))
    client.force_login(karl.bot.owner)
    assert "ask for 50 of 50 blocks a day" in client.get("/experiments/new/").text
    asked = {"kind": "comparison", "version": newer.pk, "against": karl.pk, "game": GAME, "blocks": 32}
    refused = client.post("/experiments/new/", asked)
    assert refused.status_code == 422
    assert "are the same program" in refused.text
    assert "Play it all the same" in refused.text
    assert client.post("/experiments/new/", asked | {"same_program": "on"}).status_code == 302
    assert "ask for 18 of 50 blocks a day" in client.get("/experiments/new/").text


def test_the_api_begins_an_experiment_and_tells_how_it_stands(client, house, token, submitted, settings):
    header = token("ada")
    from_json = {"content_type": "application/json", "headers": header}
    karl = submitted(User.objects.get(username="ada"))
    versions = "/api/v1/bots/ada/karl/versions/"
    wrong = client.post(f"{versions}1/challenges/", {"game": GAME, "opponents": ["nemo"]}, **from_json)
    assert (wrong.status_code, wrong.json()["detail"][:22]) == (400, "There is no bot 'nemo'")
    none = client.post(f"{versions}1/challenges/", {"game": GAME, "opponents": []}, **from_json)
    assert "Name at least one opponent" in none.json()["detail"]
    made = client.post(f"{versions}1/challenges/", {"game": GAME, "opponents": ["thumb"]}, **from_json)
    assert made.status_code == 201, made.text
    told = client.get(f"/api/v1/experiments/{made.json()['id']}/", headers=header).json()
    assert (told["bot"], told["state"], told["standing"]["blocks"]) == ("ada/karl", "running", 20)
    assert told["standing"]["differences"][0]["opponent"] == "house/thumb"
    submitted(karl.bot.owner)
    asked = {"game": GAME, "against": 1, "blocks": 32}
    assert client.post(f"{versions}2/comparisons/", asked, **from_json).status_code == 201
    empty = client.post(f"{versions}2/counterfactuals/", asked, **from_json)
    assert "has no past block" in empty.json()["detail"]
    alike = {"bot.py": "from stichkampf import Bot"}
    for number, version in enumerate(karl.bot.versions.all()):
        files = alike | {"README.md": f"{number}"}
        version.archive.save("karl.zip", ContentFile(archive(files)))
    for kind in ("comparisons", "counterfactuals"):
        slip = client.post(f"{versions}2/{kind}/", asked, **from_json)
        assert (slip.status_code, "are the same program" in slip.json()["detail"]) == (409, True)
    meant = client.post(f"{versions}2/comparisons/", asked | {"same_program": True}, **from_json)
    assert meant.status_code == 201
    client.post(f"/api/v1/experiments/{meant.json()['id']}/cancel/", headers=header)
    settings.RATES = {**settings.RATES, "counterfactuals": {"account": (9, 86_400), "version": (5, 86_400)}}
    quotas = [
        client.get(at, headers=header).json() for at in ("/api/v1/experiments/quota/", f"{versions}2/quota/")
    ]
    assert [(one["kind"], one["most"], one["left"]) for quota in quotas for one in quota] == [
        ("counterfactual", 9, 9), ("counterfactual", 5, 5)
    ]  # fmt: skip
    assert client.get(f"{versions}2/quota/", headers=token("bob")).status_code == 404
    over = client.post(f"/api/v1/experiments/{made.json()['id']}/cancel/", headers=header)
    assert over.json()["state"] == "cancelled"
    listed = client.get("/api/v1/experiments/", headers=header).json()["results"]
    assert [one["kind"] for one in listed] == ["comparison", "comparison", "challenge"]


@pytest.mark.parametrize(("kind", "command"), [
    ("challenge", "challenge karl thumb"), ("comparison", "compare karl@2 karl@1"),
    ("counterfactual", "counterfactual karl@2 karl@1"),
])  # fmt: skip
def test_a_way_to_begin_is_one_row_for_page_api_and_command(kind, command, person, client):
    row, ann = BEGIN[kind], person("ann")
    need = row.needs["blocks"]
    form = ExperimentForm(kind, owner=ann)
    assert form.fields.keys() == {"version", *(name for name, each in row.needs.items() if each.label)}
    on_page = form.fields["blocks"]
    assert (on_page.label, on_page.help_text) == (need.label, need.note)
    assert (on_page.min_value, on_page.max_value, on_page.initial) == (need.least, need.most, need.default)
    client.force_login(ann)
    assert f'<h2 id="{kind}">{row.words}</h2>' in client.get("/experiments/new/").content.decode()
    described = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    path = f"/api/v1/bots/{{author}}/{{slug}}/versions/{{number}}/{kind}s/"
    assert described["paths"][path]["post"]["description"].lower().startswith(row.meaning)
    fields = described["components"]["schemas"][kind.capitalize()]["properties"]
    assert fields.keys() == row.needs.keys()
    assert (fields["blocks"]["maximum"], fields["blocks"]["default"]) == (need.most, need.default)
    assert command_parser().parse_args(command.split()).blocks == need.default


def test_a_field_that_no_experiment_has_is_refused(client, person, submitted):
    version = submitted(person("ann"))
    client.force_login(version.bot.owner)
    path = f"/api/v1{version.bot.get_absolute_url()}versions/{version.number}/challenges/"
    sent = {"game": "sticheln", "opponents": ["thumb"], "block": 3}
    answer = client.post(path, json.dumps(sent), content_type="application/json")
    assert answer.status_code == 400
    assert "There is no such field; there are game, opponents, blocks" in str(answer.json())


@pytest.mark.slow
def test_a_comparison_of_several_versions_names_the_bot_once_and_the_versions_by_number(
    client, person, submitted, land
):
    ada = person("ada")
    first, second, third, against = (submitted(ada) for _ in range(4))
    experiment = services.compare(
        version=first, against=against, also=[second, third], game=GAME, blocks=200, by=ada, same_program=True
    )
    assert str(experiment) == "Comparison: ada/karl v1 and v2, v3, v4"
    for table in leases.take(block_id=experiment.tournament.blocks.first().pk, owner="w1"):
        assert land(table)
    client.force_login(ada)
    page = client.get(experiment.get_absolute_url()).text
    rows = [
        " ".join(re.sub("<[^>]+>", " ", row).split()) for row in re.findall("<tr>.*?</tr>", page, re.DOTALL)
    ]
    told = [row for row in rows if " against v4" in row]
    assert [row.split()[0] for row in told] == ["v1", "v2", "v3"]
    assert told[-1].count("no interval yet") == 2
    assert any(row.startswith("Block 1, table 1 ") for row in rows)
    assert not any("ada/karl" in row for row in rows)
