import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('tournaments', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Experiment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('challenge', 'challenge'), ('comparison', 'comparison'), ('counterfactual', 'counterfactual seat')], max_length=14)),
                ('left_out', models.JSONField(blank=True, default=dict, help_text='Past blocks that cannot be played again, by the reason.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('against', models.ForeignKey(blank=True, help_text='The other version of the bot, in a comparison or counterfactual seat.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.version')),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='asked_as', to='tournaments.tournament')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to='bots.version')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Repetition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('block', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='repetition', to='tournaments.block')),
                ('past', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='repetitions', to='tournaments.block')),
            ],
        ),
    ]
