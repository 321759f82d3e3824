from django.apps import AppConfig


class CompositionConfig(AppConfig):
    """What ties the rooms of the platform together, as these settings name them."""

    name = "stichkampf_platform.settings"
    label = "settings"

    def ready(self) -> None:
        from stichkampf_platform import celery_app  # noqa: F401  makes it the current app: the site queues tasks
