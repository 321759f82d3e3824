from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "stichkampf_platform.tournaments"
    label = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from stichkampf_platform import celery_app  # noqa: F401  makes it the current app: the site queues tasks
        from stichkampf_platform.core.administration import StichkampfAdminSite  # needs the models
        from stichkampf_platform.tournaments.running import busy_node  # needs the models

        StichkampfAdminSite.warnings.append(busy_node.warning)
