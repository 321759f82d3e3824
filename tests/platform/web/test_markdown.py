import re

import pytest
from stichkampf_platform.web.markdown import render


def test_headings_lists_and_links_are_rendered_below_the_heading_of_the_page():
    html = render("# Rules\n\n- **one**\n- [here](https://example.org)\n")
    assert "<h2>Rules</h2>" in html
    assert "<li><strong>one</strong></li>" in html
    assert '<a href="https://example.org" rel="nofollow ugc">here</a>' in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:msgbox)",
        "<javascript:alert(1)>",
        '[x](https://example.org "a\\" onmouseover=\\"alert(1)")',
        "![x](https://example.org/pixel.png)",
        "[x]: javascript:alert(1)\n\n[x]",
        "```<script>\nalert(1)\n```",
    ],
)
def test_nothing_that_a_browser_would_run_or_load_gets_through(text):
    html = render(text)
    assert not re.search(r"<(?!/?(?:p|a|code|pre|em|strong)\b)", html), html
    for tag in re.findall(r"<[^>]*>", html):
        assert not re.search(r'href="(?!https://)|\son\w+=', re.sub(r'title="[^"]*"', "", tag)), html
