from django.apps import AppConfig


class CompositionConfig(AppConfig):
    """The composition root: it ties the rooms together that these settings name."""

    name = "stichkampf_platform.settings"
    label = "settings"

    def ready(self) -> None:
        from stichkampf_platform import celery_app  # noqa: F401  makes it the current app: the site queues tasks
