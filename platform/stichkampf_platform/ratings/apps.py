from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "stichkampf_platform.ratings"
    label = "ratings"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # these need the models
        from stichkampf_platform.ratings.queries import newest_strength
        from stichkampf_platform.ratings.standings import standings, standings_csv
        from stichkampf_platform.tournaments.records.exports import EXPORTS
        from stichkampf_platform.tournaments.scheduling.known_ranks import register_standings_reader
        from stichkampf_platform.tournaments.scheduling.strength import register_strength_reader

        register_strength_reader(newest_strength)
        register_standings_reader(standings)
        EXPORTS["standings.csv"] = ("text/csv", standings_csv)
