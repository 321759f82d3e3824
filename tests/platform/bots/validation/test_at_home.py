"""`stichkampf check` at home says of a bot what the server says, in the same words."""

import os
import re

import pytest
from broken_bots import AT_HOME, BOT, IN_A_SANDBOX
from stichkampf.local_play.home_validation import HomeValidation
from stichkampf.local_play.programs import LocalProgram
from stichkampf.sandboxed.private_arbiter import PrivateArbiter
from stichkampf.sandboxed.validation import SandboxedValidation
from support import archive

pytestmark = pytest.mark.xdist_group("validation")

EVERY = "STICHKAMPF_BROKEN_BOTS" in os.environ
"""All fifty are tried, as `make nightly` does, instead of a few."""
FEW = ("return 'bid 64'", "return None", "print('\\n'.join('abcdefgh'))", "os._exit(3)", "does not load")
HONEST = {"honest": BOT.format("return table.legal[-1]")}
HOME = HONEST | {name: source for name, source in AT_HOME.items() if EVERY or name in FEW}
SANDBOX = IN_A_SANDBOX | ({**HONEST, **AT_HOME} if EVERY else {})


def words(lines):
    """Leave out what differs from match to match and machine to machine: cards, numbers, places, the hello.

    And the start: a bot that ends in its first decision may be gone before the server has seen it start.
    """
    seen = [line for line in lines if ": started in " not in line]
    texts = [re.split(r"choose from:|legal were|played to the end", line)[0] for line in seen]
    texts = [text.split(" Hello from")[0].split(", not [")[0] for text in texts]
    texts = [re.sub(r"0x[0-9a-f]+|/tmp/[^\"]+(?=/bot.py)|/tmp/bot-\w+", "…", text) for text in texts]
    return [re.sub(r"\d+(?:\.\d+)?", "N", text).strip() for text in texts]


@pytest.mark.parametrize("source", HOME.values(), ids=HOME)
def test_the_check_at_home_says_what_the_server_says(validated, tmp_path, source):
    version, lines = validated(source, games=())
    (tmp_path / "bot.py").write_text(source)
    told = []
    at_home = HomeValidation(
        LocalProgram("karl", entry="bot.py", folder=str(tmp_path)), lambda text, _: told.append(text)
    )
    assert_agreement(at_home, told, version, lines)


@pytest.fixture(scope="module")
def private_arbiter():
    with PrivateArbiter() as arbiter:
        yield arbiter


@pytest.mark.parametrize("source", SANDBOX.values(), ids=SANDBOX)
def test_the_check_in_the_sandbox_says_what_the_server_says(validated, private_arbiter, source):
    version, lines = validated(source, games=())
    told = []
    content = archive({"bot.py": source})
    check = SandboxedValidation(private_arbiter, content, (), lambda text, _: told.append(text))
    assert_agreement(check, told, version, lines)


def assert_agreement(check, told, version, lines):
    check.announce(1)
    passed, wrong, left_out = check.try_games()
    begin = next(number for number, line in enumerate(lines) if line.startswith("Validation "))
    assert words(told) == words(lines[begin:])[: len(words(told))]
    assert (bool(passed) and not wrong) == (version.state == "approved")
    assert words([wrong or left_out]) == words([version.reason])
