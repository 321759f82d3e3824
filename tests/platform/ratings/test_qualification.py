"""Knock-outs of the best: where the last place that enters is shared, a lot decides, and the page says so."""

import re

from stichkampf_platform.people.models import User
from stichkampf_platform.ratings import services as ratings
from stichkampf_platform.ratings.qualification import decided_by_lot, make_final


def test_a_lot_that_decided_who_enters_is_named_on_the_page_and_in_the_api(
    client, make_tournament, house, play_out, person
):
    names = ("thumb", "random", "timid", "bold", "flat", "glimpse")
    cup = make_tournament(
        versions=[house[name] for name in names], format="swiss", rounds=1, blocks=1, seats=3
    )
    play_out(cup)
    ratings.publish(ladder=cup.ladder, tournament=cup)
    for entrant in cup.entrants.all():
        cup.entrants.filter(pk=entrant.pk).update(place=min(entrant.number + 1, 5))
    olga = person("olga")
    User.objects.filter(pk=olga.pk).update(is_superuser=True)
    final = make_final(tournament=cup, by=User.objects.get(pk=olga.pk), best=5)
    bots = {entrant.version.bot.slug for entrant in final.entrants.select_related("version__bot")}
    (lucky,) = bots & {"flat", "glimpse"}
    (other,) = {"flat", "glimpse"} - bots
    told = (
        f"{house[lucky]} and {house[other]} shared place 5 of the tournament before: a lot decided that of "
        f"these {house[lucky]} plays on."
    )
    assert decided_by_lot(final) == told
    final.published = True
    final.entry = "anybody"
    final.save()
    page = " ".join(re.sub(r"<[^>]*>", " ", client.get(final.get_absolute_url()).content.decode()).split())
    assert told in page
    assert client.get(f"/api/v1/tournaments/{final.slug}/").json()["lot"] == told
    german = client.get(f"/de{final.get_absolute_url()}").content.decode()
    assert "teilten sich Rang 5 im Turnier davor" in german


def test_no_lot_is_named_where_the_places_decided(make_tournament, house, play_out, person):
    names = ("thumb", "random", "timid", "bold", "flat", "glimpse")
    cup = make_tournament(
        versions=[house[name] for name in names], format="swiss", rounds=1, blocks=1, seats=3
    )
    play_out(cup)
    ratings.publish(ladder=cup.ladder, tournament=cup)
    for entrant in cup.entrants.all():
        cup.entrants.filter(pk=entrant.pk).update(place=entrant.number + 1)
    olga = person("olga")
    User.objects.filter(pk=olga.pk).update(is_superuser=True)
    final = make_final(tournament=cup, by=User.objects.get(pk=olga.pk), best=5)
    assert decided_by_lot(final) == ""
    assert decided_by_lot(cup) == ""
