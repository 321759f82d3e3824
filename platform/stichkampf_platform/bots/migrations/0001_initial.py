import django.db.models.deletion
import stichkampf_platform.bots.models
import stichkampf_platform.core.plain_names
import stichkampf_platform.people.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(help_text='Its name, once among the bots of its author.', max_length=40, validators=[stichkampf_platform.people.models.player_name])),
                ('name', models.CharField(max_length=60, validators=[stichkampf_platform.core.plain_names.one_line])),
                ('description', models.TextField(blank=True, max_length=2000, validators=[stichkampf_platform.core.plain_names.several_lines])),
                ('accepts_challenges', models.BooleanField(default=True, help_text='Other authors may ask for unrated blocks against it.')),
                ('may_be_entered', models.BooleanField(default=False, help_text='Organisers may enter it in their tournaments without asking.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['slug', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveIntegerField(default=0, help_text='Number of times that a worker took it.')),
                ('trials', models.PositiveIntegerField(default=0, help_text='Trials started since the last verdict.')),
                ('set_aside_at', models.DateTimeField(blank=True, help_text='Since when it waits for staff: its trials were broken off.', null=True)),
                ('lease_owner', models.CharField(blank=True, max_length=64)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('approved_by', models.ForeignKey(blank=True, help_text='The member of staff who let this code run although the sandbox is weak.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='TrialMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=30)),
                ('file_name', models.CharField(max_length=200)),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('record_bytes', models.PositiveIntegerField()),
                ('printed', models.TextField(blank=True, help_text='What the bot wrote to standard output and error.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='bots.submission')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('house', models.CharField(blank=True, help_text='The house bot that plays; empty for an archive.', max_length=40)),
                ('archive', models.FileField(blank=True, storage=stichkampf_platform.bots.models.archive_storage, upload_to='archives/')),
                ('digest', models.CharField(blank=True, max_length=64, verbose_name='SHA-256')),
                ('archive_bytes', models.PositiveIntegerField(default=0)),
                ('weight', models.CharField(blank=True, default='', help_text='The weight class of its archive; empty for the light one.', max_length=12)),
                ('remote', models.BooleanField(default=False, help_text="It plays on its author's machine and connects from there.")),
                ('games', models.JSONField(blank=True, default=list, help_text='The games that it plays; empty until they are known.')),
                ('state', models.CharField(choices=[('submitted', 'submitted'), ('validating', 'being validated'), ('approved', 'approved'), ('rejected', 'rejected'), ('suspended', 'suspended'), ('stale', 'to be validated again')], default='submitted', max_length=12)),
                ('reason', models.TextField(blank=True, help_text='Why it waits, was rejected or is suspended.')),
                ('reason_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('suspended_for', models.CharField(blank=True, choices=[('faults', 'too many faults'), ('staff', 'by staff'), ('rules', 'fails under new rules'), ('away', 'was not connected to be validated again'), ('newer', 'the house plays a newer version'), ('closed', 'its account is closed')], default='', editable=False, max_length=8)),
                ('validated_against', models.JSONField(blank=True, help_text="The version of the wire and of each game's rules under which it passed.", null=True)),
                ('stale_at', models.DateTimeField(blank=True, help_text='Since when it has to be validated again.', null=True)),
                ('forgiven_at', models.DateTimeField(blank=True, help_text='When a suspension was lifted; earlier faults no longer count.', null=True)),
                ('put_forward_at', models.DateTimeField(blank=True, help_text="When its owner let it take the bot's rank before it has blocks enough.", null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='bots.bot')),
                ('predecessor', models.ForeignKey(blank=True, editable=False, help_text='The earlier version with nearly the same code; the two share their evidence.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='bots.version')),
            ],
            options={
                'ordering': ['bot__slug', 'number'],
            },
        ),
        migrations.AddField(
            model_name='submission',
            name='version',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='submission', to='bots.version'),
        ),
        migrations.CreateModel(
            name='RemoteAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_digest', models.CharField(help_text='Once the token is revoked a random one, that no token has.', max_length=64, unique=True, verbose_name='SHA-256 of the token')),
                ('hint', models.CharField(max_length=12)),
                ('issued_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('connected_at', models.DateTimeField(blank=True, help_text='Since when it is connected; empty while it is not.', null=True)),
                ('last_seen_at', models.DateTimeField(blank=True, null=True)),
                ('latency_seconds', models.FloatField(blank=True, null=True)),
                ('tables', models.PositiveIntegerField(default=0, help_text='Tables that it plays at the moment.')),
                ('issued_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='access', to='bots.version')),
            ],
            options={
                'verbose_name_plural': 'remote accesses',
                'ordering': ['version'],
            },
        ),
        migrations.AddField(
            model_name='bot',
            name='ranked_version',
            field=models.ForeignKey(blank=True, help_text="The newest version that holds the bot's place on a ladder; it enters where none is named.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='bots.version'),
        ),
        migrations.CreateModel(
            name='LogLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('level', models.CharField(choices=[('info', 'info'), ('good', 'good'), ('bad', 'bad')], default='info', max_length=4)),
                ('text', models.TextField()),
                ('parts', models.JSONField(blank=True, editable=False, null=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='bots.submission')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('submission', 'number'), name='one_log_line_per_number')],
            },
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='one_version_per_number'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('bot', 'digest'), name='one_version_per_archive'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(models.Q(('house', ''), _negated=True), ('digest', ''), ('remote', False)), models.Q(models.Q(('digest', ''), _negated=True), ('house', ''), ('remote', False)), models.Q(('digest', ''), ('house', ''), ('remote', True)), _connector='OR'), name='version_is_house_bot_archive_or_remote'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.UniqueConstraint(fields=('owner', 'slug'), name='one_bot_per_name_and_author'),
        ),
    ]
