from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0007_notice_choices"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="shares_address",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="In a class, whose people share a network address: limits for an address leave it"
                " out.",
            ),
        ),
    ]
