import django.db.models.deletion
from django.db import migrations, models

FILL = """
    INSERT INTO tournaments_participation (block_id, entrant_id)
    SELECT DISTINCT tournaments_table.block_id, tournaments_seat.entrant_id
    FROM tournaments_seat JOIN tournaments_table ON tournaments_table.id = tournaments_seat.table_id
"""
"""What is there; `count_progress` adds what an earlier release draws beside this one."""


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0030_kept_progress"),
    ]

    operations = [
        migrations.CreateModel(
            name="Participation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "block",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="tournaments.block",
                    ),
                ),
                (
                    "entrant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participations",
                        to="tournaments.entrant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("entrant", "block"), name="one_participation_per_block")
                ],
            },
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
