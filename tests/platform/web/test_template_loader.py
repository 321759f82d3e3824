"""Templates as they are loaded: without white space that no browser shows."""

from __future__ import annotations

import pytest
from stichkampf_platform.web.template_loader import compact


@pytest.mark.parametrize(
    ("source", "loaded"),
    [
        ("<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n", "<ul><li>a</li><li>b</li></ul>"),
        ("<p>\n  one\n  two\n</p>\n", "<p>one\ntwo</p>"),
        ("<b>a</b>\n  <i>b</i>\n", "<b>a</b>\n<i>b</i>\n"),
        ("a\n{% if x %}\n  <b>b</b>\n{% endif %}\nc", "a\n{% if x %}<b>b</b>\n{% endif %}c"),
        ("{% if x %}a{% else %}b{% endif %}\nc", "{% if x %}a{% else %}b{% endif %}\nc"),
        ('<p\n   class="{% if a > 1 %}b{% endif %}">\nc', '<p\nclass="{% if a > 1 %}b{% endif %}">c'),
        ("<div>\n  <pre>a\n    b\n</pre>\n</div>", "<div><pre>a\n    b\n</pre></div>"),
    ],
    ids=["blocks", "text", "inline elements", "template tags", "text between tags", "attributes", "pre"],
)
def test_white_space_goes_only_where_it_is_not_shown(source, loaded):
    assert compact(source) == loaded
