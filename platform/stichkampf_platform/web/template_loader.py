"""Load templates without their indentation, so that files are readable and pages small.

Jinja has `trim_blocks` and `lstrip_blocks` for this, Django has nothing: indentation and the line ends beside
tags would go out with every page and be a tenth of it after compression.
"""

from __future__ import annotations

import re
from pathlib import Path

from django.template.base import Origin
from django.template.loaders import app_directories
from stichkampf import games

OPTIONS = {
    "builtins": ["stichkampf_platform.web.templatetags.components"],
    "loaders": [("django.template.loaders.cached.Loader", [f"{__name__}.Loader"])],
}
"""Options of the template engine, wherever the templates of the site are drawn."""

_GAMES = Path(games.__file__).parent  # below it `rules`, which the SDK also tells as plain text
_OURS = (str(Path(__file__).parent.parent), str(_GAMES))
_BLOCK_ELEMENTS = (
    "body|caption|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h1|h2|h3|head|header|html"
    "|legend|li|link|main|meta|nav|ol|p|script|section|summary|symbol|table|tbody|td|th|thead|title|tr|ul"
)
_CONTROL_TAGS = (
    "autoescape|block|elif|else|empty|endautoescape|endblock|endfor|endform|endhead|endif|endifchanged|endlisting"
    "|endnothing|endscroll|endwith|extends|for|form|get_current_language|head|heading|if|ifchanged|listing|load|no_rows"
    "|nothing|scroll|with"
)
_PRE = re.compile(r"(<pre\b.*?</pre>)", re.DOTALL)
_INDENTATION = re.compile(r"\n[ \t]+")
_CONTROL_LINES = re.compile(rf"^((?:\{{% (?:{_CONTROL_TAGS})\b(?:(?!%\}})[^\n])*%\}})+)\n", re.MULTILINE)
_TEMPLATE_CODE = r"\{[%{](?:(?![%}]\})[^\n])*[%}]\}"
_AFTER_BLOCK_TAGS = re.compile(rf"(</?(?:{_BLOCK_ELEMENTS})\b(?:{_TEMPLATE_CODE}|[^<>{{])*>)\n")
_INLINE_ELEMENTS = "a|b|button|dd|em|label|option|small|span|strong"
_BEFORE_TRANSLATIONS = re.compile(
    rf"(<(?:{_INLINE_ELEMENTS})\b(?:{_TEMPLATE_CODE}|[^<>{{])*>)\n(?=\{{% (?:block)?translate\b)"
)
_AFTER_TRANSLATIONS = re.compile(r"(translate(?: [^%\n]*)? %\})\n(?=</|\{% endblock %\}|\Z)")
_BEFORE_BLOCK_TAGS = re.compile(rf"\n(?=</?(?:{_BLOCK_ELEMENTS})\b)")


def compact(source: str) -> str:
    """Remove white space that no browser shows: indentation, and line ends beside block elements and tags.

    An element that holds nothing but a translation gets no space before and after it.

    The content of `<pre>` stays as it is.

    >>> compact("<ul>\\n  {% for x in y %}\\n    <li>{{ x }}</li>\\n  {% endfor %}\\n</ul>\\n")
    '<ul>{% for x in y %}<li>{{ x }}</li>{% endfor %}</ul>'
    >>> compact("<b>a</b>\\n  <i>b</i>\\n")
    '<b>a</b>\\n<i>b</i>\\n'
    >>> compact('<b>\\n  {% translate "a" %}\\n</b>\\n')
    '<b>{% translate "a" %}</b>\\n'
    """
    return "".join(part if part.startswith("<pre") else _compact_markup(part) for part in _PRE.split(source))


def _compact_markup(markup: str) -> str:
    for pattern, replacement in (
        (_INDENTATION, "\n"),
        (_AFTER_BLOCK_TAGS, r"\1"),
        (_BEFORE_BLOCK_TAGS, ""),
        (_CONTROL_LINES, r"\1"),
        (_BEFORE_TRANSLATIONS, r"\1"),
        (_AFTER_TRANSLATIONS, r"\1"),
    ):
        markup = pattern.sub(replacement, markup)
    return markup


class Loader(app_directories.Loader):
    """Load the templates of the apps and the rules of the games, and compact the project's own HTML."""

    def get_dirs(self) -> tuple[Path, ...]:
        return (*super().get_dirs(), _GAMES)

    def get_contents(self, origin: Origin) -> str:
        contents = super().get_contents(origin)
        return (
            compact(contents) if origin.name.startswith(_OURS) and origin.name.endswith(".html") else contents
        )
