from django.apps import AppConfig
from django.db.models.signals import post_save


class PeopleConfig(AppConfig):
    name = "stichkampf_platform.people"
    label = "people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from stichkampf_platform.people.access import middleware, signals  # these need the models

        signals.connect()
        post_save.connect(middleware.note_admin_log, sender="admin.LogEntry")
