from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0027_orders_and_indexes_of_columns"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="left_out_parts",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
