from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "stichkampf_platform.web"
    verbose_name = "Site"

    def ready(self) -> None:
        from stichkampf_platform.web.accounts import signals  # needs the models

        signals.connect()
