"""The forms of bots, tokens, entries and codes."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.errors import StichkampfError
from stichkampf.games import GAMES
from stichkampf.limits import ARCHIVE_BYTES, LIGHT, NET
from stichkampf.packaging.archive import pack_source

from stichkampf_platform.bots import services as bots
from stichkampf_platform.bots.models import Submission
from stichkampf_platform.bots.remote import create_remote_version
from stichkampf_platform.classes import enrolment
from stichkampf_platform.core import clock
from stichkampf_platform.core.errors import DiskFull, RequestRefused, TooMany
from stichkampf_platform.core.number_formats import size
from stichkampf_platform.core.plain_names import one_line
from stichkampf_platform.people.models import ApiToken, User, player_name
from stichkampf_platform.people.services import scopes_for
from stichkampf_platform.tournaments.models import Tournament

PASTED_CHARACTERS = 1_000_000


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        validators=[one_line],
        help_text=gettext_lazy("The machine or program that will use it."),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("What it is for"), initial=ApiToken.Scope.AUTHOR, required=False
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("How long it is valid"),
        choices=[
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("a year")),
            ("", gettext_lazy("until you revoke it")),
        ],
        coerce=int,
        empty_value=None,
        initial=90,
        required=False,
    )

    def __init__(self, *args: object, owner: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scope"].choices = [(scope.value, scope.label) for scope in scopes_for(owner)]

    def clean_scope(self) -> str:
        return str(self.cleaned_data["scope"] or ApiToken.Scope.AUTHOR)

    def clean(self) -> dict:
        """Turn the days into a moment, `expires_at`."""
        given = super().clean() or {}
        days = given.pop("days", None)
        return {**given, "expires_at": clock.now() + timedelta(days=days) if days else None}


class EntryForm(forms.Form):
    """The choice of a bot for a tournament."""

    bot = forms.ChoiceField(label=gettext_lazy("Your bot"))

    def __init__(self, *args: object, choices: list[tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["bot"].choices = choices


class EntryCodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        help_text=gettext_lazy("As its organiser told it, such as k3mf-97pq-wtzh."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def join(self, *, by: User, address: str) -> list[Tournament]:
        """Return the tournaments that the code opens; none, with the reason at the field, if it is wrong."""
        try:
            return enrolment.join(code=self.cleaned_data["code"], by=by, address=address)
        except RequestRefused as error:
            self.add_error("code", str(error))
            return []


class VersionForm(forms.Form):
    """The base of forms that make the next version of a person's bot."""

    slug = forms.CharField(
        label=gettext_lazy("Bot"),
        max_length=40,
        validators=[player_name],
        help_text=gettext_lazy(
            "Its name in addresses and records, such as karl. If you have a bot with this name, this is "
            "its next version; a new name makes a new bot."
        ),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off"}),
    )

    def __init__(self, *args: object, owner: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner


class RemoteForm(VersionForm):
    """A remote version, which plays on its author's machine."""

    games = forms.MultipleChoiceField(
        choices=[(slug, game.title) for slug, game in GAMES.items() if not game.partners],
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "The games that it plays. Games with partners are for archives only: one remote program would"
            " see the cards of both."
        ),
    )

    def make(self, address: str) -> tuple[Submission, str] | None:
        """Return the submission and its token; `None`, with the reason at the field, if it is refused."""
        try:
            return create_remote_version(owner=self.owner, address=address, **self.cleaned_data)
        except TooMany as error:
            self.add_error(None, str(error))
        except StichkampfError as error:
            self.add_error("slug", capfirst(str(error)))
        except ValidationError as error:
            self.add_error(None, error.messages)
        return None


class SubmissionForm(VersionForm):
    """A bot as an archive, as one Python file, or as pasted code."""

    archive = forms.FileField(
        label=gettext_lazy("File"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": ".py,.zip,.gz,.tgz"}),
        help_text=format_lazy(
            gettext_lazy(
                "bot.py alone, or a .zip or .tar.gz with bot.py in it, chosen or dropped here; at most "
                "{size}, or {net} with a trained network of the weight class net."
            ),
            size=size(LIGHT.archive_bytes),
            net=size(NET.archive_bytes),
        ),
    )
    code = forms.CharField(
        label=gettext_lazy("Or its code"),
        required=False,
        strip=False,
        max_length=PASTED_CHARACTERS,
        help_text=gettext_lazy("The whole of bot.py, pasted here in place of a file."),
        widget=forms.Textarea(
            attrs={"rows": 8, "spellcheck": "false", "autocapitalize": "none", "autocomplete": "off"}
        ),
    )
    games = forms.MultipleChoiceField(
        required=False,
        choices=[(slug, game.title) for slug, game in GAMES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Leave all empty to use the games that the archive names, or to try every game."
        ),
    )

    def clean_archive(self):  # type: ignore[no-untyped-def]
        archive = self.cleaned_data["archive"]
        if archive is not None and archive.size > ARCHIVE_BYTES:
            raise ValidationError(
                _("The file has {size}; at most {archive_bytes} are allowed.").format(
                    size=size(archive.size), archive_bytes=size(ARCHIVE_BYTES)
                )
            )
        return archive

    def clean(self) -> None:
        super().clean()
        archive, code = self.cleaned_data.get("archive"), self.cleaned_data.get("code", "").strip()
        if archive and code:
            self.add_error("code", _("There are a file and pasted code here: give one of the two."))
        elif not archive and not code and not {"archive", "code"} & set(self.errors):
            self.add_error("archive", _("Choose a file, or paste the code of the bot."))

    def _content(self) -> tuple[bytes, str]:
        """Return the archive and the name of the file that it was made of.

        :raises ArchiveError: a single file is too large.
        """
        given = self.cleaned_data["archive"]
        if given is None:  # browsers send pasted lines with the line ends of forms
            return pack_source(self.cleaned_data["code"].replace("\r\n", "\n").encode()), "bot.py"
        content = given.read()
        return (pack_source(content) if given.name.endswith(".py") else content), given.name

    def submit(self, address: str) -> Submission | None:
        """Submit the bot; return `None`, with the reason at the field, if it is refused.

        :raises DiskFull: the platform has no disk space left.
        """
        field = "archive" if self.cleaned_data["archive"] else "code"
        try:
            content, file_name = self._content()
            return bots.submit_version(
                owner=self.owner,
                slug=self.cleaned_data["slug"],
                content=content,
                file_name=file_name,
                games=self.cleaned_data["games"] or None,
                address=address,
            )
        except DiskFull:
            raise
        except TooMany as error:
            self.add_error(None, str(error))
        except StichkampfError as error:
            self.add_error(field, capfirst(str(error)))
        except ValidationError as error:
            self.add_error(None, error.messages)
        return None
