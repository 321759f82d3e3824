from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "stichkampf_platform.operations"
    label = "operations"

    def ready(self) -> None:
        from stichkampf_platform.operations import beat_signs, node_reports  # these need the models

        beat_signs.connect()
        node_reports.connect()
