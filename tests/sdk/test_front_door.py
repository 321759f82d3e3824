"""The names that the SDK promises: they are there, and all that authors are shown needs no others."""

from __future__ import annotations

import ast
import itertools
import json
from importlib import import_module

import pytest
import stichkampf
from documents import DOCUMENTS, ROOT, code_blocks, languages
from stichkampf.cli.project.decision_test import TEMPLATE
from stichkampf.cli.project.project_files import KINDS, LANGUAGES, PYTHON, project_files
from stichkampf.games import GAMES

REFERENCE = ROOT / "platform/stichkampf_platform/web/guides/reference.json"
PROMISED = tuple(json.loads(REFERENCE.read_text())["modules"])
RULES_THEMSELVES = ("docs/new-game.md", "docs/de/new-game.md")
"""A game is written inside the engine, whose contract ARCHITECTURE.md states."""


def programs():
    """Yield every program that authors are shown, with where it stands."""
    for kind, language in itertools.product(KINDS, LANGUAGES):
        if language == PYTHON or kind == KINDS[0]:
            for name, content in project_files("karl", kind, language, GAMES["mue"]).items():
                if name.endswith(".py"):
                    yield f"{kind} {language} {name}", content
    fields = {"number": 1, "record": "r.json", "game": "mue", "seat": 1, "made": "it chose", "name": "r"}
    yield "debug --test", TEMPLATE.format(**fields, entry="")
    for document in DOCUMENTS:
        if "python" in languages(document) and document not in RULES_THEMSELVES:
            for block in code_blocks(document, "python"):
                yield document, block
    for path in sorted((ROOT / "examples").glob("*/*.py")):
        yield str(path.relative_to(ROOT)), path.read_text()


def names_of_the_sdk(program):
    """Yield the module and the name of each import from the SDK; no name where a module is imported."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "stichkampf":
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "stichkampf")


def test_templates_guides_and_examples_use_promised_names_only():
    shown = list(programs())
    assert len(shown) > 20
    used = [(where, *name) for where, program in shown for name in names_of_the_sdk(program)]
    assert len(used) > 40
    promised = {(module, name) for module in PROMISED for name in ["", *import_module(module).__all__]}
    assert [one for one in used if one[1:] not in promised] == []


@pytest.mark.parametrize("module", PROMISED)
def test_every_promised_name_is_there_with_words_of_its_own(module):
    for name in import_module(module).__all__:
        if name not in ("DealView", "PufferView", "VectorView"):  # they need libraries for learners
            thing = getattr(import_module(module), name)
            assert isinstance(thing, str) or thing.__doc__, name


def test_what_is_not_promised_is_no_name_of_the_sdk():
    with pytest.raises(AttributeError, match="no attribute 'Strategy'"):
        _ = stichkampf.Strategy
