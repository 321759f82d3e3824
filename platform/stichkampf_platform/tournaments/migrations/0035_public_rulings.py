import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import stichkampf_platform.core.plain_names

OUT_AS = """
    UPDATE tournaments_entrant
    SET out_as = CASE WHEN set_aside THEN 'set aside' ELSE 'disqualified' END
    WHERE disqualified_at IS NOT NULL
"""
TOLD = """
    UPDATE tournaments_tournament SET result_told_at = finished_at
    WHERE state IN ('finished', 'cancelled') AND result_told_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM tournaments_entry WHERE tournaments_entry.tournament_id = tournaments_tournament.id
    )
"""
"""Authors of bots that an organiser chose are told of ends from now on, and not of all before."""


def allow(apps, schema_editor):
    """Let organisers read the list of their own tournaments, and answer protests."""
    group = apps.get_model("auth", "Group").objects.filter(name="Organisers").first()
    # Django makes these itself, but only after the last migration
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="tournaments", model="ruling"
    )
    for action in ("change", "view"):
        permission, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=kind, codename=f"{action}_ruling", defaults={"name": f"Can {action} ruling"}
        )
        if group is not None:
            group.permissions.add(permission)


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0034_ties_and_lots"),
        ("bots", "0013_weight_class"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="entrant",
            name="out_as",
            field=models.CharField(
                blank=True,
                choices=[
                    ("disqualified", "disqualified"),
                    ("withdrawn", "withdrawn"),
                    ("set aside", "set aside without a fault"),
                ],
                db_default="",
                default="",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="entrant",
            name="out_for_parts",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
        migrations.RunSQL(OUT_AS, migrations.RunSQL.noop),
        migrations.RunSQL(TOLD, migrations.RunSQL.noop),
        # columns keep their names, and `set_aside` stays: an earlier release may run beside this one
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("entrant", "set_aside"),
                migrations.RenameField("entrant", "disqualified_at", "out_at"),
                migrations.RenameField("entrant", "disqualified_for", "out_for"),
                migrations.AlterField(
                    "entrant",
                    "out_at",
                    models.DateTimeField(
                        blank=True,
                        db_column="disqualified_at",
                        help_text="Since when it plays no more.",
                        null=True,
                    ),
                ),
                migrations.AlterField(
                    "entrant",
                    "out_for",
                    models.CharField(blank=True, db_column="disqualified_for", max_length=300),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("void", "made void"),
                            ("again", "made void and played again"),
                            ("disqualify", "disqualified"),
                            ("withdraw", "withdrawn"),
                            ("set-aside", "set aside without a fault"),
                            ("deadline", "another deadline"),
                            ("protest", "protest"),
                        ],
                        max_length=10,
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("author", "an author"),
                            ("organiser", "the organiser"),
                            ("staff", "the operators of this site"),
                            ("platform", "the platform by itself"),
                        ],
                        help_text="By whom.",
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True,
                        max_length=1000,
                        validators=[stichkampf_platform.core.plain_names.several_lines],
                    ),
                ),
                ("reason_parts", models.JSONField(blank=True, editable=False, null=True)),
                (
                    "fault",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("machine", "a machine of the platform failed or was too busy"),
                            ("network", "the platform lost the connection to a bot"),
                            ("rules", "the platform applied a rule of the game wrongly"),
                            ("cards", "cards could be seen before their time"),
                        ],
                        max_length=10,
                        verbose_name="fault of the platform",
                    ),
                ),
                ("round", models.PositiveIntegerField(blank=True, help_text="From 0.", null=True)),
                ("before", models.JSONField(default=dict, editable=False)),
                ("after", models.JSONField(blank=True, editable=False, null=True)),
                (
                    "answer",
                    models.TextField(
                        blank=True,
                        max_length=1000,
                        validators=[stichkampf_platform.core.plain_names.several_lines],
                    ),
                ),
                (
                    "answer_role",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("author", "an author"),
                            ("organiser", "the organiser"),
                            ("staff", "the operators of this site"),
                            ("platform", "the platform by itself"),
                        ],
                        max_length=10,
                    ),
                ),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                (
                    "block",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rulings",
                        to="tournaments.block",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rulings",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="protests",
                        to="tournaments.table",
                    ),
                ),
                (
                    "tournament",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rulings",
                        to="tournaments.tournament",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rulings",
                        to="bots.version",
                    ),
                ),
            ],
            options={
                "ordering": ["-made_at", "-pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("after__isnull", True)),
                        fields=["tournament"],
                        name="rulings_to_settle",
                    )
                ],
            },
        ),
        migrations.RunPython(allow, migrations.RunPython.noop),
    ]
