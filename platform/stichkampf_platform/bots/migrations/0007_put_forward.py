import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0006_trials"),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="put_forward_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When its owner gave it the bot's place in the rankings, before it has blocks"
                " enough.",
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="bot",
            name="ranked_version",
            field=models.ForeignKey(
                blank=True,
                help_text="The newest version that holds the bot's place on a ladder; it enters where none"
                " is named.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="bots.version",
            ),
        ),
    ]
