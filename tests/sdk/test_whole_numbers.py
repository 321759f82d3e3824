import pytest
from stichkampf.whole_numbers import whole_number


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("7", 7),
        ("007", 7),
        ("1234", None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        ("\u0663", None),
        ("\u00b2", None),
    ],
)
def test_a_whole_number_has_only_so_many_ascii_digits(text, read):
    assert whole_number(text, 3) == read
