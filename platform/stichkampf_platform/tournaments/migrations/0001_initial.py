import django.core.validators
import django.db.models.deletion
import stichkampf_platform.core.plain_names
import stichkampf_platform.tournaments.entry.local_times
from django.conf import settings
from django.db import migrations, models

from stichkampf_platform.people.groups import allow


MAY = {
    "tournament": ("add", "change", "delete", "view"),
    "entrant": ("change", "view"),
    "block": ("change", "view"),
    "table": ("change", "view"),
    "result": ("view",),
    "fault": ("view",),
    "entry": ("change", "view"),
    "membership": ("change", "view"),
    "ruling": ("change", "view"),
}


def make_organisers(apps, schema_editor):
    """Make the group whose members run tournaments of their own."""
    allow(apps, "Organisers", "tournaments", MAY)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('bots', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('ladders', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('name', models.CharField(max_length=100, validators=[stichkampf_platform.core.plain_names.one_line])),
                ('description', models.TextField(blank=True, default='', help_text='For the page on the site, in Markdown: **bold**, lists, [links](https://example.org).', max_length=10000)),
                ('game', models.CharField(max_length=30)),
                ('seats', models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(6)])),
                ('options', models.JSONField(default=dict, help_text='Every option of the game, defaults spelled out.')),
                ('options_digest', models.CharField(editable=False, max_length=64)),
                ('format', models.CharField(default='round-robin', max_length=30)),
                ('blocks_planned', models.PositiveIntegerField(help_text='How many blocks are played: in all, or in Swiss and knock-out by each group of a round.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)], verbose_name='blocks')),
                ('stopping', models.CharField(choices=[('fixed', 'after a fixed number of blocks'), ('decided', 'when it is decided, or after that many blocks')], default='fixed', max_length=10, verbose_name='it ends')),
                ('rounds', models.PositiveIntegerField(blank=True, help_text='For Swiss only: how many rounds. Otherwise leave it empty.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                ('outcome', models.CharField(blank=True, editable=False, help_text='What the end proved, or why it could not start.', max_length=300)),
                ('outcome_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('rounds_over', models.PositiveIntegerField(default=0, editable=False, help_text='Completed rounds counted in the standings.')),
                ('lot_seed', models.BinaryField(blank=True, help_text='Of all lots and draws; drawn at the start.', max_length=32, null=True)),
                ('move_seconds', models.FloatField(default=2.0, help_text='Thinking time for each move.', validators=[django.core.validators.MinValueValidator(0.05), django.core.validators.MaxValueValidator(600)])),
                ('bank_seconds', models.FloatField(default=10.0, help_text='Reserve for the whole match, used when a move takes longer.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(3600)])),
                ('cap_seconds', models.FloatField(default=5.0, help_text='The most that any one move may take, reserve or not.', validators=[django.core.validators.MinValueValidator(0.001), django.core.validators.MaxValueValidator(3600)])),
                ('fault_allowance', models.PositiveIntegerField(default=2, help_text='Faults a bot may make in a match before it loses.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1000)])),
                ('rated', models.BooleanField(default=True)),
                ('released', models.BooleanField(default=False, editable=False, help_text="It counts beyond itself, on public ladders: the installation's own, or released by a superuser.")),
                ('rests', models.BooleanField(default=False, editable=False, help_text='A ladder drawn only for bots whose rank is not settled.')),
                ('published', models.BooleanField(default=True, help_text='Show it on the site.')),
                ('experiment', models.BooleanField(default=False, editable=False, help_text='An author asked for it: unrated, for the author alone, with workers of its own.')),
                ('private', models.BooleanField(default=False, help_text='Only members see it: invited people, and those who give its code.')),
                ('entry', models.CharField(choices=[('organiser', 'only the organiser, who chooses them'), ('anybody', 'every author who sees it'), ('members', 'invited authors, and those who give the code')], default='organiser', help_text='Authors enter and withdraw their bots until the deadline; then it is on the site before it starts.', max_length=10, verbose_name='who enters bots')),
                ('code', models.CharField(blank=True, db_index=True, default='', editable=False, max_length=20)),
                ('entry_until', models.DateTimeField(blank=True, help_text='Empty for the start.', null=True, verbose_name='deadline of entry')),
                ('places', models.PositiveIntegerField(blank=True, help_text='Later entries wait until another leaves. Empty for as many as come.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)])),
                ('bots_each', models.PositiveSmallIntegerField(default=1, help_text='As many bots may each author enter.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)], verbose_name='bots of each author')),
                ('repeats', models.CharField(blank=True, choices=[('', 'never'), ('daily', 'every day'), ('weekly', 'every week'), ('fortnightly', 'every second week')], default='', help_text='When it starts, the next one is made, and opens for entries at once.', max_length=12)),
                ('result_told_at', models.DateTimeField(blank=True, editable=False, help_text='When those who had entered were told of the end.', null=True)),
                ('time_zone', models.CharField(default='UTC', help_text='Such as Europe/Berlin: times are given and shown in it, and a series keeps its hour there.', max_length=40, validators=[stichkampf_platform.tournaments.entry.local_times.known_zone], verbose_name='time zone')),
                ('starts_at', models.DateTimeField(blank=True, help_text='When it starts by itself; empty to start it by hand.', null=True, verbose_name='start')),
                ('state', models.CharField(choices=[('draft', 'not started'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('cancelled', 'cancelled')], default='draft', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('highlights', models.JSONField(blank=True, editable=False, help_text='Tables worth a look, by rule, chosen at the end.', null=True)),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to=settings.AUTH_USER_MODEL)),
                ('ladder', models.ForeignKey(blank=True, editable=False, help_text='The ladder of its game, seats and options; set at its start.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to='ladders.ladder')),
                ('qualifier', models.ForeignKey(blank=True, editable=False, help_text='The tournament whose best entrants play here.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='finals', to='tournaments.tournament')),
                ('series', models.ForeignKey(blank=True, editable=False, help_text='The first of the tournaments that it repeats.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='repetitions', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='Result',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('score', models.IntegerField()),
                ('rank', models.PositiveSmallIntegerField()),
                ('faults', models.PositiveIntegerField(default=0)),
                ('forfeited', models.BooleanField(default=False, help_text='It made more faults than allowed and loses on this hand.')),
                ('decisions', models.PositiveIntegerField(default=0)),
                ('median_ms', models.FloatField(blank=True, help_text='Median thinking time of a decision in milliseconds.', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Its place in the schedule, from 0.')),
                ('round', models.PositiveIntegerField(default=0, help_text='From 0; a round is planned when all before it is over.')),
                ('seed', models.BinaryField(max_length=32)),
                ('dealt_once', models.BooleanField(default=False, help_text='Each entrant is seated once: a remote bot would remember the cards.')),
                ('substitute_version', models.PositiveSmallIntegerField(default=1, help_text='Version of the house bot that moves in place of failing bots, at all its tables.')),
                ('node', models.CharField(blank=True, default='', help_text='Whose arbiter plays it; empty until it has begun, and for remote bots.', max_length=64)),
                ('hinted_at', models.DateTimeField(blank=True, help_text='When workers were last told of it.', null=True)),
                ('over_at', models.DateTimeField(blank=True, help_text='When its last table ended.', null=True)),
                ('replaced_by', models.OneToOneField(blank=True, help_text='The block that is played in its place; its own results are void.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaces', to='tournaments.block')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['tournament_id', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Entrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Its place in the schedule, from 0.')),
                ('out_at', models.DateTimeField(blank=True, help_text='Since when it plays no more.', null=True)),
                ('out_as', models.CharField(blank=True, choices=[('disqualified', 'disqualified'), ('withdrawn', 'withdrawn'), ('set aside', 'set aside without a fault'), ('away', 'left out after a forfeited block')], default='', max_length=12)),
                ('out_for', models.CharField(blank=True, max_length=300)),
                ('out_for_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('place', models.PositiveIntegerField(blank=True, help_text='From 1, in formats that rank by more than Elo, after a round.', null=True)),
                ('points', models.FloatField(blank=True, help_text='Swiss: those of the rounds that are over.', null=True)),
                ('round_reached', models.PositiveIntegerField(blank=True, help_text='Knock-out: from 1.', null=True)),
                ('tie_breaks', models.JSONField(blank=True, editable=False, help_text='What parts it from equals, by criterion.', null=True)),
                ('left_after', models.PositiveIntegerField(blank=True, editable=False, help_text='Rounds that had been drawn when it left; those that were over stay as they are.', null=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='bots.version')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entrants', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='OpenDataPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('after_time', models.DateTimeField()),
                ('after_block', models.BigIntegerField()),
                ('last_time', models.DateTimeField()),
                ('last_block', models.BigIntegerField()),
                ('blocks', models.PositiveIntegerField()),
                ('facts', models.CharField(max_length=64)),
                ('checked_at', models.DateTimeField(db_index=True)),
                ('results_file', models.CharField(max_length=200)),
                ('results_digest', models.CharField(max_length=64)),
                ('records_file', models.CharField(max_length=200)),
                ('records_digest', models.CharField(max_length=64)),
            ],
            options={
                'ordering': ['last_time', 'last_block'],
                'indexes': [models.Index(fields=['last_time', 'last_block'], name='open_data_in_order')],
                'constraints': [models.UniqueConstraint(fields=('after_time', 'after_block'), name='one_open_data_part')],
            },
        ),
        migrations.CreateModel(
            name='PlanToDraw',
            fields=[
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='plan_to_draw', serialize=False, to='tournaments.tournament')),
                ('round', models.PositiveIntegerField(default=0)),
                ('plan', models.JSONField(null=True)),
                ('drawn', models.PositiveIntegerField(default=0)),
                ('held_until', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='ProgressCounts',
            fields=[
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='progress_counts', serialize=False, to='tournaments.tournament')),
                ('tables', models.PositiveIntegerField(default=0)),
                ('tables_done', models.PositiveIntegerField(default=0)),
                ('tables_void', models.PositiveIntegerField(default=0)),
                ('blocks', models.PositiveIntegerField(default=0)),
                ('blocks_over', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('by_code', models.BooleanField(default=False, help_text='This person came with the code.')),
                ('joined_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('left_out', models.CharField(blank=True, help_text='Why it does not play.', max_length=300)),
                ('left_out_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('entered_at', models.DateTimeField(auto_now_add=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='bots.bot')),
                ('version', models.ForeignKey(blank=True, help_text='Empty for the newest that was submitted before the deadline and is approved.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.tournament')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Fault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.PositiveIntegerField(help_text='Its number among all decisions of the match, from 1.', null=True)),
                ('deal', models.PositiveIntegerField()),
                ('move', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=20)),
                ('result', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fault_list', to='tournaments.result')),
            ],
            options={
                'ordering': ['deal', 'move'],
            },
        ),
        migrations.CreateModel(
            name='Seat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='tournaments.entrant')),
            ],
            options={
                'ordering': ['table_id', 'number'],
            },
        ),
        migrations.AddField(
            model_name='result',
            name='seat',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='result', to='tournaments.seat'),
        ),
        migrations.CreateModel(
            name='SeatReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('exit_kind', models.CharField(blank=True, max_length=40)),
                ('exit_code', models.IntegerField(default=0)),
                ('stderr', models.TextField(blank=True)),
                ('complaints', models.JSONField(default=list)),
                ('written', models.JSONField(blank=True, editable=False, null=True)),
                ('complaint_decisions', models.JSONField(blank=True, editable=False, null=True)),
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report', to='tournaments.seat')),
            ],
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lane', models.PositiveSmallIntegerField(help_text='Which seating of its block it is, from 0.')),
                ('state', models.CharField(choices=[('open', 'to be played'), ('done', 'played'), ('void', 'void')], default='open', max_length=4)),
                ('generation', models.PositiveIntegerField(default=0, help_text='Grows when the arbiter must play it again.')),
                ('kept', models.PositiveIntegerField(default=0, help_text='How often its match failed because a bot got no processor core.', verbose_name='kept from a core')),
                ('attempts', models.PositiveIntegerField(default=0, help_text='Number of times that a worker took it.')),
                ('lease_owner', models.CharField(blank=True, max_length=64)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('trouble', models.TextField(blank=True, help_text="The last failure of the platform's side.")),
                ('trouble_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('block', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='tournaments.block')),
            ],
            options={
                'ordering': ['block_id', 'lane'],
            },
        ),
        migrations.AddField(
            model_name='seat',
            name='table',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='tournaments.table'),
        ),
        migrations.CreateModel(
            name='Ruling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('void', 'made void'), ('again', 'made void and played again'), ('disqualify', 'disqualified'), ('withdraw', 'withdrawn'), ('set-aside', 'set aside without a fault'), ('away', 'left out after a forfeited block'), ('deadline', 'another deadline'), ('protest', 'protest'), ('news', 'announced')], max_length=10)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('role', models.CharField(choices=[('author', 'an author'), ('organiser', 'the organiser'), ('staff', 'the operators of this site'), ('platform', 'the platform by itself')], help_text='By whom.', max_length=10)),
                ('reason', models.TextField(blank=True, max_length=1000, validators=[stichkampf_platform.core.plain_names.several_lines])),
                ('reason_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('fault', models.CharField(blank=True, choices=[('machine', 'a machine of the platform failed or was too busy'), ('network', 'the platform lost the connection to a bot'), ('rules', 'the platform applied a rule of the game wrongly'), ('cards', 'cards could be seen before their time')], max_length=10, verbose_name='fault of the platform')),
                ('round', models.PositiveIntegerField(blank=True, help_text='From 0.', null=True)),
                ('before', models.JSONField(default=dict, editable=False)),
                ('after', models.JSONField(blank=True, editable=False, null=True)),
                ('answer', models.TextField(blank=True, max_length=1000, validators=[stichkampf_platform.core.plain_names.several_lines])),
                ('answer_role', models.CharField(blank=True, choices=[('author', 'an author'), ('organiser', 'the organiser'), ('staff', 'the operators of this site'), ('platform', 'the platform by itself')], max_length=10)),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('block', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='tournaments.block')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='rulings', to=settings.AUTH_USER_MODEL)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='tournaments.tournament')),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='rulings', to='bots.version')),
                ('table', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='protests', to='tournaments.table')),
            ],
            options={
                'ordering': ['-made_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='MatchRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_name', models.CharField(max_length=200)),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('record_bytes', models.PositiveIntegerField()),
                ('deals', models.PositiveIntegerField()),
                ('moves', models.PositiveIntegerField()),
                ('sandbox_level', models.CharField(blank=True, max_length=20)),
                ('deleted_at', models.DateTimeField(blank=True, help_text='When its file was deleted, its time being over.', null=True)),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='match_record', to='tournaments.table')),
            ],
        ),
        migrations.CreateModel(
            name='Participation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('block', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='tournaments.block')),
                ('entrant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='tournaments.entrant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('entrant', 'block'), name='one_participation_per_block')],
            },
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.UniqueConstraint(fields=('series', 'starts_at'), name='one_repetition_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('tournament', 'person'), name='one_membership_per_person'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(fields=('tournament', 'bot'), name='a_bot_is_entered_once'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='one_entrant_per_number'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('tournament', 'version'), name='a_version_enters_once'),
        ),
        migrations.AddIndex(
            model_name='block',
            index=models.Index(fields=['over_at', 'tournament', 'number'], name='blocks_to_play'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='one_block_per_number'),
        ),
        migrations.AddConstraint(
            model_name='fault',
            constraint=models.UniqueConstraint(fields=('result', 'deal', 'move'), name='one_fault_per_move'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'open')), fields=['lease_until'], name='open_leases'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(fields=['block', 'state'], name='tables_by_state'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('trouble', ''), _negated=True), fields=['block'], name='tables_in_trouble'),
        ),
        migrations.AddConstraint(
            model_name='table',
            constraint=models.UniqueConstraint(fields=('block', 'lane'), name='one_table_per_lane'),
        ),
        migrations.AddConstraint(
            model_name='seat',
            constraint=models.UniqueConstraint(fields=('table', 'number'), name='one_entrant_per_seat'),
        ),
        migrations.AddIndex(
            model_name='ruling',
            index=models.Index(condition=models.Q(('after__isnull', True)), fields=['tournament'], name='rulings_to_settle'),
        ),
        migrations.CreateModel(
            name='CoOrganiser',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shared_tournaments', to=settings.AUTH_USER_MODEL)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='co_organisers', to='tournaments.tournament')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('tournament', 'person'), name='a_person_is_asked_to_organise_once')],
            },
        ),
        migrations.AddField(
            model_name='block',
            name='played_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When its last table ended, where results are held back.', null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='revealed_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When its scores were revealed that were held back.', null=True),
        ),
        migrations.AddField(
            model_name='tournament',
            name='beat',
            field=models.CharField(choices=[('at-once', 'as soon as the one before is over'), ('press', 'by a press'), ('minutes', 'some minutes after the one before'), ('times', 'at set times')], default='at-once', help_text='Swiss and knock-out: when each round after the first starts.', max_length=8, verbose_name='later rounds start'),
        ),
        migrations.AddField(
            model_name='tournament',
            name='beat_minutes',
            field=models.PositiveIntegerField(blank=True, help_text='From the end of a round, with its results shown, to the start of the next.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)], verbose_name='minutes between rounds'),
        ),
        migrations.AddField(
            model_name='tournament',
            name='next_round_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When it starts, empty for a press; when the one that waited last has started.', null=True),
        ),
        migrations.AddField(
            model_name='tournament',
            name='reveal',
            field=models.CharField(choices=[('at-once', 'as soon as a block is over'), ('press', 'held back, and revealed by a press'), ('clock', 'held back, and revealed by the clock')], default='at-once', help_text='Held back, nobody sees them before they are revealed, you included.', max_length=8, verbose_name='results are shown'),
        ),
        migrations.AddField(
            model_name='tournament',
            name='reveal_seconds',
            field=models.PositiveIntegerField(default=10, help_text='Where the clock reveals: from one table to the next.', validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(3600)], verbose_name='seconds between tables'),
        ),
        migrations.AddField(
            model_name='tournament',
            name='round_times',
            field=models.TextField(blank=True, default='', help_text='By the clocks of the time zone, such as 2026-12-04 19:30, with commas between.', max_length=2000, verbose_name='times of the later rounds'),
        ),
        migrations.AddField(
            model_name='tournament',
            name='waiting_round',
            field=models.PositiveIntegerField(blank=True, editable=False, help_text='The round that waits for its start, from 0.', null=True),
        ),
        migrations.RunPython(make_organisers, migrations.RunPython.noop),
    ]
