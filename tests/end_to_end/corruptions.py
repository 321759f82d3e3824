"""Corrupt a copy of the platform's database in a way that the tests must notice: `corruptions.py MISTAKE`."""

import json
import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "stichkampf_platform.settings.test"
django.setup()

from django.db import connection  # noqa: E402
from stichkampf.wire.v1 import arbiter_pb2 as pb  # noqa: E402
from stichkampf_platform.ratings import services as ratings  # noqa: E402
from stichkampf_platform.tournaments.models import MatchRecord, Result, Table, Tournament  # noqa: E402
from stichkampf_platform.tournaments.records import record_files  # noqa: E402
from stichkampf_platform.tournaments.running import results  # noqa: E402
from stichkampf_platform.tournaments.scheduling import rounds  # noqa: E402


def store_twice(tournament: Tournament) -> None:
    """Store a result and a record twice, past lease, state and the constraints of the database."""
    for model, column in ((Result, "seat_id"), (MatchRecord, "table_id")):
        allow_twice(model._meta.db_table, column)
    table = Table.objects.filter(block__tournament=tournament).first()
    text = record_files.record_text(table.pk)
    report = pb.FetchRecordResponse(record_json=text)
    results._store_results([results.RefereedMatch(table, report, json.loads(text))])
    record_files.store([(table, json.loads(text), text)])


def allow_twice(table: str, column: str) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
        for name, constraint in found.items():
            if constraint["unique"] and constraint["columns"] == [column]:
                cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')


def lose_result(tournament: Tournament) -> None:
    """Mark a table as played and lose one of its results."""
    Result.objects.filter(seat__table__block__tournament=tournament)[0].delete()


def plan_twice(tournament: Tournament) -> None:
    """Plan the same block as another worker did just now."""
    block = tournament.blocks.first()
    seatings = [[seat.entrant for seat in table.seats.all()] for table in block.tables.all()]
    rounds.add_block(tournament, rounds.next_number(tournament), block.round, seatings)


tournament = Tournament.objects.get(slug="kills")
{mistake.__name__: mistake for mistake in (store_twice, lose_result, plan_twice)}[sys.argv[1]](tournament)
ratings.publish(ladder=tournament.ladder, tournament=tournament)
