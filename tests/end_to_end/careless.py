"""What the platform must never do, done on purpose to a copy of its database: `careless.py MISTAKE`."""

import json
import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "stichkampf_platform.settings.test"
django.setup()

from django.db import connection  # noqa: E402
from stichkampf_platform.ratings import queries  # noqa: E402
from stichkampf_platform.ratings import services as ratings  # noqa: E402
from stichkampf_platform.tournaments.models import MatchRecord, Result, Table, Tournament  # noqa: E402
from stichkampf_platform.tournaments.records import record_files  # noqa: E402
from stichkampf_platform.tournaments.running import results  # noqa: E402
from stichkampf_platform.tournaments.scheduling import rounds  # noqa: E402


def land_twice(tournament: Tournament) -> None:
    """Land a table again, past its lease and state, and past what the database forbids."""
    for model, column in ((Result, "seat_id"), (MatchRecord, "table_id")):
        allow_twice(model._meta.db_table, column)
    table = Table.objects.filter(block__tournament=tournament).first()
    text = record_files.record_text(table.pk)
    results._store_results(table, json.loads(text))
    record_files.store(table=table, record=json.loads(text), text=text)


def allow_twice(table: str, column: str) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, table)
        for name, constraint in found.items():
            if constraint["unique"] and constraint["columns"] == [column]:
                cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')


def land_without_result(tournament: Tournament) -> None:
    """Call a table played before its results are stored, and be killed in between."""
    Result.objects.filter(seat__table__block__tournament=tournament)[0].delete()


def plan_twice(tournament: Tournament) -> None:
    """Plan a block that has been planned by another clerk just now."""
    block = tournament.blocks.first()
    seatings = [[seat.entrant for seat in table.seats.all()] for table in block.tables.all()]
    rounds.add_block(tournament, rounds.next_number(tournament), block.round, seatings)


tournament = Tournament.objects.get(slug="kills")
{mistake.__name__: mistake for mistake in (land_twice, land_without_result, plan_twice)}[sys.argv[1]](
    tournament
)
ratings.publish(ladder=queries.ladder_for(tournament), tournament=tournament)
