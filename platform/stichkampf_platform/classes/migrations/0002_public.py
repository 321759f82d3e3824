from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("classes", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="schoolclass",
            name="public",
            field=models.BooleanField(
                default=True,
                help_text=(
                    "Everybody sees these. Without it, bots of accounts that the class made play on its"
                    " private ladders alone."
                ),
                verbose_name="bots play on the public ladders, too",
            ),
        ),
    ]
