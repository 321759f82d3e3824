"""A teacher may read the code of a class where that was declared when it was made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("classes", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="schoolclass",
            name="code_read",
            field=models.BooleanField(
                default=False,
                help_text="Of bots of accounts that the class makes. Their slips and the page where they"
                " submit say so; it cannot be changed later.",
                verbose_name="the teacher reads the code",
            ),
        ),
    ]
