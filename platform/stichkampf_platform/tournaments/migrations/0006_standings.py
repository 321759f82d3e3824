from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0005_blocks_dealt_once")]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="place",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="From 1, in formats that rank by more than Elo, after a round.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="entrant",
            name="points",
            field=models.FloatField(
                blank=True, help_text="Swiss: those of the rounds that are over.", null=True
            ),
        ),
        migrations.AddField(
            model_name="entrant",
            name="round_reached",
            field=models.PositiveIntegerField(blank=True, help_text="Knock-out: from 1.", null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="rounds_over",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                editable=False,
                help_text="So many rounds count in the standings.",
            ),
        ),
    ]
