from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0018_organisers_see_entries"),
    ]

    operations = [
        migrations.AddField(
            model_name="matchrecord",
            name="deleted_at",
            field=models.DateTimeField(
                blank=True, help_text="When its file was deleted, its time being over.", null=True
            ),
        ),
    ]
