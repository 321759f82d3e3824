from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy


class StoredFile(models.Model):
    """A file of the outbox, made in the same transaction as the rows that name it.

    It stays for a while after it was copied. A deleted one is a note that the store still has to delete it.
    """

    name = models.CharField(max_length=200)
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)
    copied_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When the store had a copy of it.")
    )
    deleted = models.BooleanField(default=False)

    class Meta:
        # `unique=True` would make two indexes of the names on PostgreSQL
        constraints = [models.UniqueConstraint(fields=["name"], name="one_file_per_name")]
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(copied_at=None) | models.Q(deleted=True),
                name="files_to_copy",
            ),
            models.Index(
                fields=["copied_at"], condition=models.Q(copied_at__isnull=False), name="files_copied"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def there(self) -> bytes:
        """Return the content.

        :raises FileNotFoundError: it is deleted.
        """
        if self.deleted:
            raise FileNotFoundError(f"the file {self.name!r} is deleted")
        return bytes(self.content)


class StoreLabel(models.Model):
    """The text by which an installation knows its own store; the store has it in a file. There is one."""

    text = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.text
