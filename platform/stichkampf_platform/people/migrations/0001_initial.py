import django.contrib.auth.models
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import stichkampf_platform.core.plain_names
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='FormerName',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('username', models.CharField(error_messages={'unique': 'That name is taken.'}, help_text='Lower-case letters, digits and hyphens, at most 30.', max_length=30, unique=True, validators=[django.core.validators.RegexValidator('\\A[a-z0-9]+(-[a-z0-9]+)*\\Z', 'Use lower-case letters, digits and single hyphens between them, such as my-name-2.')], verbose_name='name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='e-mail address')),
                ('language', models.CharField(choices=[('en', 'English'), ('de', 'Deutsch')], default='en', help_text='In which mails and notices are written.', max_length=5, verbose_name='language')),
                ('shares_address', models.BooleanField(default=False, help_text='In a class, whose people share a network address: limits for an address leave it out.')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                ('notices_seen_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('off_public_ladders', models.BooleanField(default=False, help_text='In a class whose teacher keeps its bots off the public ladders.')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_index=True)),
                ('action', models.CharField(choices=[('signed-in', 'signed in'), ('failed', 'failed to sign in'), ('signed-out', 'signed out'), ('ended', 'ended sessions elsewhere'), ('password', 'changed the password'), ('address', 'changed the mail address'), ('token-made', 'made an API token'), ('token-revoked', 'revoked an API token'), ('factor-added', 'added a second factor'), ('factor-removed', 'removed a second factor'), ('codes', 'made new recovery codes'), ('connected', 'connected another provider'), ('disconnected', 'disconnected another provider'), ('data', 'took a copy of the own data'), ('deleted', 'deleted the account'), ('administered', 'acted in the administration'), ('organised', 'organised by the API')], max_length=16, verbose_name='act')),
                ('credential', models.CharField(blank=True, choices=[('password', 'password'), ('second', 'password and second factor'), ('passkey', 'passkey'), ('provider', 'another provider'), ('token', 'API token'), ('system', 'the installation itself')], max_length=10)),
                ('subject', models.CharField(blank=True, help_text='On what or whom, in plain words or as an address.', max_length=200)),
                ('digest', models.CharField(blank=True, help_text='Of the network address; not the address.', max_length=64)),
                ('person', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='audit_entries', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'entry of the audit log',
                'verbose_name_plural': 'audit log',
                'ordering': ['-at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='OpenSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_key', models.CharField(editable=False, max_length=40, unique=True)),
                ('browser', models.CharField(blank=True, max_length=60)),
                ('credential', models.CharField(choices=[('password', 'password'), ('second', 'password and second factor'), ('passkey', 'passkey'), ('provider', 'another provider'), ('token', 'API token'), ('system', 'the installation itself')], default='password', max_length=10)),
                ('digest', models.CharField(blank=True, help_text='Of the network address; not the address.', max_length=64)),
                ('began_at', models.DateTimeField()),
                ('seen_at', models.DateTimeField(db_index=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='open_sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-seen_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='RateCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=30)),
                ('who', models.CharField(max_length=64)),
                ('ends_at', models.DateTimeField(db_index=True)),
                ('times', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('scope', 'who', 'ends_at'), name='one_count_per_span')],
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, validators=[stichkampf_platform.core.plain_names.one_line])),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('hint', models.CharField(max_length=12)),
                ('scope', models.CharField(choices=[('reader', 'reading only'), ('author', 'bots and entries'), ('organiser', 'bots, entries, and your own tournaments and classes')], default='author', help_text='Organising takes a token of its own and the permission.', max_length=10, verbose_name='what it is for')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, help_text='From then on it is of no use; empty: never.', null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'API token',
                'ordering': ['-created_at'],
                'constraints': [models.UniqueConstraint(models.F('owner'), django.db.models.functions.text.Lower('name'), condition=models.Q(('revoked_at', None)), name='one_live_token_per_name')],
            },
        ),
        migrations.CreateModel(
            name='KnownAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('signed_up', models.BooleanField(default=False, help_text='The account was made from here.')),
                ('named_by_proxy', models.BooleanField(default=False, help_text="A proxy that is trusted named the address, so it is the visitor's own.")),
                ('seen_at', models.DateTimeField(db_index=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='known_addresses', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('person', 'digest'), name='one_known_address_per_person')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('conduct', 'A bot of yours is suspended, or may play again'), ('validation', 'The validation of a bot of yours is finished'), ('tournament', 'A tournament with a bot of yours has started or ended'), ('rank', 'The rank of a bot of yours has changed on a main ladder, told once a day')], default='conduct', max_length=12)),
                ('once', models.CharField(blank=True, editable=False, help_text='What it tells: the same is told to a person once.', max_length=80, null=True)),
                ('title', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('title_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('text_parts', models.JSONField(blank=True, editable=False, null=True)),
                ('address', models.CharField(blank=True, help_text='The page that it is about.', max_length=200)),
                ('evidence', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('mail_to', models.EmailField(blank=True, help_text='Where to mail it: the address at the time; empty for no mail.', max_length=254)),
                ('mail_due_at', models.DateTimeField(blank=True, help_text='From when a worker may mail it; empty when nothing is to be mailed.', null=True)),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
                'indexes': [models.Index(condition=models.Q(('mail_due_at__isnull', False)), fields=['mail_due_at'], name='notices_to_mail')],
                'constraints': [models.UniqueConstraint(fields=('person', 'once'), name='told_once')],
            },
        ),
        migrations.CreateModel(
            name='NoticeChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('conduct', 'A bot of yours is suspended, or may play again'), ('validation', 'The validation of a bot of yours is finished'), ('tournament', 'A tournament with a bot of yours has started or ended'), ('rank', 'The rank of a bot of yours has changed on a main ladder, told once a day')], max_length=12)),
                ('way', models.CharField(choices=[('off', 'not at all'), ('site', 'on the site'), ('mail', 'on the site and by mail')], max_length=4)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notice_choices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('person', 'kind'), name='one_choice_per_kind')],
            },
        ),
        migrations.CreateModel(
            name='NameReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('times', models.PositiveIntegerField(default=1, verbose_name='reports')),
                ('first_at', models.DateTimeField(auto_now_add=True, verbose_name='first report')),
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='name_report', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'reported name',
                'verbose_name_plural': 'reported names',
                'ordering': ['-times', 'pk'],
            },
        ),
    ]
