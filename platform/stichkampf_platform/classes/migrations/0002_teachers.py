"""The group whose members make classes."""

from django.db import migrations

GROUP = "Teachers"


def make(apps, schema_editor):
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    # Django makes these itself, but only after the last migration
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="classes", model="schoolclass"
    )
    permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=content_type, codename="add_schoolclass", defaults={"name": "Can add class"}
    )
    group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("classes", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
