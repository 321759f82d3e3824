"""Organisers read and change the entries and members of their own tournaments."""

from django.db import migrations

MAY = {"entry": ("change", "view"), "membership": ("change", "view")}


def allow(apps, schema_editor):
    group = apps.get_model("auth", "Group").objects.filter(name="Organisers").first()
    for model, actions in MAY.items():
        # Django makes these itself, but only after the last migration
        content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
            app_label="tournaments", model=model
        )
        for action in actions:
            permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
                content_type=content_type,
                codename=f"{action}_{model}",
                defaults={"name": f"Can {action} {model}"},
            )
            if group is not None:
                group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0017_open_entry"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(allow, migrations.RunPython.noop)]
