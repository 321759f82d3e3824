from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "stichkampf_platform.people"
    label = "people"
    default_auto_field = "django.db.models.BigAutoField"
