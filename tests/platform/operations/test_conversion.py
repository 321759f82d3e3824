"""An installation of commit 8c9bc60f taken over: `installation-8c9bc60f.sql` is its database, as its own
programs filled it; of its tournaments two are over, one is a draft, and a ladder goes on.
"""

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from documents import typed_lines
from stichkampf_platform.operations import conversion
from stichkampf_platform.operations.conversion import CannotConvert, convert
from stichkampf_platform.people.models import ApiToken, Notice
from stichkampf_platform.ratings.queries import due
from stichkampf_platform.ratings.standings import standings_csv
from stichkampf_platform.tournaments import leases
from stichkampf_platform.tournaments.models import Entrant, Fault, Tournament
from stichkampf_platform.tournaments.running import due_steps
from terminal import Terminal

DUMP = Path(__file__).with_name("installation-8c9bc60f.sql")
NEVER_COPIED = {"django_migrations", "sqlite_sequence", "people_apitoken"}


@pytest.fixture(scope="module")
def dumped(tmp_path_factory):
    path = tmp_path_factory.mktemp("before") / "before.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(DUMP.read_text())
    return path


@pytest.fixture
def before(dumped, tmp_path):
    """Run a statement in the earlier database, and return its file's address."""
    path = tmp_path / "before.sqlite3"
    path.write_bytes(dumped.read_bytes())

    def changed(statement=""):
        with closing(sqlite3.connect(path)) as database:
            database.execute(statement)
            database.commit()
        return f"sqlite:///{path}"

    return changed


@pytest.fixture
def converted(before, db):
    yield convert(before())
    ContentType.objects.clear_cache()


def rows_of(path):
    """Return the rows of each table that has any, each by its columns."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: list(map(dict, database.execute(f'SELECT * FROM "{name}"'))) for name in tables}
    return {name: rows for name, rows in found.items() if rows}


def test_every_row_is_there_as_it_was_stored(dumped, before, tmp_path):
    server = Terminal(
        tmp_path,
        stands_for={"/var/lib/stichkampf/before.sqlite3": before().removeprefix("sqlite:///")},
        DATABASE_URL=f"sqlite:///{tmp_path / 'new.sqlite3'}",
        STICHKAMPF_STATE_DIR=str(tmp_path),
        DJANGO_SETTINGS_MODULE="stichkampf_platform.settings.base",
    )
    (line,) = typed_lines("docs/operators.md", "python -m stichkampf_platform convert_installation")
    assert "rows of 28 tables were taken over" in server.type(line)
    assert "has accounts already" in server.type(f"{line} 2>&1", statuses=[1])

    old, new = rows_of(dumped), rows_of(tmp_path / "new.sqlite3")
    names = {there: here for here, there in conversion.TABLES.items()}
    made = set(conversion.COLUMNS) | {("tournaments_fault", "decision"), ("people_notice", "evidence")}
    for table in old.keys() - NEVER_COPIED:
        here = names.get(table, table)
        for was, stays in zip(old[table], new[here], strict=False):  # permissions of newer models follow
            kept = {column for column in was.keys() & stays if (here, column) not in made}
            if was.get("place", "") is None:  # by Elo: see the places below
                kept -= {"place"}
            assert {column: was[column] for column in kept} == {column: stays[column] for column in kept}
            assert len(was) - len(kept) <= 4
        assert len(new[here]) == len(old[table]) or table.startswith(("auth_", "django_content_type"))
    assert len(new["ratings_rating"]) == 33


def test_what_is_newer_is_filled_in_by_the_rules_of_then(converted):
    connection.check_constraints()
    entrant = Entrant.objects.exclude(out_at=None).get()
    assert (entrant.out_as, entrant.out_for) == (Entrant.OutAs.DISQUALIFIED, "It slept.")
    released = dict(Tournament.objects.values_list("slug", "released"))
    assert released == {"cup": True, "swiss": True, "stiche-raten-ladder": True, "next-cup": False}
    cup = Tournament.objects.get(slug="cup")
    assert cup.result_told_at == cup.finished_at
    assert set(cup.snapshots.values_list("forfeit_rule", flat=True)) == {"void"}
    assert [token.scope for token in ApiToken.objects.all()] == ["author"]
    may = Group.objects.get(name="Organisers").permissions
    assert {"change_ruling", "view_table", "view_collusionsignal"} <= set(
        may.values_list("codename", flat=True)
    )


def test_what_was_over_keeps_the_places_and_points_that_its_pages_showed(converted):
    due_steps.advance_tournaments()
    found = {}
    for slug in ("cup", "swiss"):
        over = Tournament.objects.get(slug=slug)
        assert not due(over.ladder, over), "nothing is rated again"
        text = "".join(standings_csv(over))
        found[slug] = [
            f"{line['place']} {line['bot']} {line['points']} {line['elo']}".replace("house/", "")
            for line in csv.DictReader(text.splitlines())
        ]
    # copied from the `standings.csv` that 8c9bc60f wrote of this database; its disqualified bot had a place
    assert found["cup"] == [
        "1 thumb  1635.6390",
        "2 worrier  1585.1700",
        "3 random  1279.1910",
        "4 glimpse  1279.1910",
    ]
    assert found["swiss"] == [
        "1 glimpse 1.3333 1572.9051",
        "2 worrier 1.0833 1467.5944",
        "3 timid 1.0833 1467.5944",
        "4 thumb 0.8333 1459.5005",
        "5 bold 0.8333 1362.7314",
        "6 flat 0.8333 1362.7314",
    ]


def test_faults_and_the_evidence_of_notices_name_the_decision(converted):
    assert converted.faults_without_record == 0
    first = Fault.objects.order_by("pk").first()
    assert (first.deal, first.decision) == (0, first.move + 1)
    assert Notice.objects.get().evidence[0]["address"] == f"/r/{first.result.seat.table_id}/{first.decision}"


def test_a_ladder_goes_on_where_it_stood(converted, land):
    ladder = Tournament.objects.get(slug="stiche-raten-ladder")
    begun = ladder.blocks.filter(over_at=None)[0]
    for table in leases.take(block_id=begun.pk, owner="w1"):
        assert land(table)
    due_steps.advance_tournaments()
    assert ladder.blocks.filter(over_at=None).count() == 2
    assert ladder.blocks.exclude(over_at=None).count() == 5


RUNNING = "UPDATE tournaments_tournament SET state = 'paused' WHERE slug = 'cup'"
LEASED = "UPDATE tournaments_table SET lease_until = '2999-01-01 00:00:00' WHERE state = 'open'"
OTHER = "DELETE FROM django_migrations WHERE name = '0013_weight_class'"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (RUNNING, "1 tournaments are being played or paused there, first 'Cup'"),
        (LEASED, "8 tables or validations are under way there. Run its `drain`"),
        (OTHER, "The newest migration of bots is 0012_stored_sentences there, and 0013_weight_class in"),
        ("DROP TABLE django_migrations", "The newest migration of bots is none there"),
    ],
)
def test_an_installation_that_is_not_at_rest_or_another_is_refused(before, statement, told):
    with pytest.raises(CannotConvert) as refused:
        convert(before(statement))
    assert told in str(refused.value)
    assert not Tournament.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("before.sqlite3", "is no address of a database"),
        ("mysql://localhost/before", "is of another kind than DATABASE_URL"),
        ("sqlite:////nowhere/before.sqlite3", "There is no file /nowhere/before.sqlite3."),
    ],
)
def test_an_address_without_such_a_database_is_refused(url, told):
    with pytest.raises(CommandError) as refused:
        call_command("convert_installation", url)
    assert told in str(refused.value)


@pytest.mark.django_db
def test_an_upgrade_of_a_database_of_before_names_the_conversion():
    MigrationRecorder.Migration.objects.create(app="people", name="0013_tokens_for_classes")
    with pytest.raises(CommandError) as refused:
        call_command("upgrade")
    assert "convert_installation" in str(refused.value)
