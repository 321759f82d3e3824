"""The kinds of faults, in words that people know."""

from __future__ import annotations

import pytest
from django.utils.translation import override
from stichkampf.faults import FaultKind
from stichkampf_platform.people import fault_texts


@pytest.mark.parametrize("kind", FaultKind)
def test_a_kind_of_fault_has_a_name_and_a_sentence_in_both_languages(kind):
    told = []
    for language in ("en", "de"):
        with override(language):
            told += [fault_texts.name(kind), str(fault_texts.said(kind))]
    assert len(set(told)) == 4
    assert "malformed" not in told
    assert fault_texts.name("of-tomorrow") == "of-tomorrow"
