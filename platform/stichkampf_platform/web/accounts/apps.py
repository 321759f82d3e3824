from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "stichkampf_platform.web.accounts"
    verbose_name = "Accounts on the site"

    def ready(self) -> None:
        from stichkampf_platform.web.accounts import signals  # needs the models

        signals.connect()
