from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("storage", "0002_cache_table"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoreLabel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=64)),
            ],
        ),
        migrations.AddField(
            model_name="storedfile",
            name="copied_at",
            field=models.DateTimeField(blank=True, help_text="When the store had a copy of it.", null=True),
        ),
        migrations.AddField(
            model_name="storedfile",
            name="deleted",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name="storedfile",
            name="name",
            field=models.CharField(max_length=200),
        ),
        migrations.AddIndex(
            model_name="storedfile",
            index=models.Index(
                condition=models.Q(("copied_at", None), ("deleted", True), _connector="OR"),
                fields=["id"],
                name="files_to_copy",
            ),
        ),
        migrations.AddIndex(
            model_name="storedfile",
            index=models.Index(
                condition=models.Q(("copied_at__isnull", False)), fields=["copied_at"], name="files_copied"
            ),
        ),
        migrations.AddConstraint(
            model_name="storedfile",
            constraint=models.UniqueConstraint(fields=("name",), name="one_file_per_name"),
        ),
    ]
