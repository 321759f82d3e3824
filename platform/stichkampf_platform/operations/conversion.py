"""Taking over an installation of commit 8c9bc60f, the last one that the first release converts.

Its database is only read. Its rows are copied into the tables of this version in a new database, with their
ids; what has been stored since is filled in as it was by the rules of then. The store stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dj_database_url
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.db.utils import load_backend
from stichkampf.match.records import decision_at

from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import PlatformError, RecordUnreadable
from stichkampf_platform.core.plain_rows import insert_rows, portions
from stichkampf_platform.people.groups import allow
from stichkampf_platform.people.models import ApiToken, Notice, User
from stichkampf_platform.ratings.queries import newest_snapshot, ratings_of
from stichkampf_platform.tournaments.formats import ENDLESS_FORMATS, shown_format
from stichkampf_platform.tournaments.models import Fault, MatchRecord, Tournament
from stichkampf_platform.tournaments.records.record_files import record_without

BEFORE = "8c9bc60f"
NEWEST_THEN = {
    "bots": "0013_weight_class",
    "classes": "0003_closed_accounts_get_pseudonyms",
    "core": "0003_node_interpreters",
    "experiments": "0001_experiments",
    "marks": "0002_continuations",
    "people": "0013_tokens_for_classes",
    "ratings": "0011_surprising_pairings",
    "storage": "0003_outbox",
    "tournaments": "0032_complaint_decisions",
}
"""Its newest migration of each app."""
OF_BEFORE = (
    f"The database is of a version before 1.0: see that it is one of {BEFORE}, name a new, empty one in"
    " DATABASE_URL, and run `convert_installation` with the address of this one."
)
TABLES = {"ladders_ladder": "ratings_ladder", "ratings_collusionsignal": "ratings_gift"}
"""Its names of tables, where they differ."""
COLUMNS = {
    ("django_content_type", "app_label"): (
        "CASE WHEN app_label = 'ratings' AND model = 'ladder' THEN 'ladders' ELSE app_label END"
    ),
    ("bots_version", "suspended_for"): (
        "CASE WHEN state <> 'suspended' THEN '' WHEN reason LIKE 'Of its last %' THEN 'faults'"
        " WHEN reason = 'By staff.' THEN 'staff' WHEN reason LIKE '%under the new rules%' THEN 'rules'"
        " WHEN reason LIKE '%not been connected%' THEN 'away' WHEN reason LIKE 'The house%' THEN 'newer'"
        " WHEN reason LIKE 'Its author%' THEN 'closed' ELSE '' END"
    ),
    ("people_knownaddress", "named_by_proxy"): "signed_up",
    ("ratings_snapshot", "forfeit_rule"): "'void'",
    ("tournaments_entrant", "out_at"): "disqualified_at",
    ("tournaments_entrant", "out_for"): "disqualified_for",
    ("tournaments_entrant", "out_as"): (
        "CASE WHEN disqualified_at IS NULL THEN '' WHEN set_aside THEN 'set aside' ELSE 'disqualified' END"
    ),
    ("tournaments_tournament", "released"): "state <> 'draft' AND NOT experiment",
    # authors of bots that an organiser chose are told of ends from now on, and not of all before
    ("tournaments_tournament", "result_told_at"): (
        "CASE WHEN state IN ('finished', 'cancelled') AND NOT EXISTS (SELECT 1 FROM tournaments_entry"
        " WHERE tournament_id = tournaments_tournament.id) THEN COALESCE(result_told_at, finished_at)"
        " ELSE result_told_at END"
    ),
}
"""Expressions there by table and column here, where it is not the column of the same name."""
EMPTY_AT_FIRST = {"cache", "django_session", "django_migrations"}
ROWS_AT_ONCE = 2000
MOVE = re.compile(r"/r/(\d+)/(?:at/(\d+)/(\d+)|deal/(\d+)/move/(\d+))")
"""The address of a decision by its deal and move, from 0 or from 1."""


class CannotConvert(PlatformError):
    """An installation that cannot be taken over as it is."""


@dataclass(frozen=True)
class Conversion:
    """The outcome: rows by table, and faults whose record is gone, so that no replay shows them."""

    rows: dict[str, int]
    faults_without_record: int


def is_of_before() -> bool:
    """Tell whether this database was made by a program of before the first release."""
    applied = MigrationRecorder(connection).applied_migrations()
    return ("people", "0013_tokens_for_classes") in applied


def convert(url: str) -> Conversion:
    """Fill this new database from that of an installation of 8c9bc60f.

    :raises CannotConvert: it is no such database, something is being played there, or this one has rows.
    """
    with closing(opened(url)) as before:
        if before.vendor != connection.vendor:
            raise CannotConvert(f"{url} is of another kind than DATABASE_URL: name one of the same kind.")
        _check_version(before)
        _check_at_rest(before)
        return _taken_over(before)


def _taken_over(before: BaseDatabaseWrapper) -> Conversion:
    call_command("migrate", interactive=False, verbosity=0)
    if User.objects.exists():
        raise CannotConvert("This database has accounts already: name a new, empty one in DATABASE_URL.")
    with transaction.atomic():  # the keys are checked at its end
        rows = copy_rows(before, TABLES, COLUMNS)
        ApiToken.objects.filter(scope="volunteer").delete()
        lost = _number_decisions()
        _keep_places()
    ContentType.objects.clear_cache()
    call_command("migrate", interactive=False, verbosity=0)  # makes the permissions of newer models
    allow(apps, "Organisers", "tournaments", {"ruling": ("change", "view")})
    return Conversion({table: number for table, number in rows.items() if number}, lost)


def kept_models() -> list[type[Model]]:
    """Return the models whose rows are copied."""
    return [
        model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.db_table not in EMPTY_AT_FIRST
    ]


def copy_rows(
    before: BaseDatabaseWrapper, tables: Mapping[str, str], columns: Mapping[tuple[str, str], str]
) -> dict[str, int]:
    """Replace what migrations have made here by all rows of there; return their number by table.

    Call it in a transaction: the keys are checked at its end.

    :param tables: names there, where they differ.
    :param columns: expressions there, where it is not the column of the same name.
    """
    models = kept_models()
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
    rows = {model._meta.db_table: _copy(before, model, tables, columns) for model in models}
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
    return rows


def opened(url: str) -> BaseDatabaseWrapper:
    """Open another database.

    :raises CannotConvert: there is none at this address.
    """
    try:
        settings = connections.configure_settings({"default": dict(dj_database_url.parse(url))})["default"]
    except ValueError as error:
        raise CannotConvert(f"{url!r} is no address of a database as DATABASE_URL has it.") from error
    if settings["ENGINE"] not in (connection.settings_dict["ENGINE"], "django.db.backends.sqlite3"):
        raise CannotConvert(f"{url} is of another kind than DATABASE_URL: name one of the same kind.")
    if settings["ENGINE"].endswith("sqlite3") and not Path(settings["NAME"]).is_file():
        raise CannotConvert(f"There is no file {settings['NAME']}.")
    return load_backend(settings["ENGINE"]).DatabaseWrapper(settings, "before")  # type: ignore[no-any-return]


def _check_version(before: BaseDatabaseWrapper) -> None:
    newest: dict[str, str] = {}
    with before.cursor() as cursor:
        if "django_migrations" in before.introspection.table_names(cursor):
            cursor.execute("SELECT app, MAX(name) FROM django_migrations GROUP BY app")
            newest = dict(cursor.fetchall())
    for app, name in NEWEST_THEN.items():
        if newest.get(app) != name:
            raise CannotConvert(
                f"The newest migration of {app} is {newest.get(app, 'none')} there, and {name} in {BEFORE}:"
                f" only an installation of that commit is converted. Upgrade it to {BEFORE} first."
            )


def _check_at_rest(before: BaseDatabaseWrapper) -> None:
    check_nothing_leased(before)
    marks = ", ".join(["%s"] * len(ENDLESS_FORMATS))
    with before.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM tournaments_tournament WHERE state IN ('running', 'paused')"
            f" AND format NOT IN ({marks}) ORDER BY id",
            ENDLESS_FORMATS,
        )
        if playing := [name for (name,) in cursor.fetchall()]:
            raise CannotConvert(
                f"{len(playing)} tournaments are being played or paused there, first {playing[0]!r}. What was"
                f" begun with {BEFORE} ends with it: start its programs and let them end, or cancel them in"
                " its administration; ladders without an end go on here."
            )


def check_nothing_leased(before: BaseDatabaseWrapper) -> None:
    """Check that no worker of there plays or validates.

    :raises CannotConvert: one does.
    """
    leased = 0
    with before.cursor() as cursor:
        now = before.ops.adapt_datetimefield_value(clock.now())
        for table in ("tournaments_table", "bots_submission"):
            cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE lease_until > %s", [now])
            leased += cursor.fetchone()[0]
    if leased:
        raise CannotConvert(
            f"{leased} tables or validations are under way there. Run its `drain`, which waits for them, then"
            " stop its programs."
        )


def _copy(
    before: BaseDatabaseWrapper,
    model: type[Model],
    tables: Mapping[str, str],
    columns: Mapping[tuple[str, str], str],
) -> int:
    """Copy the rows of a model; return how many there are."""
    table, fields = model._meta.db_table, model._meta.concrete_fields
    source, quote = tables.get(table, table), before.ops.quote_name
    with before.cursor() as cursor:
        if source not in before.introspection.table_names(cursor):
            return 0
        cursor.execute(f"SELECT * FROM {quote(source)} LIMIT 0")
        there = {column[0] for column in cursor.description}
    made = {field: columns[table, field.column] for field in fields if (table, field.column) in columns}
    same = {field: quote(field.column) for field in fields if field.column in there}
    known = {**same, **made}
    newer = [field for field in fields if field not in known]
    defaults = [field.get_db_prep_save(field.get_default(), connection) for field in newer]
    number = 0
    with before.chunked_cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(known.values())} FROM {quote(source)}")
        for rows in portions(_rows(cursor), ROWS_AT_ONCE):
            insert_rows(
                model,
                [field.attname for field in (*known, *newer)],
                [(*row, *defaults) for row in rows],
            )
            number += len(rows)
    return number


def _rows(cursor: Any) -> Iterator[tuple[Any, ...]]:
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        yield from rows


def _number_decisions() -> int:
    """Number the decisions of faults among all of their matches; return of how many the record is gone."""
    numbers: dict[tuple[int, int, int], int] = {}
    faults = Fault.objects.filter(decision=None).select_related("result__seat")
    by_table: dict[int, list[Fault]] = {}
    for fault in faults:
        by_table.setdefault(fault.result.seat.table_id, []).append(fault)
    for stored in MatchRecord.objects.filter(table__in=by_table, deleted_at=None):
        try:
            record = record_without(stored, ())
        except RecordUnreadable:
            continue
        for fault in by_table[stored.table_id]:
            fault.decision = decision_at(record, fault.deal, fault.move)
            numbers[stored.table_id, fault.deal, fault.move] = fault.decision
            fault.save(update_fields=["decision"])
    for notice in Notice.objects.exclude(evidence=[]):
        for match in notice.evidence:
            match["address"] = MOVE.sub(lambda found: _numbered(found, numbers), match["address"])
        notice.save(update_fields=["evidence"])
    return Fault.objects.filter(decision=None).count()


def _keep_places() -> None:
    """Store the places of what is over and Elo ranked: equals shared none, and who had left had one."""
    for tournament in Tournament.objects.filter(state__in=("finished", "cancelled")):
        ranked_by_elo = tournament.ladder is not None and not shown_format(tournament.format).ranks
        if ranked_by_elo and (snapshot := newest_snapshot(tournament.ladder, tournament)):
            versions = ratings_of(snapshot).values_list("version_id", flat=True)
            for place, version in enumerate(versions, start=1):
                tournament.entrants.filter(version=version).update(place=place)


def _numbered(found: re.Match[str], numbers: dict[tuple[int, int, int], int]) -> str:
    table, *at = (int(number) for number in found.groups() if number)
    deal, move = (number - (found[4] is not None) for number in at)
    return f"/r/{table}/{numbers.get((table, deal, move), '')}"
