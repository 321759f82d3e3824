import pytest
from stichkampf_platform.core import number_formats

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("number", "text"), [(3, "+3"), (0, "0"), (-12, f"{MINUS}12"), (1234, "+1,234"), (-0.0, "0")]
)
def test_scores_have_a_sign_and_a_true_minus(number, text):
    assert number_formats.signed(number) == text


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert number_formats.signed(-0.04, 1) == "0.0"
    assert number_formats.plain(-0.4) == "0"


@pytest.mark.parametrize(("milliseconds", "text"), [(0.2, "<1 ms"), (640, "640 ms"), (2345, "2.3 s")])
def test_thinking_times_are_written_with_their_unit(milliseconds, text):
    assert number_formats.duration(milliseconds).replace(number_formats.THIN, " ") == text


def test_sizes_are_written_in_powers_of_two():
    assert number_formats.size(8 * 1024 * 1024).replace(number_formats.THIN, " ") == "8 MiB"
    assert number_formats.size(16 * 1024).replace(number_formats.THIN, " ") == "16 KiB"


@pytest.mark.parametrize(
    ("percent", "text"), [(100, ">99.9"), (99.96, ">99.9"), (99.9, "99.9"), (50, "50.0"), (0.04, "<0.1")]
)
def test_no_probability_is_shown_as_certain(percent, text):
    assert number_formats.likely(percent) == text
