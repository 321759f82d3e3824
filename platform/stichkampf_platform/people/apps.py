from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in


class PeopleConfig(AppConfig):
    name = "stichkampf_platform.people"
    label = "people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from stichkampf_platform.people import addresses  # needs the models

        user_logged_in.connect(addresses.remember_sign_in)
