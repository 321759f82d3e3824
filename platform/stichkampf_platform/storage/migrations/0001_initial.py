from django.core.management import call_command
from django.db import migrations, models


def make_cache_table(apps, schema_editor):
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='StoreLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='StoredFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('content', models.BinaryField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('copied_at', models.DateTimeField(blank=True, help_text='When the store had a copy of it.', null=True)),
                ('deleted', models.BooleanField(default=False)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('copied_at', None), ('deleted', True), _connector='OR'), fields=['id'], name='files_to_copy'), models.Index(condition=models.Q(('copied_at__isnull', False)), fields=['copied_at'], name='files_copied')],
                'constraints': [models.UniqueConstraint(fields=('name',), name='one_file_per_name')],
            },
        ),
        migrations.RunPython(make_cache_table, migrations.RunPython.noop),
    ]
