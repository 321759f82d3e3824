from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0012_volunteers_and_wrong_records"),
    ]

    operations = [
        migrations.AlterField(
            model_name="apitoken",
            name="scope",
            field=models.CharField(
                choices=[
                    ("reader", "reading only"),
                    ("author", "bots and entries"),
                    ("organiser", "bots, entries, and your own tournaments and classes"),
                    ("volunteer", "a machine that plays blocks of house bots as a volunteer"),
                ],
                db_default="author",
                default="author",
                help_text="Organising takes a token of its own and the permission.",
                max_length=10,
                verbose_name="what it is for",
            ),
        ),
    ]
