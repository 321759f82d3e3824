import pytest
from stichkampf.lab.language_model.answers import choice_in

LEGAL = ["pass", "play R6", "play R10", "trump R", "lay B3"]


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("3", "play R10"),
        ("  **3.** ", "play R10"),
        ("play R6", "play R6"),
        ("`PLAY r6`", "play R6"),
        ("Red 6 wins, so my choice is 2.", "play R6"),
        ("Answer: 4\n", "trump R"),
        ("option 1 would lose\n\nChoice: 5", "lay B3"),
        ('```json\n{"choice": 2, "why": "R10 is out"}\n```', "play R6"),
        ('{"action": "trump R"}', "trump R"),
        ("<think>choice: 1, or 5?</think>2", "play R6"),
        ("I have thought about 1, 2 and 5.\n2", "play R6"),
        ("I play R10, since R6 loses.\nSo: play R10!", "play R10"),
        ("As red is long, I pass.", "pass"),
    ],
)
def test_a_choice_is_found_however_it_is_put(said, action):
    assert choice_in(said, LEGAL) == action


@pytest.mark.parametrize(
    "said",
    [
        "",
        "<think>choice: 1",
        "0",
        "6",
        "-1",
        "99999999999",
        "Perhaps 2 or 3.",
        "play R7",
        "I would play R6 or lay B3.",
    ],
)
def test_no_choice_is_made_up(said):
    assert choice_in(said, LEGAL) is None
