from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0021_qualifier")]

    operations = [
        migrations.AddField("seatreport", "written", models.JSONField(blank=True, editable=False, null=True))
    ]
