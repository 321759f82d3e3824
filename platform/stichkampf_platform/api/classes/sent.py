"""Fields that programs of teachers send, with the checks of the forms on the pages."""

from __future__ import annotations

from typing import Any

from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.validators import ProhibitSurrogateCharactersValidator
from stichkampf.games import GAMES

from stichkampf_platform.api.serializers.sent import QUOTED_AT_MOST, SentSerializer
from stichkampf_platform.classes.initial_passwords import KEY_CHARACTERS
from stichkampf_platform.classes.models import SchoolClass
from stichkampf_platform.classes.name_lists import NAMES_AT_MOST, ListedName, names_in
from stichkampf_platform.core.plain_names import one_line

NAME_LIST = {
    "oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}],
    "example": ["Ada Lovelace", "Alan Turing"],
}


@extend_schema_field(NAME_LIST)
class NamesField(serializers.Field):
    """A list of names, or the text of one as it is pasted on the page; a name of a list is one line of that.

    Needs the names that are in the class as `known` of the context.
    """

    quotes = True

    def to_internal_value(self, sent: Any) -> list[ListedName]:
        lines = [sent] if isinstance(sent, str) else sent
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise serializers.ValidationError(
                'Names are a list, such as ["Ada Lovelace"], or one text with a name a line.'
                f" Given: {repr(sent)[:QUOTED_AT_MOST]}"
            )
        text = "\n".join(lines)
        ProhibitNullCharactersValidator()(text)
        ProhibitSurrogateCharactersValidator()(text)
        if isinstance(sent, list) and (broken := [line for line in lines if len(line.splitlines()) > 1]):
            raise serializers.ValidationError(
                [f"{line[:QUOTED_AT_MOST]!r} has more than one line; a name has one." for line in broken]
            )
        known = self.context.get("known", [])
        return names_in(text, known=known, room=NAMES_AT_MOST - len(known))


class GamesField(serializers.ListField):
    """The games of a class, each once."""

    quotes = True

    def to_internal_value(self, sent: Any) -> list[str]:
        if not isinstance(sent, list):
            told = f"Games are a list, such as {[next(iter(GAMES))]}. Given: {repr(sent)[:QUOTED_AT_MOST]}"
            raise serializers.ValidationError(told)
        if not sent:
            raise serializers.ValidationError(_("Choose a game or more: each gets a ladder."))
        wrong = [str(name)[:QUOTED_AT_MOST] for name in sent if str(name) not in GAMES]
        if wrong:
            told = f"No game is called {', '.join(map(repr, wrong))}; there are {', '.join(GAMES)}."
            raise serializers.ValidationError(told)
        return list(dict.fromkeys(map(str, sent)))


class KeySerializer(SentSerializer):
    """A call that is known again when it is sent a second time."""

    key = serializers.CharField(
        required=False,
        min_length=KEY_CHARACTERS,
        max_length=KEY_CHARACTERS,
        trim_whitespace=False,
        help_text="Any 32 characters of your own. The same call with the same key makes nothing twice and"
        " answers with the same passwords, should the first answer be lost. Keep it as secret as these.",
    )


class NameListSerializer(KeySerializer):
    """People who get accounts."""

    names = NamesField(help_text="As on the page: a list, or the text of a CSV file.")
    dry_run = serializers.BooleanField(
        default=False, help_text="Make nothing, and answer with the names that were read and no slips."
    )


class NewClassSerializer(NameListSerializer):
    """A new class with its people."""

    name = serializers.CharField(
        max_length=SchoolClass._meta.get_field("name").max_length,
        validators=[one_line],
        help_text="Its people see it, too.",
    )
    games = GamesField(child=serializers.CharField(), help_text="Each gets a private ladder.")
    public = serializers.BooleanField(
        default=True, help_text="Bots of its people play on the public ladders, too, which everybody sees."
    )
    code_read = serializers.BooleanField(
        default=False,
        help_text="You read the code of bots of accounts that the class makes: it is in `export.zip`. Tell"
        " them. It cannot be changed later.",
    )
