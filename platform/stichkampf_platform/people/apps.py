from django.apps import AppConfig
from django.contrib import admin
from django.db.models.signals import post_save


class PeopleConfig(AppConfig):
    name = "stichkampf_platform.people"
    label = "people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # these need the models
        from allauth.mfa.models import Authenticator  # as above

        from stichkampf_platform.people.access import middleware, signals  # as above
        from stichkampf_platform.people.admin import FactorAdmin  # as above

        signals.connect()
        post_save.connect(middleware.note_admin_log, sender="admin.LogEntry")
        admin.site.unregister(Authenticator)  # allauth's shows the secrets
        admin.site.register(Authenticator, FactorAdmin)
