"""Faults name their decision by its number in the match; those of before keep their move alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0036_left_out_as_away")]

    operations = [
        migrations.AddField(
            model_name="fault",
            name="decision",
            field=models.PositiveIntegerField(
                help_text="Its number among all decisions of the match, from 1.", null=True
            ),
        ),
    ]
