from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0041_left_out_on_the_list")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="trouble_parts",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
    ]
