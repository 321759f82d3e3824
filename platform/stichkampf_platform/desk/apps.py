from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.apps import AdminConfig
from django.db.models.signals import post_save


class DeskConfig(AppConfig):
    """Templates and styles of the administration. It stands before Django's own, which they extend."""

    name = "stichkampf_platform.desk"
    label = "desk"

    def ready(self) -> None:
        # these need the models
        from stichkampf_platform.desk.log import note_admin_log
        from stichkampf_platform.desk.model_names import translate_names

        translate_names()
        post_save.connect(note_admin_log, sender="admin.LogEntry")


class StichkampfAdminConfig(AdminConfig):
    default_site = "stichkampf_platform.desk.site.StichkampfAdminSite"

    def ready(self) -> None:
        super().ready()
        # these need the models
        from allauth.mfa.models import Authenticator

        from stichkampf_platform.desk.people import FactorAdmin

        admin.site.unregister(Authenticator)  # allauth's shows the secrets
        admin.site.register(Authenticator, FactorAdmin)
