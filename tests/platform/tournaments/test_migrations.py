"""Migration from the schema before tournaments named their ladders, with rows in it."""

import pytest
from django.apps import apps as current
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.database

BEFORE = [("tournaments", "0008_names_without_hidden_signs"), ("ratings", "0004_evidence_of_gifts")]


@pytest.fixture
def migrate(transactional_db):
    """Migrate to these targets, or to the newest schema, and return the models of that moment."""

    def run(targets=None):
        executor = MigrationExecutor(connection)
        targets = targets or executor.loader.graph.leaf_nodes()
        executor.migrate(targets)
        return MigrationExecutor(connection).loader.project_state(targets).apps

    yield run
    run()


def make_rows(apps):
    ladder = apps.get_model("ratings", "Ladder").objects
    tournament = apps.get_model("tournaments", "Tournament").objects
    same = {"game": "mue", "seats": 4, "options": {}}
    main = ladder.create(slug="mue-4", options_digest="a", main=True, **same)
    ladder.create(slug="mue-4-b", options_digest="b", **same)
    ladder.create(slug="mue-5", options_digest="a", **{**same, "seats": 5})
    for state in ("draft", "running", "paused", "finished", "cancelled"):
        tournament.create(slug=state, name=state, state=state, options_digest="a", blocks_planned=1, **same)
    tournament.create(
        slug="other", name="other", state="finished", options_digest="c", blocks_planned=1, **same
    )
    return main.pk


@pytest.mark.slow
def test_a_tournament_that_was_started_gets_the_ladder_of_its_game_seats_and_options(migrate):
    main = make_rows(migrate(BEFORE))
    found = migrate().get_model("tournaments", "Tournament").objects.values_list("slug", "ladder")
    assert dict(found) == {
        "draft": None, "running": main, "paused": main, "finished": main, "cancelled": main, "other": None
    }  # fmt: skip


def test_the_ladder_keeps_its_table_content_type_and_permissions(db):
    ladder = current.get_model("ratings", "Ladder")
    assert ladder.__module__ == "stichkampf_platform.ladders.models"
    assert ladder._meta.db_table == "ratings_ladder"
    permissions = current.get_model("auth", "Permission").objects.filter(codename="view_ladder")
    assert permissions.get().content_type.natural_key() == ("ratings", "ladder")
