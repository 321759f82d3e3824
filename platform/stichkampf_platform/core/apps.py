from django.contrib.admin.apps import AdminConfig


class StichkampfAdminConfig(AdminConfig):
    default_site = "stichkampf_platform.core.administration.StichkampfAdminSite"
