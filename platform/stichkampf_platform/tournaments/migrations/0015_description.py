from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0014_substitute_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="description",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="For the page on the site, in Markdown: **bold**, lists, [links](https://example.org).",
                max_length=10000,
            ),
        ),
    ]
