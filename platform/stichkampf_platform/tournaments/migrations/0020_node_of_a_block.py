from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0019_deleted_records"),
    ]

    operations = [
        migrations.AddField(
            model_name="block",
            name="node",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Whose arbiter plays it; empty until it has begun, and for remote bots.",
                max_length=64,
            ),
        ),
    ]
