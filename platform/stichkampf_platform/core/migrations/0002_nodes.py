from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Node",
            fields=[
                ("name", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
                ("version", models.CharField(blank=True, max_length=40)),
                ("arbiter_answers", models.BooleanField(default=False)),
                ("sandbox_level", models.CharField(blank=True, max_length=20)),
                ("sandbox_reason", models.TextField(blank=True)),
                ("tables", models.PositiveIntegerField(default=0)),
                ("tables_limit", models.PositiveIntegerField(default=0)),
                ("draining", models.BooleanField(default=False)),
                ("clock_skew_seconds", models.FloatField(default=0.0)),
                ("store_trouble", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["name"],
            },
        ),
    ]
