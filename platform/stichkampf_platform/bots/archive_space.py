"""Disk space for archives: a quota for each account, a floor of free disk, deletion after rejection."""

from __future__ import annotations

import logging
import shutil
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from stichkampf.limits import ACCOUNT_BYTES, REJECTED_DAYS

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import DiskFull, RequestRefused
from stichkampf_platform.core.machines.failures import each_by_itself
from stichkampf_platform.people.models import User

DELETED_AT_ONCE = 100

logger = logging.getLogger(__name__)


def check_disk() -> None:
    """Refuse archives while the disk of the platform's state is nearly full.

    :raises DiskFull: fewer bytes are free than `FREE_DISK_BYTES`.
    """
    free = shutil.disk_usage(settings.STATE_DIR).free
    if free < settings.FREE_DISK_BYTES:
        logger.error("uploads are refused: %s MB of disk are free", free // 10**6)
        raise DiskFull(
            _(
                "The platform's disk is nearly full, so it accepts no archives at the moment. Try again "
                "tomorrow."
            )
        )


def stored_bytes(owner: User) -> int:
    """Return the bytes of all archives that are kept for an account."""
    kept = Version.objects.filter(bot__owner=owner).exclude(archive="")
    return kept.aggregate(total=Sum("archive_bytes"))["total"] or 0


def check_quota(owner: User, size: int) -> None:
    """Check that an archive fits; call it with the owner locked.

    :raises RequestRefused: saying how much there is.
    """
    stored = stored_bytes(owner)
    if stored + size > ACCOUNT_BYTES:
        full = _(
            "Your archives have {stored:,} bytes, and this one {size:,}; an account may keep "
            "{account_bytes:,}."
        ).format(stored=stored, size=size, account_bytes=ACCOUNT_BYTES)
        deleted = ngettext(
            "Archives of rejected versions are deleted after a day.",
            "Archives of rejected versions are deleted after {rejected_days} days.",
            REJECTED_DAYS,
        ).format(rejected_days=REJECTED_DAYS)
        raise RequestRefused(f"{full} {deleted}")


def delete_rejected() -> int:
    """Delete archives of versions that were rejected long ago; return how many. Versions and logs stay."""
    old = clock.now() - timedelta(days=REJECTED_DAYS)
    rejected = Version.objects.filter(state=Version.State.REJECTED, submission__finished_at__lt=old)
    return delete_archives(rejected.exclude(archive=""))


def delete_archives(versions: QuerySet[Version]) -> int:
    """Delete the archives of these versions, some at a time; return how many."""
    return each_by_itself("deletion of an archive", versions, _delete_archive, at_most=DELETED_AT_ONCE)


@transaction.atomic
def _delete_archive(version: Version) -> int:
    version.archive.delete(save=False)
    return Version.objects.filter(pk=version.pk).update(archive="")
