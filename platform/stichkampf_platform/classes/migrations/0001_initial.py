import django.db.models.deletion
import stichkampf_platform.core.plain_names
from django.conf import settings
from django.db import migrations, models

from stichkampf_platform.people.groups import allow


def make_teachers(apps, schema_editor):
    """Make the group whose members make classes."""
    allow(apps, "Teachers", "classes", {"schoolclass": ("add",)})


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('bots', '0001_initial'),
        ('contenttypes', '0002_remove_content_type_name'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('tournaments', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='ClosedAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closed_at', models.DateTimeField(auto_now_add=True)),
                ('pseudonym', models.CharField(blank=True, help_text='The name that it gets; empty once it has it.', max_length=30)),
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='closed', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SchoolClass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Such as Computing 10b; members see it in the names of the ladders.', max_length=60, validators=[stichkampf_platform.core.plain_names.one_line], verbose_name='name')),
                ('code', models.CharField(blank=True, db_index=True, help_text='Empty once the class has ended.', max_length=20)),
                ('made_with', models.CharField(help_text='The digest of the form that made it.', max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('compared_at', models.DateTimeField(blank=True, help_text="When its people's code was last compared.", null=True)),
                ('not_compared', models.JSONField(blank=True, help_text='The programs that could then not be read.', null=True)),
                ('ladders', models.ManyToManyField(editable=False, related_name='classes', to='tournaments.tournament')),
                ('teacher', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='classes', to=settings.AUTH_USER_MODEL)),
                ('public', models.BooleanField(default=True, help_text='Everybody sees these. Without it, bots of accounts that the class made play on its private ladders alone.', verbose_name='bots play on the public ladders, too')),
                ('code_read', models.BooleanField(default=False, help_text='Of bots of accounts that the class makes. Their slips and the page where they submit say so; it cannot be changed later.', verbose_name='the teacher reads the code')),
            ],
            options={
                'verbose_name': 'class',
                'verbose_name_plural': 'classes',
                'ordering': ['ended_at', '-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='Pupil',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="As in the teacher's list; only the teacher sees it.", max_length=80)),
                ('family_name', models.CharField(blank=True, help_text='By which a class is sorted; empty where the list did not tell it.', max_length=80)),
                ('made_here', models.BooleanField(help_text='The class made the account.')),
                ('slip', models.CharField(blank=True, max_length=64)),
                ('slip_number', models.PositiveSmallIntegerField(default=0)),
                ('joined_at', models.DateTimeField(auto_now_add=True)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pupils', to=settings.AUTH_USER_MODEL)),
                ('school_class', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pupils', to='classes.schoolclass')),
            ],
            options={
                'ordering': ['name', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('school_class', 'person'), name='once_in_a_class'), models.UniqueConstraint(condition=models.Q(('slip', ''), _negated=True), fields=('slip', 'slip_number'), name='one_person_per_slip')],
            },
        ),
        migrations.CreateModel(
            name='CodeLikeness',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('share', models.FloatField(help_text='Of their tokens, from 0 to 1.')),
                ('one', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.version')),
                ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.version')),
                ('school_class', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='likenesses', to='classes.schoolclass')),
            ],
            options={
                'ordering': ['-share', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('school_class', 'one', 'other'), name='one_likeness_per_pair')],
            },
        ),
        migrations.RunPython(make_teachers, migrations.RunPython.noop),
    ]
