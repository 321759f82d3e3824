"""Add versions that count as validated: `approve.py SOURCE GAMES BOT...`, such as `… sticheln,mue ann/karl`.

A bot that is named again gets another version. Bots and their authors are made where they are missing.
"""

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
from stichkampf_platform.bots.services import next_number, rank_first  # noqa: E402
from stichkampf_platform.people.models import User  # noqa: E402

source, games, *names = sys.argv[1:]
for name in names:
    author, slug = name.split("/")
    owner, _ = User.objects.get_or_create(username=author)
    bot, _ = Bot.objects.get_or_create(
        owner=owner, slug=slug, defaults={"name": slug, "may_be_entered": True}
    )
    number = next_number(bot)
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        file.writestr("bot.py", f"{source}\n# {name} v{number}\n")
    content = memory.getvalue()
    archive = check_archive(content)
    version = Version(
        bot=bot,
        number=number,
        digest=archive.sha256,
        archive_bytes=len(content),
        games=games.split(","),
        state=Version.State.APPROVED,
    )
    version.archive.save(archive.sha256, ContentFile(content), save=False)
    version.save()
    rank_first(version)
