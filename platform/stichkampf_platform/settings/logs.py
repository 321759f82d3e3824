"""Settings of logs: lines for people, or on request one JSON object a line."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from pythonjsonlogger.core import RESERVED_ATTRS

LOG_FORMATS: dict[str, dict[str, Any]] = {
    "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
    "json": {
        "()": "pythonjsonlogger.json.JsonFormatter",
        "fmt": ["levelname", "name", "process", "message"],
        "rename_fields": {"levelname": "level", "name": "logger"},
        "timestamp": "at",
        "reserved_attrs": [*RESERVED_ATTRS, "color_message"],  # uvicorn's line once more, for terminals
    },
}


def log_settings(log_format: str) -> dict[str, Any]:
    """Return the settings of all loggers for `line` or `json`.

    :raises ImproperlyConfigured: it is another word.
    """
    if log_format not in LOG_FORMATS:
        raise ImproperlyConfigured(f"STICHKAMPF_LOG_FORMAT is {log_format!r}; it must be line or json.")
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"chosen": LOG_FORMATS[log_format]},
        "filters": {
            "subject": {"()": "stichkampf_platform.core.log_subject.SubjectFilter"},
            "ended": {"()": "stichkampf_platform.serving.endable_tasks.EndedTaskFilter"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "chosen",
                "filters": ["subject", "ended"],
            }
        },
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {"stichkampf_platform": {"level": "INFO"}},
    }
