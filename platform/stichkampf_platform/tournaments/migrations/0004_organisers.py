"""The group whose members run tournaments of their own."""

from django.db import migrations

GROUP = "Organisers"
MAY = {
    "tournament": ("add", "change", "delete", "view"),
    "entrant": ("change", "view"),
    "block": ("change", "view"),
    "table": ("change", "view"),
    "result": ("view",),
    "fault": ("view",),
}


def make(apps, schema_editor):
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    for model, deeds in MAY.items():
        # Django makes these itself, but only after the last migration
        content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
            app_label="tournaments", model=model
        )
        for deed in deeds:
            permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
                content_type=content_type,
                codename=f"{deed}_{model}",
                defaults={"name": f"Can {deed} {model}"},
            )
            group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0003_rulings"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
