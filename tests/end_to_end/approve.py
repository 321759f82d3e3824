"""Add submitted bots that count as validated, each with an author of its own: `approve.py SOURCE SLUG...`."""

import io
import os
import sys
import zipfile

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stichkampf_platform.settings.base")
django.setup()

from django.core.files.base import ContentFile  # noqa: E402
from stichkampf.packaging.archive import check_archive  # noqa: E402
from stichkampf_platform.bots.models import Bot, Version  # noqa: E402
from stichkampf_platform.people.models import User  # noqa: E402

source, *slugs = sys.argv[1:]
for slug in slugs:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("bot.py", f"{source}\n# {slug}\n")
    content = memory.getvalue()
    archive = check_archive(content)
    version = Version(
        bot=Bot.objects.create(owner=User.objects.create(username=f"author-of-{slug}"), slug=slug, name=slug),
        number=1,
        digest=archive.sha256,
        archive_bytes=len(content),
        games=["sticheln"],
        state=Version.State.APPROVED,
    )
    version.archive.save(archive.sha256, ContentFile(content), save=False)
    version.save()
