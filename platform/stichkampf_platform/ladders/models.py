from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from stichkampf_platform.core.page_addresses import localized


class Ladder(models.Model):
    """One game, options, a number of seats, usual or slow: the tournaments that may be rated together."""

    slug = models.SlugField(max_length=80, unique=True)
    game = models.CharField(max_length=30)
    seats = models.PositiveSmallIntegerField()
    options = models.JSONField()
    options_digest = models.CharField(max_length=64)
    main = models.BooleanField(gettext_lazy("main ladder of its game"), default=False)
    private = models.BooleanField(
        default=False,
        help_text=gettext_lazy("It belongs to one private tournament and is seen with it."),
    )
    slow = models.BooleanField(
        default=False,
        help_text=gettext_lazy("A move takes so long that language models can play."),
    )
    log = models.JSONField(
        default=list,
        editable=False,
        help_text=gettext_lazy("Which tournaments were counted or taken out by hand, and when."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["game", "-main", "seats", "slug"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "seats", "options_digest"], name="one_ladder_per_option_set"
            ),
            models.UniqueConstraint(
                fields=["game"], condition=models.Q(main=True), name="one_main_ladder_per_game"
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return localized(f"/ladders/{self.game if self.main else self.slug}/")
