"""Name the model for what it holds; its table stays, and its content type and permissions follow."""

import django.db.models.deletion
from django.db import migrations, models


def rename_permissions(apps, before, after):
    permissions = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="ratings")
    for permission in permissions.filter(codename__endswith=f"_{before.replace(' ', '')}"):
        action = permission.codename.split("_")[0]
        permission.codename = f"{action}_{after.replace(' ', '')}"
        permission.name = f"Can {action} {after}"
        permission.save()


def forwards(apps, schema_editor):
    rename_permissions(apps, "gift", "collusion signal")


def backwards(apps, schema_editor):
    rename_permissions(apps, "collusion signal", "gift")


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("ratings", "0004_evidence_of_gifts"),
    ]

    operations = [
        migrations.AlterModelTable("gift", "ratings_gift"),
        migrations.RenameModel("Gift", "CollusionSignal"),
        migrations.AlterField(
            "collusionsignal",
            "snapshot",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="collusion_signals",
                to="ratings.snapshot",
            ),
        ),
        migrations.RunPython(forwards, backwards),
    ]
