from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "stichkampf_platform.web"
    verbose_name = "Site"
