"""Migrations suit programs of an earlier version, which read and write on while a newer one migrates."""

from django.db import migrations
from django.db.migrations.loader import MigrationLoader

NEWEST_THEN = {"bots": 10, "people": 5, "ratings": 7, "storage": 2, "tournaments": 15}
"""The newest migration of each app in that version, the last one before there were several machines."""
TAKES_AWAY = (
    migrations.DeleteModel,
    migrations.RemoveField,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)


def operations():
    """Yield the app, the operation, and whether the earlier version has it already, in order."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if migration.__module__.startswith("stichkampf_platform."):
            for operation in migration.operations:
                yield app, operation, int(name[:4]) <= NEWEST_THEN.get(app, 0)


def test_rows_that_an_earlier_version_adds_have_a_value_in_every_newer_column():
    models = {
        (app, operation.name_lower)
        for app, operation, known in operations()
        if known and isinstance(operation, migrations.CreateModel)
    }
    added = [
        (app, operation.model_name, operation.field)
        for app, operation, known in operations()
        if not known
        and isinstance(operation, migrations.AddField)
        and (app, operation.model_name_lower) in models
    ]
    assert len(added) > 20
    assert [each for each in added if not (each[2].null or each[2].has_db_default())] == []


def test_nothing_is_taken_away_that_an_earlier_version_reads():
    newer = [(app, operation) for app, operation, known in operations() if not known]
    assert [each for each in newer if isinstance(each[1], TAKES_AWAY)] == []
