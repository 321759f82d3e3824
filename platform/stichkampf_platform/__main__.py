"""Django's commands for the platform: `python -m stichkampf_platform doctor`, wherever it is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

try:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError
except ModuleNotFoundError:
    sys.exit("The platform needs Django and more: in a checkout, pip install . './platform[platform]'")


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
    try:
        execute_from_command_line([Path(sys.argv[0]).name, *sys.argv[1:]])
    except ImproperlyConfigured as error:
        print(f"The settings are wrong: {error}", file=sys.stderr)
        return 1
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None):  # the server's answer to a statement
            raise
        said = " ".join(str(error).split())
        print(f"The database cannot be used: {said} Is DATABASE_URL right?", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
