import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0002_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="remote",
            field=models.BooleanField(
                db_default=False, default=False, help_text="It plays on its author's machine and dials in."
            ),
        ),
        migrations.RemoveConstraint(model_name="version", name="version_is_house_bot_or_archive"),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.CheckConstraint(
                condition=Q(~Q(house=""), digest="", remote=False)
                | Q(~Q(digest=""), house="", remote=False)
                | Q(house="", digest="", remote=True),
                name="version_is_house_bot_archive_or_remote",
            ),
        ),
        migrations.CreateModel(
            name="RemoteAccess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "token_digest",
                    models.CharField(
                        help_text="Once the token is revoked a random one, that no token has.",
                        max_length=64,
                        unique=True,
                        verbose_name="SHA-256 of the token",
                    ),
                ),
                ("hint", models.CharField(max_length=12)),
                ("issued_at", models.DateTimeField()),
                (
                    "issued_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "connected_at",
                    models.DateTimeField(
                        blank=True, help_text="Since when it is connected; empty while it is not.", null=True
                    ),
                ),
                ("last_seen_at", models.DateTimeField(blank=True, null=True)),
                ("latency_seconds", models.FloatField(blank=True, null=True)),
                (
                    "tables",
                    models.PositiveIntegerField(default=0, help_text="Tables that it plays at the moment."),
                ),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="access",
                        to="bots.version",
                    ),
                ),
            ],
            options={"ordering": ["version"], "verbose_name_plural": "remote accesses"},
        ),
    ]
