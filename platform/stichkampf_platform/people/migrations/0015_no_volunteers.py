from django.db import migrations, models


def delete_tokens(apps, schema_editor):
    """Delete the tokens that were for volunteers' machines alone."""
    apps.get_model("people", "ApiToken").objects.filter(scope="volunteer").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0014_named_by_proxy"),
    ]

    operations = [
        migrations.RunSQL(
            [
                "DROP TABLE IF EXISTS volunteers_volunteeranswer",
                "DROP TABLE IF EXISTS volunteers_volunteernode",
            ],
            migrations.RunSQL.noop,
        ),
        migrations.RunPython(delete_tokens, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="apitoken",
            name="scope",
            field=models.CharField(
                choices=[
                    ("reader", "reading only"),
                    ("author", "bots and entries"),
                    ("organiser", "bots, entries, and your own tournaments and classes"),
                ],
                db_default="author",
                default="author",
                help_text="Organising takes a token of its own and the permission.",
                max_length=10,
                verbose_name="what it is for",
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="action",
            field=models.CharField(
                choices=[
                    ("signed-in", "signed in"),
                    ("failed", "failed to sign in"),
                    ("signed-out", "signed out"),
                    ("ended", "ended sessions elsewhere"),
                    ("password", "changed the password"),
                    ("address", "changed the mail address"),
                    ("token-made", "made an API token"),
                    ("token-revoked", "revoked an API token"),
                    ("factor-added", "added a second factor"),
                    ("factor-removed", "removed a second factor"),
                    ("codes", "made new recovery codes"),
                    ("connected", "connected another provider"),
                    ("disconnected", "disconnected another provider"),
                    ("data", "took a copy of the own data"),
                    ("deleted", "deleted the account"),
                    ("administered", "acted in the administration"),
                    ("organised", "organised by the API"),
                ],
                max_length=16,
                verbose_name="act",
            ),
        ),
    ]
