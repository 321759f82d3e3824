"""Django's command, which collects the templates of stored sentences and the names of models as well."""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management.commands import makemessages

from stichkampf_platform.desk.model_names import CONTEXT, shown_names


class Command(makemessages.Command):
    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Sentence", "--keyword=LogText"]

    def build_potfiles(self) -> list[str]:
        """Collect the texts, and add the names of models, which no source marks as texts."""
        files: list[str] = super().build_potfiles()
        for file in map(Path, files):
            found = file.read_text("utf-8")
            for name in sorted(shown_names()):
                entry = f"msgctxt {json.dumps(CONTEXT)}\nmsgid {json.dumps(name)}\n"
                if entry not in found:
                    found += f'\n{entry}msgstr ""\n'
            file.write_text(found, "utf-8")
        return files
