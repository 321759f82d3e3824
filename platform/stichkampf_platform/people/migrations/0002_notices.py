import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField()),
                (
                    "address",
                    models.CharField(blank=True, help_text="The page that it is about.", max_length=200),
                ),
                ("evidence", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "mail_to",
                    models.EmailField(
                        blank=True,
                        help_text="Where to mail it: the address at the time; empty for no mail.",
                        max_length=254,
                    ),
                ),
                (
                    "mail_due_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="From when a worker may mail it; empty when nothing is to be mailed.",
                        null=True,
                    ),
                ),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("mail_due_at__isnull", False)),
                        fields=["mail_due_at"],
                        name="notices_to_mail",
                    )
                ],
            },
        ),
    ]
