from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='DrainOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Node',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('seen_at', models.DateTimeField()),
                ('version', models.CharField(blank=True, max_length=40)),
                ('arbiter_answers', models.BooleanField(default=False)),
                ('sandbox_level', models.CharField(blank=True, max_length=20)),
                ('sandbox_reason', models.TextField(blank=True)),
                ('tables', models.PositiveIntegerField(default=0)),
                ('tables_limit', models.PositiveIntegerField(default=0)),
                ('places', models.PositiveIntegerField(default=0)),
                ('draining', models.BooleanField(default=False)),
                ('clock_skew_seconds', models.FloatField(default=0.0)),
                ('store_trouble', models.TextField(blank=True)),
                ('interpreters', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='ItemFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('work', models.CharField(max_length=150)),
                ('item', models.CharField(blank=True, max_length=100)),
                ('reason', models.TextField(blank=True)),
                ('times', models.PositiveIntegerField(default=0)),
                ('since', models.DateTimeField(auto_now_add=True)),
                ('next_try_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('work', 'item'), name='one_failure_per_item')],
            },
        ),
    ]
