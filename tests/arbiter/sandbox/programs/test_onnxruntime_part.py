"""The part for trained networks holds what a session needs, and is told to be missing where it is."""

from __future__ import annotations

import pytest
from stichkampf_arbiter.sandbox.programs import onnxruntime_part
from stichkampf_arbiter.sandbox.programs.images import RuntimeImages


def test_it_holds_the_runtime_and_none_of_its_tools():
    part = onnxruntime_part.onnxruntime_part()
    targets = {copied.target for copied in part.copies}
    assert {"site-packages/onnxruntime/capi", "site-packages/onnxruntime/__init__.py"} <= targets
    assert {"site-packages/flatbuffers", "site-packages/packaging"} <= targets
    assert not any("transformers" in target or "numpy" in target for target in targets)


def test_a_node_without_it_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(onnxruntime_part.importlib.util, "find_spec", lambda name: None)
    assert "onnxruntime" in RuntimeImages.missing()
