from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "stichkampf_platform.operations"
    label = "operations"

    def ready(self) -> None:
        # these need the models
        from stichkampf_platform.core.administration import StichkampfAdminSite
        from stichkampf_platform.operations import beat_signs, node_reports, page

        beat_signs.connect()
        node_reports.connect()
        StichkampfAdminSite.pages.append(("operations/", page.operations, "operations"))
