from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0008_private_ladders"),
    ]

    operations = [
        migrations.AddField(
            model_name="ladder",
            name="slow",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="A move takes so long that language models can play.",
            ),
        ),
    ]
