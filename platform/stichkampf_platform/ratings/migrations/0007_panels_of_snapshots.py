from django.db import migrations, models

FIRST_PANEL = ("thumb", "glimpse", "worrier")


def name_panels(apps, schema_editor):
    """Name the first panel in the snapshots that were anchored by it: those in which it was whole."""
    Version = apps.get_model("bots", "Version")
    Snapshot = apps.get_model("ratings", "Snapshot")
    found = Version.objects.filter(house__in=FIRST_PANEL, number=1)
    anchors = list(found.order_by("pk").values_list("pk", flat=True))
    if not anchors:
        return
    for snapshot in Snapshot.objects.only("pk").iterator():
        if snapshot.ratings.filter(version__in=anchors).count() == len(anchors):
            Snapshot.objects.filter(pk=snapshot.pk).update(anchors=anchors)


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0001_initial"),
        ("ratings", "0006_plain_help_texts"),
    ]

    operations = [
        migrations.AddField(
            model_name="snapshot",
            name="anchors",
            field=models.JSONField(
                default=list,
                help_text="Ids of the versions whose mean is 1500; empty where it is the mean of all.",
            ),
        ),
        migrations.RunPython(name_panels, migrations.RunPython.noop),
    ]
