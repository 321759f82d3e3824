from django.apps import AppConfig


class ClassesConfig(AppConfig):
    name = "stichkampf_platform.classes"
    label = "classes"
    default_auto_field = "django.db.models.BigAutoField"
