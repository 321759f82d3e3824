from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0004_organisers")]

    operations = [
        migrations.AddField(
            model_name="block",
            name="dealt_once",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Everybody is seated once: a remote entrant would remember the cards.",
            ),
        ),
    ]
