"""The schema of the database beside the migrations of this program."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration


def missing_migrations(executor: MigrationExecutor) -> list[Migration]:
    """Return the migrations of this program that are not applied, in their order."""
    return [migration for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def schema_is_current() -> bool:
    """Tell whether every migration of this program is applied."""
    return not missing_migrations(MigrationExecutor(connection))
