"""One row an action: buttons, lists, the API and its description are made of it."""

import importlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.urls import clear_url_caches, resolve
from documents import typed_lines
from stichkampf.cli import main
from stichkampf.cli.organise import actions as command
from stichkampf.cli.server import site
from stichkampf_platform import urls
from stichkampf_platform.api import urls as api_urls
from stichkampf_platform.api.classes import views as api_classes
from stichkampf_platform.api.management.commands.describe_actions import described_rows, with_tables
from stichkampf_platform.api.serializers import organising as serializers
from stichkampf_platform.api.views import bots as api_bots
from stichkampf_platform.api.views import experiments as api_experiments
from stichkampf_platform.api.views import index, organising
from stichkampf_platform.bots import actions as bots
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.classes import closing, export
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.core.actions import Action, Export, Need
from stichkampf_platform.desk.tournaments.form import form_for
from stichkampf_platform.experiments import services as experiments
from stichkampf_platform.experiments.models import Experiment
from stichkampf_platform.ratings.organising import ACTIONS, EXPORTS
from stichkampf_platform.tournaments.entry.setting_rows import COLUMNS, PARTS, SENT, SETTINGS
from stichkampf_platform.tournaments.models import Tournament
from stichkampf_platform.tournaments.progress_models import ProgressCounts
from stichkampf_platform.web import file_urls
from stichkampf_platform.web import urls as web_urls
from stichkampf_platform.web.experiments import urls as experiment_urls

ROOT = Path(__file__).parents[3]
LIST = "/admin/tournaments/tournament/"
API = "/api/v1/organiser/tournaments/a-test/"


def rename(tournament, by, name, sure):
    Tournament.objects.filter(pk=tournament.pk).update(name=name)


ROW = Action(
    "Rename …", "Renamed.", "give it another name", rename, lambda one: one.state == "draft",
    needs={
        "name": Need(str, "Its new name.", most=20),
        "sure": Need(bool, "The old name is lost.", False),
    },
    question=lambda chosen: "The old name is lost.", confirmed_by="sure", title="Rename?", yes="Do rename",
)  # fmt: skip


def make_addresses_again():
    for module in (
        *(organising, api_bots, api_classes, api_experiments, api_urls),
        *(experiment_urls, file_urls, urls),
    ):
        importlib.reload(module)
    for included in web_urls.urlpatterns:
        vars(included).pop("url_patterns", None)
    clear_url_caches()
    index._description.cache_clear()


@pytest.fixture
def draft(monkeypatch, client, person, make_tournament):
    """A draft of an organiser who is signed in, after a row was added from outside."""
    with monkeypatch.context() as patched:
        patched.setitem(ACTIONS, "rename", ROW)
        make_addresses_again()
        chief = person("chief", is_staff=True, is_superuser=True)
        client.force_login(chief)
        yield make_tournament(created_by=chief)
    make_addresses_again()


def press(client, draft, **more):
    fields = {"action": "rename", "_selected_action": draft.pk, "index": 0, "from_page": "yes", **more}
    return client.post(LIST, fields, follow=True).content.decode()


@pytest.mark.slow
def test_an_added_row_is_a_button_and_an_entry_of_the_list_and_asks_first(client, draft):
    assert 'name="action" value="rename">Rename …</button>' in client.get(
        f"{LIST}{draft.pk}/change/"
    ).content.decode().replace("\n", "")
    assert '<option value="rename">Rename …</option>' in client.get(LIST).content.decode()
    asked = press(client, draft)
    assert "The old name is lost." in asked
    assert 'value="Do rename"' in asked
    assert "Renamed." in press(client, draft, name="Sunday", confirmed="yes")
    assert Tournament.objects.get().name == "Sunday"
    assert LogEntry.objects.get().change_message == "Renamed."


@pytest.mark.slow
def test_an_added_row_stands_on_the_organisers_page_of_the_site(client, draft):
    page = client.get("/organise/").content.decode()
    assert '<option value="rename">Rename …</option>' in page
    assert '<option value="resume">' not in page


@pytest.mark.slow
def test_an_added_row_is_an_address_of_the_api_that_asks_first_and_checks_what_it_takes(client, draft):
    def send(**fields):
        return client.post(f"{API}rename/", json.dumps(fields), content_type="application/json")

    assert "rename" in client.get(API).json()["possible"]
    assert 'send {"sure": true}' in send(name="Monday").json()["detail"]
    assert send(name="Monday" * 9, sure=True).status_code == 400
    assert send(name="Monday", sure=True).json()["name"] == "Monday"


@pytest.mark.slow
def test_an_added_row_is_described_by_the_api(client, draft):
    asked = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    described = asked["paths"]["/api/v1/organiser/tournaments/{slug}/rename/"]["post"]
    assert described["description"].startswith("Give it another name.")
    assert asked["components"]["schemas"]["Rename"]["properties"]["name"]["maxLength"] == 20


@pytest.fixture
def posted(monkeypatch, tmp_path):
    """Run `stichkampf organise` with the actions as they are declared now; returns what it would send."""
    calls = []
    listed = tmp_path / "actions.json"
    listed.write_text(described_rows())
    monkeypatch.setattr(command, "LISTED", listed)
    monkeypatch.setattr(
        site.SiteApi, "known", classmethod(lambda *_words: site.SiteApi("http://site.test", ""))
    )
    monkeypatch.setattr(
        site.SiteApi, "post", lambda _site, path, fields, *_shown: calls.append((path, fields)) or {}
    )

    def run(*words, command="organise"):
        assert main((command, *words, "--json")) == 0
        return calls.pop()

    return run


@pytest.mark.slow
def test_an_added_row_is_a_word_of_the_command(draft, posted):
    sent = posted("rename", "a-test", "--name", "Monday", "--sure")
    assert sent == ("organiser/tournaments/a-test/rename/", {"name": "Monday", "sure": True})


def test_the_command_has_every_row_and_sends_what_each_takes(posted):
    assert command.LISTED.read_text() == (ROOT / "sdk/stichkampf/cli/organise/actions.json").read_text(), (
        "run make actions"
    )
    cup = "organiser/tournaments/cup"
    assert posted("start", "cup") == (f"{cup}/start/", {"without_absent": False})
    assert posted("cancel", "cup", "--yes") == (f"{cup}/cancel/", {"confirmed": True})
    assert posted("final", "cup") == (f"{cup}/final/", {"best": 8})
    assert posted("again", "cup", "2", "--reason", "No light.") == (
        f"{cup}/blocks/1/again/", {"reason": "No light."}
    )  # fmt: skip
    assert posted("expel", "cup", "ann") == (f"{cup}/members/ann/expel/", {})
    assert posted("withdraw", "cup", "ann/karl v3", "--reason", "Ill.") == (
        f"{cup}/withdraw/", {"reason": "Ill.", "entrant": "ann/karl v3"}
    )  # fmt: skip


def test_what_authors_and_teachers_can_do_are_words_of_a_command_and_addresses(posted):
    words = {
        "challenges": ("ann/karl", "--no-accepted"), "entries": ("ann/karl", "--accepted"),
        "rank": ("ann/karl", "3"), "cancel": ("12",), "end": ("5", "--saved"),
        "public": ("5",), "private": ("5",), "remove": ("5", "7"), "password": ("5", "7"),
    }  # fmt: skip
    tables = (bots.CONSENTS, bots.AUTHOR_ACTIONS, experiments.ACTIONS, closing.ACTIONS, closing.PUPIL_ACTIONS)
    assert words.keys() == {name for rows in tables for name in rows}
    sent = {name: posted(name, *given, command="act") for name, given in words.items()}
    for address, _fields in sent.values():
        assert "post" in resolve(f"/api/v1/{address}").func.actions, address
    assert sent["challenges"] == ("bots/ann/karl/challenges/", {"accepted": False})
    assert sent["rank"] == ("bots/ann/karl/versions/3/rank/", {})
    assert sent["end"] == ("classes/5/end/", {"saved": True})
    assert sent["password"] == ("classes/5/people/7/password/", {})


def test_an_added_row_of_authors_is_a_button_and_an_address(monkeypatch, client, submitted, person):
    row = bots._consent(
        "accepts_challenges", "say if others may spar with it", ("No sparring.", "Spar"), ("Sparring.", "End")
    )
    with monkeypatch.context() as patched:
        patched.setitem(bots.CONSENTS, "sparring", row)
        make_addresses_again()
        bot = submitted(person("ann")).bot
        client.force_login(bot.owner)
        page = bot.get_absolute_url()
        assert f'action="{page}sparring/"' in client.get(page).content.decode()
        told = client.post(f"{page}sparring/", {"accepted": "no"}, follow=True).content.decode()
        assert "No sparring." in told
        assert client.post(f"/api/v1{page}sparring/", {"accepted": True}).json() == {"accepted": True}
        assert not row.useful(Bot.objects.get(pk=bot.pk))
    make_addresses_again()


def test_what_may_be_undone_names_a_row_that_undoes_it():
    assert {row.undone_by for row in ACTIONS.values()} - {""} <= ACTIONS.keys()
    asking = {name for name, row in ACTIONS.items() if row.confirmed_by}
    assert asking == {name for name, row in ACTIONS.items() if row.title and row.yes}
    assert all(row.confirmed_by in row.needs for row in ACTIONS.values() if row.confirmed_by)


def test_every_setting_is_in_the_form_with_its_words_and_bounds():
    fields = form_for("sticheln", 4, None)().fields
    on_page = {name for name, row in SETTINGS.items() if row.part}
    assert {name for name in fields if not name.startswith("option_")} == {*on_page, "seen", "seeding"}
    assert {row.part for row in SETTINGS.values()} == {*PARTS, ""}
    for name in on_page:
        row = SETTINGS[name]
        assert name in ("options", "time_zone") or fields[name].help_text.startswith(str(row.note))
        assert row.most is None or (fields[name].min_value, fields[name].max_value) == (row.least, row.most)


def test_every_setting_is_described_by_the_api_the_document_and_the_command(client):
    described = client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"}).json()
    shown = described["components"]["schemas"]["Settings"]["properties"]
    assert shown.keys() == set(SENT)
    for name in ("organisers.md", "experiments.md", "rating-model.md"):
        listed = (ROOT / "docs" / name).read_text()
        assert with_tables(listed) == listed, "run make actions"
    document = (ROOT / "docs/organisers.md").read_text()
    listed = {each["name"]: each for each in command.declared()["settings"]}
    for name in SENT:
        told = SETTINGS[name].told
        assert told
        assert told.strip(".") in str(shown[name]["description"])
        assert f"| `{name}` | {told}" in document
        assert listed[name]["meaning"].startswith(told)
        if SETTINGS[name].most is not None:
            assert (shown[name]["minimum"], shown[name]["maximum"]) == SETTINGS[name].bounds


def test_an_altered_setting_is_told_by_form_api_document_and_command(monkeypatch):
    told = "Faults that are too many for one match."
    row = replace(SETTINGS["fault_allowance"], meaning=told, most=7)
    with monkeypatch.context() as patched:
        patched.setitem(SETTINGS, "fault_allowance", row)
        field = form_for("sticheln", 4, None)().fields["fault_allowance"]
        assert "From 0 to 7." in field.help_text
        assert field.widget.attrs["max"] == 7
        with pytest.raises(ValidationError):
            field.clean("8")
        assert f"| `fault_allowance` | {told}" in with_tables((ROOT / "docs/organisers.md").read_text())
        listed = {each["name"]: each["meaning"] for each in json.loads(described_rows())["settings"]}
        assert listed["fault_allowance"].startswith(told)
        importlib.reload(serializers)
        assert serializers.SettingsSerializer().fields["fault_allowance"].help_text == told
    importlib.reload(serializers)


def test_a_tournament_begins_with_the_defaults_of_its_settings():
    begun = Tournament()
    for name in COLUMNS:
        default = SETTINGS[name].default
        usual = default() if callable(default) and not isinstance(default, str) else default
        assert usual is None or getattr(begun, name) == usual, name


@pytest.mark.slow
def test_an_added_file_is_on_both_pages_in_the_api_the_document_and_the_command(
    monkeypatch, client, draft, make_tournament
):
    row = Export("text/plain", lambda tournament: [f"{tournament.name}\n"], "its name")
    monkeypatch.setitem(EXPORTS, "name.txt", row)
    cup = make_tournament(slug="cup", created_by=draft.created_by)
    Tournament.objects.filter(pk=cup.pk).update(state="running")
    assert "name.txt</a>" in client.get(f"{LIST}{cup.pk}/change/").content.decode()
    assert "name.txt</a>" in client.get("/tournaments/cup/").content.decode()
    for address in ("/tournaments/cup/export/name.txt", f"{LIST}{cup.pk}/export/name.txt",
                    "/api/v1/organiser/tournaments/cup/export/name.txt"):  # fmt: skip
        assert b"".join(client.get(address)) == f"{cup.name}\n".encode(), address
    assert "| `name.txt` | its name |" in with_tables((ROOT / "docs/organisers.md").read_text())
    told = {"name": "name.txt", "on": "tournament", "meaning": "its name", "address": "export/name.txt"}
    assert told in json.loads(described_rows())["files"]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "files"), [("class", export.EXPORTS), ("experiment", experiments.EXPORTS)])
def test_an_added_file_of_a_class_or_an_experiment_is_in_every_face(
    kind, files, monkeypatch, client, submitted, person
):
    row = Export("text/plain", lambda on: [f"{on}\n"], "its name", "Name as a file")
    with monkeypatch.context() as patched:
        patched.setitem(files, "name.txt", row)
        make_addresses_again()
        if kind == "class":
            owner = person("ann")
            owner.groups.add(Group.objects.get(name="Teachers"))
            made = SchoolClass.objects.create(name="5b", teacher=owner, code="abcd")
        else:
            version = submitted(person("ann"))
            owner = version.bot.owner
            cup = Tournament.objects.create(
                name="A test",
                slug="a-test",
                game="sticheln",
                seats=4,
                created_by=owner,
                experiment=True,
                blocks_planned=1,
            )
            made = Experiment.objects.create(tournament=cup, kind="challenge", version=version)
            ProgressCounts.objects.update_or_create(tournament=cup, defaults={"blocks": 1, "blocks_over": 1})
        client.force_login(owner)
        assert "Name as a file</a>" in client.get(made.get_absolute_url()).content.decode()
        path = f"{'classes' if kind == 'class' else 'experiments'}/{made.pk}/name.txt"
        for address in (f"/api/v1/{path}", *([f"/{path}"] if kind == "class" else [])):
            assert b"".join(client.get(address)) == f"{made}\n".encode(), address
        document = ROOT / "docs" / ("organisers.md" if kind == "class" else "experiments.md")
        assert "| `name.txt` | its name |" in with_tables(document.read_text())
        told = {"name": "name.txt", "on": kind, "meaning": "its name", "address": "name.txt"}
        assert told in json.loads(described_rows())["files"]
    make_addresses_again()


def test_a_file_of_a_class_is_written_by_the_command(monkeypatch, tmp_path, posted, capsys):
    asked = []
    monkeypatch.setattr(site.SiteApi, "file", lambda _site, path: asked.append(path) or [b"PK", b"12"])
    for line in (*typed_lines("docs/organisers.md", "stichkampf act"),
                 *typed_lines("docs/experiments.md", "stichkampf act")):  # fmt: skip
        assert main(line.split()[1:]) == 0
    assert asked == ["classes/12/progress.csv", "experiments/12/records/"]
    assert capsys.readouterr().out == 2 * "PK12"
    kept = tmp_path / "kept.zip"
    assert main(("act", "export", "class", "5", "export.zip", "-o", str(kept))) == 0
    assert (asked.pop(), kept.read_bytes()) == ("classes/5/export.zip", b"PK12")
    capsys.readouterr()
    assert main(("act", "export", "class", "5", "export.zip")) != 0
    assert main(("act", "export", "experiment", "7", "progress.csv")) != 0
    told = capsys.readouterr().err
    assert "export.zip is no text" in told
    assert "there are records.jsonl" in told
    assert len(asked) == 2
