from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('game', models.CharField(max_length=30)),
                ('seats', models.PositiveSmallIntegerField()),
                ('options', models.JSONField()),
                ('options_digest', models.CharField(max_length=64)),
                ('main', models.BooleanField(default=False, verbose_name='main ladder of its game')),
                ('private', models.BooleanField(default=False, help_text='It belongs to one private tournament and is seen with it.')),
                ('slow', models.BooleanField(default=False, help_text='A move takes so long that language models can play.')),
                ('log', models.JSONField(default=list, editable=False, help_text='Which tournaments were counted or taken out by hand, and when.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['game', '-main', 'seats', 'slug'],
                'constraints': [models.UniqueConstraint(fields=('game', 'seats', 'options_digest'), name='one_ladder_per_option_set'), models.UniqueConstraint(condition=models.Q(('main', True)), fields=('game',), name='one_main_ladder_per_game')],
            },
        ),
    ]
