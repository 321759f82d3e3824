from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.db.backends.signals import connection_created

from stichkampf_platform.core.model_names import translate_names
from stichkampf_platform.core.page_cache.changes import follow_connection


class CoreConfig(AppConfig):
    """Templates and styles of the administration. It stands before Django's own, which they extend."""

    name = "stichkampf_platform.core"
    label = "core"

    def ready(self) -> None:
        connection_created.connect(follow_connection, dispatch_uid="follow")
        translate_names()


class StichkampfAdminConfig(AdminConfig):
    default_site = "stichkampf_platform.core.administration.StichkampfAdminSite"
