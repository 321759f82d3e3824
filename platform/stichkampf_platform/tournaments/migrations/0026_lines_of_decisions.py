from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0024_orders_and_indexes_of_columns")]

    operations = [
        migrations.AddField("seatreport", "written", models.JSONField(blank=True, editable=False, null=True))
    ]
