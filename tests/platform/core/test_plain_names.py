"""Names and descriptions hold no sign that hides, turns around or overwrites what is beside it."""

import pytest
from django.core.exceptions import ValidationError
from stichkampf_platform.bots.models import Bot
from stichkampf_platform.core.plain_names import one_line, several_lines
from stichkampf_platform.people.services import create_token

HIDDEN = ["\u202e", "\u2066", "\u200f", "\u200b", "\x1b", "\x07", "\x9b", "\ufeff", "\ue000"]


@pytest.mark.parametrize("sign", HIDDEN)
def test_a_hidden_sign_is_refused_and_shown_escaped(sign):
    for check in (one_line, several_lines):
        with pytest.raises(ValidationError) as refusal:
            check(f"Karl{sign}x")
        (text,) = refusal.value.messages
        assert f"'Karl{repr(sign)[1:-1]}x' contains invisible characters" in text
        assert sign not in text


@pytest.mark.parametrize("name", ["Karl der Große", "Ærøskøbing 7", "カール", "Карл", "קרל", "♣ \U0001f3b4"])
def test_every_language_has_names(name):
    one_line(name)


def test_a_description_has_lines_and_a_name_has_none():
    several_lines("One.\r\n\tTwo.")
    with pytest.raises(ValidationError):
        one_line("One.\nTwo.")


@pytest.mark.parametrize("field", ["name", "description"])
def test_a_bot_is_not_made_with_hidden_signs(client, token, field):
    body = {"slug": "karl", "name": "Karl", field: "Karl\u202elraK"}
    answer = client.post("/api/v1/bots/", body, "application/json", headers=token())
    assert answer.status_code == 400
    assert "\\u202e" in answer.json()["detail"]
    assert not Bot.objects.exists()


def test_a_token_is_not_called_with_hidden_signs(client, token, person):
    answer = client.post("/api/v1/me/tokens/", {"name": "a\x1b[2Jb"}, "application/json", headers=token())
    assert answer.status_code == 400
    with pytest.raises(ValidationError, match="invisible characters"):
        create_token(owner=person("bob"), name="a\u202eb")
    client.force_login(person("cid"))
    page = client.post("/account/tokens/", {"name": "a\u202eb"})
    assert page.status_code == 422
    assert "\\u202e" in page.content.decode()
