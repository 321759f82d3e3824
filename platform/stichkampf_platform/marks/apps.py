from django.apps import AppConfig


class MarksConfig(AppConfig):
    name = "stichkampf_platform.marks"
    label = "marks"
    default_auto_field = "django.db.models.BigAutoField"
