from django.apps import AppConfig
from django.db.backends.signals import connection_created

from stichkampf_platform.core.table_changes import follow_connection


class CoreConfig(AppConfig):
    name = "stichkampf_platform.core"
    label = "core"

    def ready(self) -> None:
        connection_created.connect(follow_connection, dispatch_uid="follow")
