"""Templates that can be read in a diff: short lines, and djlint as part of the lint."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST_LINE = 140


def templates() -> list[Path]:
    return sorted((ROOT / "platform").rglob("templates/**/*.*"))


def test_the_templates_are_found():
    assert len(templates()) > 50


def test_no_template_has_a_line_over_140_characters():
    assert [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} characters"
        for path in templates()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ] == []


def test_lint_checks_the_form_and_the_content_of_templates():
    recipe = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    assert "djlint --check --lint" in recipe


def test_djlint_ignores_few_rules_and_no_files():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["djlint"]
    assert len(settings["ignore"].split(",")) <= 3
    assert not {"exclude", "extend_exclude", "per_file_ignores"} & set(settings)
