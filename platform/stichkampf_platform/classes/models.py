"""A class: a teacher, people with real names that only the teacher sees, and private ladders."""

from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.bots.models import Version
from stichkampf_platform.core.page_addresses import localized
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.people.services import may_teach
from stichkampf_platform.tournaments.models import Tournament

NAME_CHARACTERS = 80


class SchoolClassQuerySet(models.QuerySet):
    def of_teacher(self, person: Any) -> Self:
        """Return the classes of a teacher, all for a superuser; none for others, members included."""
        if not may_teach(person):
            return self.none()
        return self if person.is_superuser else self.filter(teacher_id=person.pk)

    def listed(self) -> Self:
        """Return them for a list, those that go on first, with the number of their `people` and ladders."""
        ladders = Tournament.objects.select_related("ladder").order_by("name")
        counted = self.annotate(people=models.Count("pupils"))
        ordered = counted.order_by(models.F("ended_at").desc(nulls_first=True), "-pk")
        return ordered.prefetch_related(models.Prefetch("ladders", ladders))


class SchoolClass(models.Model):
    """A class. When it has ended, its people are gone and its ladders stay."""

    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="classes")
    name = models.CharField(
        gettext_lazy("name"),
        max_length=60,
        validators=[one_line],
        help_text=gettext_lazy("Such as Computing 10b; members see it in the names of the ladders."),
    )
    code = models.CharField(
        max_length=20, blank=True, db_index=True, help_text=gettext_lazy("Empty once the class has ended.")
    )
    made_with = models.CharField(
        max_length=64, unique=True, help_text=gettext_lazy("The digest of the form that made it.")
    )
    public = models.BooleanField(
        gettext_lazy("bots play on the public ladders, too"),
        default=True,
        help_text=gettext_lazy(
            "Everybody sees these. Without it, bots of accounts that the class made play on its private"
            " ladders alone."
        ),
    )
    code_read = models.BooleanField(
        gettext_lazy("the teacher reads the code"),
        default=False,
        help_text=gettext_lazy(
            "Of bots of accounts that the class makes. Their slips and the page where they submit say so;"
            " it cannot be changed later."
        ),
    )
    ladders = models.ManyToManyField(Tournament, related_name="classes", editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    compared_at = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("When its people's code was last compared.")
    )

    not_compared = models.JSONField(
        null=True, blank=True, help_text=gettext_lazy("The programs that could then not be read.")
    )

    objects = SchoolClassQuerySet.as_manager()

    class Meta:
        ordering = ["ended_at", "-created_at", "-pk"]
        verbose_name = gettext_lazy("class")
        verbose_name_plural = gettext_lazy("classes")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return localized(f"/classes/{self.pk}/")


class Pupil(models.Model):
    """A person in a class: an account that the class made, or one's own that came with the code.

    Initial passwords are kept nowhere: they follow from the key of the form that made them. `slip` is the
    digest of that key, so the same form sent twice makes nothing twice and prints the same slips.
    """

    school_class = models.ForeignKey(SchoolClass, models.CASCADE, related_name="pupils")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="pupils")
    name = models.CharField(
        max_length=NAME_CHARACTERS,
        help_text=gettext_lazy("As in the teacher's list; only the teacher sees it."),
    )
    family_name = models.CharField(
        max_length=NAME_CHARACTERS,
        blank=True,
        help_text=gettext_lazy("By which a class is sorted; empty where the list did not tell it."),
    )
    made_here = models.BooleanField(help_text=gettext_lazy("The class made the account."))
    slip = models.CharField(max_length=64, blank=True)
    slip_number = models.PositiveSmallIntegerField(default=0)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["school_class", "person"], name="once_in_a_class"),
            models.UniqueConstraint(
                fields=["slip", "slip_number"], condition=~models.Q(slip=""), name="one_person_per_slip"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.person})"

    def get_absolute_url(self) -> str:
        return localized(f"/classes/{self.school_class_id}/people/{self.pk}/")


class CodeLikeness(models.Model):
    """Two programs of a class that are much alike; a hint for its teacher alone."""

    school_class = models.ForeignKey(SchoolClass, models.CASCADE, related_name="likenesses")
    one = models.ForeignKey(Version, models.CASCADE, related_name="+")
    other = models.ForeignKey(Version, models.CASCADE, related_name="+")
    share = models.FloatField(help_text=gettext_lazy("Of their tokens, from 0 to 1."))

    class Meta:
        ordering = ["-share", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["school_class", "one", "other"], name="one_likeness_per_pair")
        ]

    def __str__(self) -> str:
        return f"{self.one} and {self.other}: {self.share:.0%}"


class ClosedAccount(models.Model):
    """An account that was closed: a pseudonym in records and ratings, which belongs to no person.

    Its class has ended, or its person deleted it. A person's own account gets another name, as soon as no
    table is to be played whose record would have both.
    """

    person = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="closed")
    closed_at = models.DateTimeField(auto_now_add=True)
    pseudonym = models.CharField(
        max_length=30, blank=True, help_text=gettext_lazy("The name that it gets; empty once it has it.")
    )

    def __str__(self) -> str:
        return f"{self.person}, closed {self.closed_at:%Y-%m-%d}"
