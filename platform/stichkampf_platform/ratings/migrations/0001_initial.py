import django.db.models.deletion
import django.db.models.functions.math
from django.db import migrations, models

from stichkampf_platform.people.groups import allow


def allow_organisers(apps, schema_editor):
    """Let organisers read what the watch finds in their own tournaments."""
    allow(apps, "Organisers", "ratings", {"collusionsignal": ("view",)})


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ('bots', '0001_initial'),
        ('ladders', '0001_initial'),
        ('tournaments', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('published', models.BooleanField(default=True)),
                ('final', models.BooleanField(default=False, help_text='Nothing was being played any more.')),
                ('block_spans', models.JSONField(help_text='The blocks that were rated: first and last id of every unbroken run.')),
                ('blocks', models.PositiveIntegerField()),
                ('tables', models.PositiveIntegerField()),
                ('comparisons', models.PositiveIntegerField()),
                ('anchors', models.JSONField(default=list, help_text='Ids of the versions whose mean is 1500; empty where it is the mean of all.')),
                ('cyclic_share', models.FloatField(blank=True, help_text='0: strength alone divides the entrants. 1: rock, paper, scissors.', null=True)),
                ('forfeit_rule', models.CharField(choices=[('void', 'what the others scored at that table is void'), ('apart', 'what was played stands, as by another bot where one forfeited'), ('groups', 'what was played stands, as by another bot with those beside whom one forfeited')], default='groups', max_length=6)),
                ('watched_at', models.DateTimeField(blank=True, help_text='When it was searched for gifts; empty where it was not.', null=True)),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256 of the ratings')),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='ladders.ladder')),
                ('tournament', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'get_latest_by': ['at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('elo', models.FloatField()),
                ('plus_minus', models.FloatField(blank=True, help_text='Half the width of the 95% interval; empty with one block.', null=True)),
                ('blocks', models.PositiveIntegerField()),
                ('comparisons', models.PositiveIntegerField()),
                ('deals', models.PositiveIntegerField(default=0)),
                ('rank', models.PositiveIntegerField(blank=True, help_text='Empty while provisional, and for versions that are not ranked.', null=True)),
                ('rank_best', models.PositiveIntegerField(blank=True, null=True)),
                ('rank_worst', models.PositiveIntegerField(blank=True, null=True)),
                ('provisional', models.BooleanField()),
                ('anchor', models.BooleanField(default=False)),
                ('fault_permille', models.FloatField(default=0)),
                ('median_ms', models.FloatField(blank=True, null=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='bots.version')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='ratings.snapshot')),
            ],
            options={
                'ordering': ['-elo', 'version'],
            },
        ),
        migrations.CreateModel(
            name='Pairing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('half_points', models.PositiveIntegerField(help_text='Half-points of the first version, without what it forfeited.')),
                ('forfeited_half_points', models.PositiveIntegerField(default=0, help_text='Half-points that neither keeps, because one forfeited them.')),
                ('comparisons', models.PositiveIntegerField()),
                ('superiority', models.FloatField(help_text='Likelihood that the first version is the stronger one; empty with too few blocks.', null=True)),
                ('blocks', models.PositiveIntegerField(default=0, help_text='In which the two were compared.')),
                ('z', models.FloatField(help_text='Points of the first beyond expectation, in standard errors.', null=True)),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pairings', to='ratings.snapshot')),
            ],
        ),
        migrations.CreateModel(
            name='CollusionSignal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('way', models.CharField(choices=[('help', 'helps it at the table'), ('thrown', 'loses to it on the same hands'), ('forfeit', 'forfeits where the two meet')], max_length=7)),
                ('blocks', models.PositiveIntegerField(help_text='Blocks in which the two met.', verbose_name='together')),
                ('apart', models.PositiveIntegerField(default=0, help_text='Blocks of the taker without the giver.', verbose_name='apart')),
                ('points', models.FloatField(help_text='Same-hand points a comparison; empty where it cannot be measured.', null=True)),
                ('low', models.FloatField(help_text='Lower end of the interval; it holds at all times of looking.', null=True)),
                ('high', models.FloatField(null=True)),
                ('style', models.FloatField(default=0, help_text="Part that the giver's style explains: about what it gives others.")),
                ('reported_at', models.DateTimeField(blank=True, help_text='When the whole interval first lay above the style; it stays reported.', null=True)),
                ('giver', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('taker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='collusion_signals', to='ratings.snapshot')),
            ],
            options={
                'ordering': [models.OrderBy(models.F('reported_at'), nulls_last=True), models.OrderBy(models.F('low'), descending=True, nulls_last=True), 'pk'],
            },
        ),
        migrations.AddIndex(
            model_name='snapshot',
            index=models.Index(fields=['ladder', 'tournament', '-at'], name='newest_snapshot'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.UniqueConstraint(fields=('snapshot', 'version'), name='one_rating_per_version'),
        ),
        migrations.AddIndex(
            model_name='pairing',
            index=models.Index(models.F('snapshot'), models.OrderBy(django.db.models.functions.math.Abs('z'), descending=True), name='surprising_pairings'),
        ),
        migrations.AddConstraint(
            model_name='pairing',
            constraint=models.UniqueConstraint(fields=('snapshot', 'first', 'second'), name='one_pairing_per_pair'),
        ),
        migrations.AddConstraint(
            model_name='collusionsignal',
            constraint=models.UniqueConstraint(fields=('snapshot', 'giver', 'taker', 'way'), name='one_signal_per_way'),
        ),
        migrations.RunPython(allow_organisers, migrations.RunPython.noop),
    ]
