import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0004_evidence_of_gifts"),
        ("tournaments", "0008_names_without_hidden_signs"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="ladder",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                help_text="The ladder of its game, seats and options; set at its start.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tournaments",
                to="ratings.ladder",
            ),
        ),
    ]
