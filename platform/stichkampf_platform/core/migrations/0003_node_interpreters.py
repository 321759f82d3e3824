from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0002_nodes"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="interpreters",
            field=models.JSONField(default=dict),
        ),
    ]
