"""The build's patches to the C code of mypyc, other than those for bits."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from stichkampf.engine.seeds import Chance
from stichkampf.games import new_game

BUILD = runpy.run_path(str(Path(__file__).parents[3] / "sdk" / "build_engine.py"))
NUMBER = """\
    cpy_r_r4 = ((DealObject *)cpy_r_self)->_turn;
    if (unlikely(cpy_r_r4 == -113) && !(((DealObject *)cpy_r_self)->bitmap & 4)) {
        PyErr_SetString(PyExc_AttributeError, "attribute 'turn' of 'Deal' undefined");
    }
    cpy_r_r5 = cpy_r_r4 == -113;
    if (unlikely(cpy_r_r5)) goto CPyL2;
"""
PLACE = """\
    cpy_r_r7 = (uint64_t)cpy_r_seat < (uint64_t)cpy_r_r6;
    if (cpy_r_r7) goto CPyL8;
"""


def test_numbers_are_read_without_a_question_and_places_expected_in_bounds():
    assert BUILD["with_straight_paths"](NUMBER + PLACE) == (
        "    cpy_r_r4 = ((DealObject *)cpy_r_self)->_turn;\n"
        "    cpy_r_r5 = 0;\n"
        "    if (unlikely(cpy_r_r5)) goto CPyL2;\n"
        "    cpy_r_r7 = (uint64_t)cpy_r_seat < (uint64_t)cpy_r_r6;\n"
        "    if (likely(cpy_r_r7)) goto CPyL8;\n"
    )


@pytest.mark.parametrize("code", [NUMBER, PLACE, NUMBER.replace("-113", "-239") + PLACE])
def test_the_build_stops_where_mypyc_asks_otherwise(code):
    with pytest.raises(SystemExit, match="mypyc reads attributes or vecs in a way unknown here"):
        BUILD["with_straight_paths"](code)


def test_a_number_may_be_the_sign_that_mypyc_has_for_one_never_set():
    game = new_game("sticheln", 3)
    deal = game.new_deal(0, 0, game.shuffle(Chance(bytes(32), "deal 0"), 0, {}), {})
    deal.best_power = -113
    assert (deal.best_power, deal.clone().best_power) == (-113, -113)
