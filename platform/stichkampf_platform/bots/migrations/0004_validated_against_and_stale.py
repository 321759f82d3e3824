from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0003_remote_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="forgiven_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When a suspension was lifted; faults before that count no more.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="version",
            name="validated_against",
            field=models.JSONField(
                blank=True,
                help_text="The version of the wire and of each game's rules under which it passed.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="version",
            name="state",
            field=models.CharField(
                choices=[
                    ("submitted", "submitted"),
                    ("validating", "being validated"),
                    ("approved", "approved"),
                    ("rejected", "rejected"),
                    ("suspended", "suspended"),
                    ("stale", "to be validated again"),
                ],
                default="submitted",
                max_length=12,
            ),
        ),
    ]
