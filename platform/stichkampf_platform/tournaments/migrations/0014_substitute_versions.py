from django.db import migrations, models


class Migration(migrations.Migration):
    """Blocks name the version of their substitute; those begun before had version 1."""

    dependencies = [("tournaments", "0013_ladders_that_rest")]

    operations = [
        migrations.AddField(
            model_name="block",
            name="substitute_version",
            field=models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="Version of the house bot that moves in place of failing bots, at all its tables.",
            ),
        ),
    ]
