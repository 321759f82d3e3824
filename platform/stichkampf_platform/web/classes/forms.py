"""The forms of classes. Each carries a key, so that what is sent twice is done once."""

from __future__ import annotations

from hashlib import sha256

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from stichkampf.games import GAMES

from stichkampf_platform.classes.initial_passwords import KEY_CHARACTERS, new_key
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import (
    LIST_BYTES,
    NAMES_AT_MOST,
    ListedName,
    name_order,
    names_in,
    table_of,
    text_of,
)
from stichkampf_platform.core.plain_names import one_line


class SentOnceForm(forms.Form):
    """A form that is known again when it is sent a second time."""

    key = forms.CharField(
        widget=forms.HiddenInput, initial=new_key, min_length=KEY_CHARACTERS, max_length=KEY_CHARACTERS
    )


class NameListForm(SentOnceForm):
    """A list of names, pasted or as a file. The names that were read are shown before anything is made.

    :ivar listed: the people of the list, in the order of the class; empty while something is wrong.
    """

    names = forms.CharField(
        label=gettext_lazy("Names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One person a line, such as Ada Lovelace, or a table pasted from another program. Only you see"
            " these names; each account gets another name, such as teal-otter-42."
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("or a CSV file"),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
        required=False,
        help_text=gettext_lazy(
            "With a column for the name, or two for first name and last name; other columns are left out."
        ),
    )
    shown = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: object, known: list[str] | None = None, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.known = known or []
        self.listed: list[ListedName] = []

    def clean(self) -> dict:
        cleaned = super().clean()
        try:
            texts = [text for text in (cleaned.get("names"), self._file_text()) if text]
            cleaned["names"] = names_in(*texts, known=self.known, room=NAMES_AT_MOST - len(self.known))
            self.listed = sorted(cleaned["names"], key=name_order)
        except ValidationError as error:
            self.add_error("names", error.messages)
        return cleaned

    @property
    def were_shown(self) -> bool:
        """Tell whether the visitor has seen just these people and sends them again."""
        return self.is_valid() and self.cleaned_data["shown"] == self._digest

    def sent_again(self) -> list[tuple[str, str]]:
        """Return the names and values of the fields that make what is shown."""
        values = {**dict(self.data.lists()), "names": [table_of(self.listed)], "shown": [self._digest]}
        return [(name, value) for name in self.fields if name in values for value in values[name]]

    @property
    def _digest(self) -> str:
        return sha256(table_of(self.listed).encode()).hexdigest()

    def _file_text(self) -> str:
        file = self.cleaned_data.get("file")
        if file is None:
            return ""
        if file.size > LIST_BYTES:
            told = _("The file has %(bytes)s bytes; at most %(most)s are possible.")
            raise ValidationError(told % {"bytes": file.size, "most": LIST_BYTES})
        return text_of(file.read())


class ClassForm(NameListForm):
    """A new class."""

    name = forms.CharField(
        label=gettext_lazy("Name of the class"),
        max_length=SchoolClass._meta.get_field("name").max_length,
        validators=[one_line],
        help_text=gettext_lazy("Such as Computing 10b; its people see it, too."),
    )
    games = forms.MultipleChoiceField(
        label=gettext_lazy("Games"),
        choices=[(slug, game.title) for slug, game in GAMES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Each gets a private ladder, with the options of its main ladder."),
        error_messages={"required": gettext_lazy("Choose a game or more: each gets a ladder.")},
    )
    public = forms.BooleanField(
        label=gettext_lazy("Their bots play on the public ladders, too"),
        required=False,
        initial=True,
        help_text=SchoolClass._meta.get_field("public").help_text,
    )
    code_read = forms.BooleanField(
        label=gettext_lazy("I read the code of their bots"),
        required=False,
        help_text=SchoolClass._meta.get_field("code_read").help_text,
    )
    field_order = ["name", "games", "public", "code_read", "names", "file", "key"]


class EndClassForm(forms.Form):
    """The question before a class ends."""

    saved = forms.BooleanField(
        label=gettext_lazy("I have saved the export, or do not need it."),
        error_messages={
            "required": gettext_lazy("Save the export first, or say here that you do not need it.")
        },
    )
