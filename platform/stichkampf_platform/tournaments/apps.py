from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "stichkampf_platform.tournaments"
    label = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from stichkampf_platform import celery_app  # noqa: F401  makes it the current app: the site queues tasks
