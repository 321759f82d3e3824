from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0004_validated_against_and_stale"),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="stale_at",
            field=models.DateTimeField(
                blank=True, help_text="Since when it has to be validated again.", null=True
            ),
        ),
    ]
