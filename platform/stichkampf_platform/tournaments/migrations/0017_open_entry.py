import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ONLY_MEMBERS = "Only members see it: invited people, and those who give its code."
PLACES = "Later entries wait until another leaves. Empty for as many as come."
ENTRY = "Authors enter and withdraw their bots until the deadline; then it is on the site before it starts."
VERSION = "Empty for the newest that was submitted before the deadline and is approved."


def key() -> models.BigAutoField:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


def to(model: str, names: str, deletion=django.db.models.deletion.CASCADE, **more) -> models.ForeignKey:
    return models.ForeignKey(on_delete=deletion, related_name=names, to=model, **more)


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0010_names_by_author"),
        ("ratings", "0008_private_ladders"),
        ("tournaments", "0016_experiments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="private",
            field=models.BooleanField(db_default=False, default=False, help_text=ONLY_MEMBERS),
        ),
        migrations.AddField(
            model_name="tournament",
            name="entry",
            field=models.CharField(
                choices=[
                    ("organiser", "only the organiser, who chooses them"),
                    ("anybody", "every author who sees it"),
                    ("members", "invited authors, and those who give the code"),
                ],
                db_default="organiser",
                default="organiser",
                help_text=ENTRY,
                max_length=10,
                verbose_name="who enters bots",
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="code",
            field=models.CharField(
                blank=True, db_default="", db_index=True, default="", editable=False, max_length=20
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="entry_until",
            field=models.DateTimeField(
                blank=True, help_text="Empty for the start.", null=True, verbose_name="deadline of entry"
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="places",
            field=models.PositiveIntegerField(blank=True, help_text=PLACES, null=True),
        ),
        migrations.AddField(
            model_name="tournament",
            name="bots_each",
            field=models.PositiveSmallIntegerField(
                db_default=1,
                default=1,
                help_text="As many bots may each author enter.",
                verbose_name="bots of each author",
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="repeats",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "never"),
                    ("daily", "every day"),
                    ("weekly", "every week"),
                    ("fortnightly", "every second week"),
                ],
                db_default="",
                default="",
                help_text="When it starts, the next one is made, and opens for entries at once.",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="series",
            field=to(
                "tournaments.tournament",
                "repetitions",
                django.db.models.deletion.PROTECT,
                blank=True,
                editable=False,
                help_text="The first of the tournaments that it repeats.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="tournament",
            name="result_told_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="When those who had entered were told of the end.",
                null=True,
            ),
        ),
        migrations.AddConstraint(
            model_name="tournament",
            constraint=models.UniqueConstraint(
                fields=("series", "starts_at"), name="one_repetition_at_a_time"
            ),
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", key()),
                ("tournament", to("tournaments.tournament", "members")),
                ("person", to(settings.AUTH_USER_MODEL, "memberships")),
                ("by_code", models.BooleanField(default=False, help_text="This person came with the code.")),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "person"), name="one_membership_per_person")
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", key()),
                ("tournament", to("tournaments.tournament", "entries")),
                ("bot", to("bots.bot", "entries", django.db.models.deletion.PROTECT)),
                (
                    "version",
                    to(
                        "bots.version",
                        "+",
                        django.db.models.deletion.PROTECT,
                        blank=True,
                        help_text=VERSION,
                        null=True,
                    ),
                ),
                ("left_out", models.CharField(blank=True, help_text="Why it does not play.", max_length=300)),
                ("entered_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["pk"],
                "verbose_name_plural": "entries",
                "constraints": [
                    models.UniqueConstraint(fields=("tournament", "bot"), name="a_bot_is_entered_once")
                ],
            },
        ),
    ]
