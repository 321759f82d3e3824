from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0010_ladders_of_started_tournaments"),
    ]

    operations = [
        migrations.AlterField(
            model_name="table",
            name="generation",
            field=models.PositiveIntegerField(
                default=0, help_text="Grows when the arbiter must play it again."
            ),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="rounds_over",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="Completed rounds counted in the standings.",
            ),
        ),
    ]
