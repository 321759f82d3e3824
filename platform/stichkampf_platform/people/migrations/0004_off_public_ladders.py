from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0003_reported_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="off_public_ladders",
            field=models.BooleanField(
                default=False,
                help_text="In a class whose teacher keeps its bots off the public ladders.",
            ),
        ),
    ]
