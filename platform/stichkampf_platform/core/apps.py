from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class CoreConfig(AppConfig):
    """Templates and styles of the administration. It stands before Django's own, which they extend."""

    name = "stichkampf_platform.core"
    label = "core"


class StichkampfAdminConfig(AdminConfig):
    default_site = "stichkampf_platform.core.administration.StichkampfAdminSite"
