import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PlayedTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(max_length=32, unique=True)),
                ('game_name', models.CharField(max_length=40)),
                ('options', models.JSONField(default=dict)),
                ('seats_count', models.PositiveSmallIntegerField()),
                ('seed', models.BinaryField(max_length=32)),
                ('state', models.CharField(choices=[('wait', 'waiting for people'), ('open', 'open'), ('away', 'put aside'), ('over', 'over'), ('void', 'void')], default='open', max_length=4)),
                ('start', models.PositiveIntegerField(default=1)),
                ('arbiter', models.CharField(blank=True, max_length=40)),
                ('practice', models.BooleanField(default=False)),
                ('void_reason', models.TextField(blank=True)),
                ('void_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('record', models.JSONField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('deals', models.JSONField(blank=True, editable=False, null=True)),
                ('open_cards', models.BooleanField(default=False)),
                ('opening', models.JSONField(blank=True, default=list, editable=False)),
                ('origin', models.CharField(blank=True, max_length=200)),
                ('origin_points', models.IntegerField(blank=True, null=True)),
                ('begins_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['id'], name='open_played_tables')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('record__isnull', False), ('state', 'over')), models.Q(models.Q(('state', 'over'), _negated=True), ('record__isnull', True)), _connector='OR'), name='a_table_has_a_record_where_it_is_over')],
            },
        ),
        migrations.CreateModel(
            name='DailyDeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('game_name', models.CharField(max_length=40)),
                ('options', models.JSONField(default=dict)),
                ('seats_count', models.PositiveSmallIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('seed', models.BinaryField(max_length=32)),
                ('house_scores', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-day', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('day', 'game_name'), name='one_deal_a_game_and_day')],
            },
        ),
        migrations.CreateModel(
            name='SameHand',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('playing', 'being played'), ('over', 'over'), ('failed', 'failed')], default='waiting', max_length=7)),
                ('points', models.IntegerField(blank=True, null=True)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='same_hands', to='play.playedtable')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='same_hands', to='bots.version')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('state__in', ['waiting', 'playing'])), fields=['id'], name='open_same_hands')],
                'constraints': [models.UniqueConstraint(fields=('table', 'seat', 'version'), name='one_match_a_hand_and_version')],
            },
        ),
        migrations.CreateModel(
            name='PlayedSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('person', models.BooleanField(default=False)),
                ('house', models.CharField(blank=True, max_length=40)),
                ('bot_plays', models.BooleanField(default=False)),
                ('resigned', models.BooleanField(default=False)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='played_seats', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='played_seats', to='bots.version')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='play.playedtable')),
                ('helped', models.BooleanField(default=False)),
            ],
            options={
                'ordering': ['table', 'number'],
                'constraints': [models.UniqueConstraint(fields=('table', 'number'), name='one_played_seat_a_number'), models.CheckConstraint(condition=models.Q(models.Q(('house', ''), ('person', True), ('version', None)), models.Q(('account', None), ('person', False), models.Q(('house', ''), _negated=True), ('version', None)), models.Q(('account', None), ('house', ''), ('person', False), ('version__isnull', False)), _connector='OR'), name='a_played_seat_is_a_person_house_bot_or_version'), models.UniqueConstraint(condition=models.Q(('account__isnull', False)), fields=('table', 'account'), name='one_played_seat_an_account')],
            },
        ),
        migrations.CreateModel(
            name='DailyEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('browser', models.CharField(blank=True, max_length=64)),
                ('state', models.CharField(choices=[('playing', 'being played'), ('counted', 'counted'), ('given up', 'given up'), ('late', 'over too late to count'), ('void', 'void by our fault')], default='playing', max_length=8)),
                ('points', models.IntegerField(blank=True, null=True)),
                ('account', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='daily_entries', to=settings.AUTH_USER_MODEL)),
                ('deal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='play.dailydeal')),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='daily_entry', to='play.playedtable')),
                ('cards_seen', models.BooleanField(default=False)),
            ],
            options={
                'verbose_name_plural': 'daily entries',
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('account__isnull', False)), fields=('deal', 'account'), name='one_entry_a_deal_and_account'), models.UniqueConstraint(condition=models.Q(('account__isnull', True)), fields=('deal', 'browser'), name='one_entry_a_deal_and_guest')],
            },
        ),
        migrations.CreateModel(
            name='OwnResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('points', models.IntegerField()),
                ('kept', models.BooleanField(default=True)),
                ('house_scores', models.JSONField(default=dict)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_results', to=settings.AUTH_USER_MODEL)),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='own_result', to='play.playedtable')),
                ('compared', models.BooleanField(db_default=False)),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('compared', False)), fields=['id'], name='own_results_to_compare')],
            },
        ),
        migrations.AddIndex(
            model_name='playedtable',
            index=models.Index(condition=models.Q(('state', 'away')), fields=['id'], name='tables_put_aside'),
        ),
    ]
