from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0007_panels_of_snapshots"),
    ]

    operations = [
        migrations.AddField(
            model_name="ladder",
            name="private",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="It belongs to one private tournament and is seen with it.",
            ),
        ),
    ]
