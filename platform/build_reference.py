"""Write the reference of the promised names of the SDK, of which the site makes /docs/python/.

    .venv/bin/python platform/build_reference.py

reads the sources with griffe, the extractor of mkdocstrings, and writes reference.json beside the guides of
the site. Sources say what compiled classes cannot: types, defaults, and the order of their author.
"""

from __future__ import annotations

import json
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "platform/stichkampf_platform/web/guides/reference.json"
PROMISED = (
    "stichkampf",
    "stichkampf.testing",
    "stichkampf.views",
    "stichkampf.lab",
    "stichkampf.lab.environments",
)
"""Modules whose `__all__` is promised."""
FIELD = re.compile(r"^:(?:param|ivar|cvar|raises|returns?) ?([^:]*):", re.MULTILINE)
HEADS = {
    "param": "Takes",
    "ivar": "Has",
    "cvar": "Class has",
    "raises": "Raises",
    "return": "Returns",
    "returns": "Returns",
}


def reference() -> dict[str, Any]:
    """Return, by module, the promised names with signature and words."""
    package: Any = griffe.load("stichkampf", search_paths=[ROOT / "sdk"], allow_inspection=False)
    modules = {}
    for name in PROMISED:
        module = import_module(name)
        entries = []
        for each in module.__all__:
            where = _defined_in(name, each, vars(module).get("_MODULES", {}))
            if where:
                found = package[where.removeprefix("stichkampf.")]
                entries += _entries(each, found.final_target if found.is_alias else found)
        head = import_module(name).__doc__ or ""
        modules[name] = {"words": _markdown(head), "entries": entries}
    return {"modules": modules}


def _defined_in(module: str, name: str, lazy: dict[str, str]) -> str:
    """Return where the source of a promised name is; empty for modules and versions, which have none."""
    if name in lazy:
        return f"{module}.{lazy[name]}.{name}"
    thing = getattr(import_module(module), name)
    home = getattr(thing, "__module__", None)
    return f"{home}.{name}" if home else ""


def _entries(name: str, found: Any) -> list[dict[str, str]]:
    """Return a name, and the public members of a class in the order of its source."""
    entries = [_entry(name, found)]
    if found.is_class:
        for member in found.members.values():
            if member.is_alias or member.name.startswith("_") or not member.docstring:
                continue
            entries.append(_entry(f"{name}.{member.name}", member))
    return entries


def _entry(name: str, found: Any) -> dict[str, str]:
    words = found.docstring.value if found.docstring else ""
    return {
        "name": name,
        "kind": found.kind.value,
        "signature": _signature(name, found),
        "words": _markdown(words),
    }


def _signature(name: str, found: Any) -> str:
    if found.is_class:
        made = found.members.get("__init__")
        return _signature(name, made).removesuffix(" -> None") if made and not made.is_alias else name
    if not found.is_function:
        return f"{name}: {found.annotation}" if found.annotation else name
    return re.sub(
        r"^\w+",
        lambda _: name,
        found.signature(return_type=True).replace("self, ", "").replace("(self)", "()"),
    )


def _markdown(words: str) -> str:
    """Write a docstring as Markdown: examples as code, fields as lists."""
    lines: list[str] = []
    example, field = False, ""
    for line in textwrap.dedent(words).splitlines():
        if line.startswith(">>>") != example and (line.startswith(">>>") or not line.strip()):
            lines += ["```python"] if not example else ["```", ""]
            example = not example
            if not example:
                continue
        if match := FIELD.match(line):
            kind = (
                line[1:].split()[0].rstrip(":").removesuffix("s")
                if not line.startswith(":raises")
                else "raises"
            )
            if kind != field:
                lines += ["", f"**{HEADS[kind]}**", ""]
                field = kind
            named = ", ".join(f"`{one.strip()}`" for one in match[1].split(",") if one.strip())
            lines.append(
                f"- {named}: {line[match.end() :].strip()}" if named else f"- {line[match.end() :].strip()}"
            )
        else:
            lines.append(line if example or not field else f"  {line.strip()}".rstrip())
    return "\n".join([*lines, *(["```"] if example else [])]).strip()


def main() -> None:
    WRITTEN.write_text(json.dumps(reference(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
