"""Organisers may read what the watch found in their own tournaments."""

from django.db import migrations


def grant(apps, schema_editor):
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="ratings", model="gift"
    )
    # Django makes it itself, but only after the last migration
    permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=content_type, codename="view_gift", defaults={"name": "Can view gift"}
    )
    apps.get_model("auth", "Group").objects.get(name="Organisers").permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [("ratings", "0002_gifts_and_residuals"), ("tournaments", "0004_organisers")]

    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]
