"""Components that all templates may use: heads, tables that scroll, lists, empty states and forms."""

from __future__ import annotations

import pytest
from django.template import Context, Template


def drawn(source: str, **context: object) -> str:
    return " ".join(Template(source).render(Context(context)).split()).replace("> <", "><")


def test_a_head_has_the_page_above_it_its_title_and_its_content():
    assert drawn(
        '{% head "Names" up="web:account" named=who lead="Few." %}<hr>{% endhead %}', who="<ada>"
    ) == (
        '<header class="head"><p class="crumb"><a href="/account/">&lt;ada&gt;</a></p>'
        '<h1>Names</h1><p class="lead">Few.</p><hr></header>'
    )
    assert drawn('{% heading "Names" %}') == '<header class="head"><h1>Names</h1></header>'


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("scroll label", 'class="scroll" tabindex="0" role="region" aria-label="&lt;b&gt;"'),
        (
            "scroll label framed=True",
            'class="scroll framed" tabindex="0" role="region" aria-label="&lt;b&gt;"',
        ),
        ('scroll label role="group"', 'class="scroll" tabindex="0" role="group" aria-label="&lt;b&gt;"'),
        ('scroll by="deals"', 'class="scroll" tabindex="0" role="group" aria-labelledby="deals"'),
    ],
)
def test_a_table_scrolls_by_keys_and_has_a_name(tag, attributes):
    assert drawn(f"{{% {tag} %}}<hr>{{% endscroll %}}", label="<b>") == f"<div {attributes}><hr></div>"


def test_a_form_sends_its_token_and_has_one_button():
    source = '{% form "Go on" name="add" upload=True %}<input>{% endform %}'
    assert drawn(source, csrf_token="secret") == (
        '<form method="post" enctype="multipart/form-data" class="panel form">'
        '<input type="hidden" name="csrfmiddlewaretoken" value="secret"><input>'
        '<div><button type="submit" class="button" name="add">Go on</button></div></form>'
    )


def test_an_empty_state_says_so_and_what_to_do():
    assert drawn('{% no_rows "No bot yet." %}') == '<div class="empty"><p>No bot yet.</p></div>'
    assert drawn("{% nothing %}<p>Ask.</p>{% endnothing %}") == '<div class="empty"><p>Ask.</p></div>'


def test_crumbs_link_all_pages_above_and_show_names_as_text():
    assert drawn('{% crumbs "web:account" who "/ladders/" "Ladders" %}', who="<ada>") == (
        '<p class="crumb"><a href="/account/">&lt;ada&gt;</a> / <a href="/ladders/">Ladders</a></p>'
    )


def test_columns_have_their_kind_and_show_names_as_text():
    assert drawn(
        '{% columns who "number second"|column:_("Blocks") "unseen"|column:"Action" %}', who="<ada>"
    ) == (
        '<thead><tr><th scope="col">&lt;ada&gt;</th><th scope="col" class="number second">Blocks</th>'
        '<th scope="col"><span class="unseen">Action</span></th></tr></thead>'
    )


def test_a_form_among_others_has_the_heading_in_it_as_its_name_and_a_quiet_button():
    assert drawn('{% form "End" quiet=True by="end" %}{% endform %}') == (
        '<form method="post" class="panel form" aria-labelledby="end">'
        '<div><button type="submit" class="button quiet">End</button></div></form>'
    )


def test_a_button_that_copies_names_the_part_and_what_it_says_afterwards():
    assert drawn('{% copy_button "token" words %}', words="Copy <it>") == (
        '<button type="button" class="button quiet js-only" data-copy="token" data-copied="Copied">'
        "Copy &lt;it&gt;</button>"
    )
