from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "stichkampf_platform.api"
    label = "api"
