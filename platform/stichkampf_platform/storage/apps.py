from django.apps import AppConfig


class StorageConfig(AppConfig):
    name = "stichkampf_platform.storage"
    label = "storage"
    default_auto_field = "django.db.models.BigAutoField"
