"""Give every tournament that was started the ladder of its game, seats and options.

Apart from the new column: PostgreSQL does not alter a table in a transaction that has changed its rows.
"""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def set_ladders(apps, schema_editor):
    ladder = apps.get_model("ratings", "Ladder").objects.filter(
        game=OuterRef("game"), seats=OuterRef("seats"), options_digest=OuterRef("options_digest")
    )
    started = apps.get_model("tournaments", "Tournament").objects.exclude(state="draft")
    started.update(ladder=Subquery(ladder.values("pk")[:1]))


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0009_tournament_ladder")]

    operations = [migrations.RunPython(set_ladders, migrations.RunPython.noop)]
