from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0028_left_out_in_every_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="outcome_parts",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
