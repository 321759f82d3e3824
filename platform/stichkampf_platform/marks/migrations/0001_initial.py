import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('tournaments', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Analysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('made', 'made'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('requested_at', models.DateTimeField()),
                ('hinted_at', models.DateTimeField(blank=True, help_text='When a worker was last told of it.', null=True)),
                ('lease_until', models.DateTimeField(blank=True, help_text='Until when a worker makes it.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('made_at', models.DateTimeField(blank=True, null=True)),
                ('engine', models.CharField(blank=True, help_text='The version of the SDK.', max_length=40)),
                ('seconds', models.FloatField(blank=True, help_text='CPU time that it took.', null=True)),
                ('reason', models.CharField(choices=[('request', 'on request'), ('featured', 'for the front page'), ('costly', 'for its author, among the costliest of a day')], max_length=10)),
                ('analysis_version', models.PositiveSmallIntegerField(blank=True, help_text='That of stichkampf.analysis.', null=True)),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='analysis', to='tournaments.table')),
            ],
            options={
                'verbose_name_plural': 'analyses',
            },
        ),
        migrations.CreateModel(
            name='JudgedSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decisions', models.PositiveIntegerField(help_text='Its own decisions with a choice.')),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='marks.analysis')),
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='judged', to='tournaments.seat')),
            ],
        ),
        migrations.CreateModel(
            name='StoredContinuations',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('made', 'made'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('requested_at', models.DateTimeField()),
                ('hinted_at', models.DateTimeField(blank=True, help_text='When a worker was last told of it.', null=True)),
                ('lease_until', models.DateTimeField(blank=True, help_text='Until when a worker makes it.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('made_at', models.DateTimeField(blank=True, null=True)),
                ('engine', models.CharField(blank=True, help_text='The version of the SDK.', max_length=40)),
                ('seconds', models.FloatField(blank=True, help_text='CPU time that it took.', null=True)),
                ('decision', models.PositiveIntegerField(help_text='Among all decisions of the match, from 1.')),
                ('action', models.CharField(help_text='With which they begin, in the words of the record.', max_length=60)),
                ('bot', models.CharField(help_text='A house bot with its version, such as "glimpse v2".', max_length=40)),
                ('outcomes', models.JSONField(blank=True, default=list, help_text='Pairs of a score of the deal and how often it came of it.')),
                ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='continuations', to='tournaments.table')),
            ],
            options={
                'verbose_name_plural': 'stored continuations',
            },
        ),
        migrations.CreateModel(
            name='StoredMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.PositiveIntegerField(help_text='Among all decisions of the match, from 1.')),
                ('deal', models.PositiveIntegerField(help_text='From 0.')),
                ('chosen', models.CharField(max_length=60)),
                ('better', models.CharField(max_length=60)),
                ('points', models.FloatField()),
                ('low', models.FloatField()),
                ('high', models.FloatField()),
                ('worlds', models.PositiveIntegerField()),
                ('open_better', models.CharField(max_length=60)),
                ('open_points', models.FloatField()),
                ('open_low', models.FloatField()),
                ('open_high', models.FloatField()),
                ('judged', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to='marks.judgedseat')),
            ],
            options={
                'ordering': ['decision'],
            },
        ),
        migrations.AddIndex(
            model_name='analysis',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['requested_at'], name='analyses_to_make'),
        ),
        migrations.AddIndex(
            model_name='storedcontinuations',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['requested_at'], name='continuations_to_play'),
        ),
        migrations.AddConstraint(
            model_name='storedcontinuations',
            constraint=models.UniqueConstraint(fields=('table', 'decision', 'action', 'bot'), name='one_row_per_continuations'),
        ),
        migrations.AddIndex(
            model_name='storedmark',
            index=models.Index(fields=['judged', '-points'], name='costliest_of_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='storedmark',
            constraint=models.UniqueConstraint(fields=('judged', 'decision'), name='one_mark_per_decision'),
        ),
    ]
