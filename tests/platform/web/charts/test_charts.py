import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import pytest
from stichkampf_platform.web import charts
from stichkampf_platform.web.charts.svg import ticks

START = datetime(2026, 1, 31, 12, tzinfo=UTC)


def parsed(svg):
    return ET.fromstring(svg)


@pytest.mark.parametrize(("low", "high"), [(1423, 1588), (1500, 1500), (-3, 4), (0.1, 0.2), (0, 100_000)])
def test_ticks_are_few_and_enclose_the_values(low, high):
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 7 or low == high
    assert marks[0] <= low
    assert marks[-1] >= high


def test_a_whisker_is_as_wide_as_its_interval():
    axis = charts.EloAxis([(1400, 50), (1600, 25)])
    wide, narrow = (parsed(axis.whisker(elo, half)) for elo, half in [(1400, 50), (1600, 25)])

    def width(svg):
        path = svg.find("path[@class='interval']").get("d")
        left, right = path.removeprefix("M").split("M")[0].split(" 15H")
        return float(right) - float(left)

    assert width(wide) == pytest.approx(2 * width(narrow), abs=0.2)


def test_a_rating_without_an_interval_is_an_open_point():
    svg = parsed(charts.EloAxis([(1500, None)]).whisker(1500, None))
    assert svg.find("path[@class='interval']") is None
    assert svg.find("circle").get("class") == "open point"


def test_a_scale_without_an_interval_is_not_drawn():
    assert charts.EloAxis([]).header() == ""
    assert parsed(charts.EloAxis([(1500, 40)]).header()).findall("text")


def test_a_single_value_gets_no_trend():
    assert charts.sparkline([1500]) == ""
    assert len(parsed(charts.sparkline([1500, 1510])).find("polyline").get("points").split()) == 2


def test_the_timeline_has_a_bar_for_each_decision_and_marks_faults():
    bars = [
        charts.DecisionBar(1, 0, 0.01, False, False, "7?view=1"),
        charts.DecisionBar(2, 1, 2.0, True, True, "8?view=1"),
    ]
    svg = parsed(charts.decision_timeline(bars, decisions=2, seats=2))
    assert [path.get("class") for path in svg.findall("path")] == ["stripe", "floor", "bar", "fault"]
    bar, fault = (svg.find(f"path[@class='{kind}']").get("d") for kind in ("bar", "fault"))
    assert height_of(fault) > height_of(bar)
    assert [link.get("href") for link in svg.findall("a")] == ["7?view=1", "8?view=1"]


def test_decisions_shaded_one_after_another_share_a_stripe():
    bars = [charts.DecisionBar(n, 0, 0.01, False, n in (2, 3, 5), str(n)) for n in range(1, 6)]
    svg = parsed(charts.decision_timeline(bars, decisions=5, seats=1))
    assert svg.find("path[@class='stripe']").get("d") == "M10 0h20v20h-20M40 0h10v20h-10"


def height_of(path):
    return float(path.split("v-")[1])


def test_the_cursor_marks_a_decision_and_veils_those_after_it():
    svg = parsed(charts.decision_cursor(decisions=4, seats=2, now=3))
    veil, now = svg.findall("rect")
    assert (veil.get("x"), veil.get("width")) == ("30", "10")
    assert (now.get("x"), now.get("width")) == ("20", "10")


def test_names_in_charts_are_escaped():
    svg = charts.score_totals([(0, 0), (1, 2)], ["<b>", "&"], now=1)
    assert "<b>" not in svg
    assert parsed(svg).get("aria-label").endswith("<b> 1, & 2")


def test_history_marks_every_new_version():
    moments = [
        charts.RatingMoment(START + timedelta(hours=h), 1500 + h, 30, v) for h, v in [(0, 1), (1, 1), (2, 2)]
    ]
    svg = parsed(charts.rating_history(moments, "Elo"))
    assert [text.text for text in svg.findall("text[@class='label']")] == ["v1", "v2"]
    assert svg.find("polygon") is not None


def test_a_wide_first_interval_does_not_flatten_the_history():
    moments = [
        charts.RatingMoment(START + timedelta(hours=hour), 1500 + 20 * hour, half, 1)
        for hour, half in enumerate([4000, 60, 40, 30])
    ]
    svg = parsed(charts.rating_history(moments, "Elo"))
    numbers = [each.text.replace(",", "") for each in svg.findall("text")]
    marks = [int(number) for number in numbers if number.isdigit()]
    assert marks
    assert min(marks) >= 1300
    assert max(marks) <= 1800
    downs = [float(point.split(",")[1]) for point in svg.find("polyline").get("points").split()]
    assert max(downs) - min(downs) > 20
    edge = [float(point.split(",")[1]) for point in svg.find("polygon").get("points").split()]
    assert min(edge) >= 0
    assert max(edge) <= 220


def test_dots_share_a_scale_and_differ_in_shape():
    rows = [("one", [10.0, 30.0, 20.0, 40.0]), ("two", [0.0, 20.0, 20.0, 20.0])]
    svg = parsed(charts.dot_plot(rows, ["a", "b", "c", "<d>"], "Figures"))
    discs = [float(disc.get("cx")) for disc in svg.findall("circle[@class='point']")[1:]]
    rings = [float(ring.get("cx")) for ring in svg.findall("circle[@class='open point']")[1:]]
    assert rings[0] - discs[0] == pytest.approx(2 * (discs[0] - discs[1]), abs=0.2)
    assert len(svg.findall("path[@class='interval']")) == len(svg.findall("path[@class='open']")) == 3
    assert (
        svg.get("aria-label")
        == "Figures (a, b, c, <d>): one 10.0, 30.0, 20.0, 40.0; two 0.0, 20.0, 20.0, 20.0"
    )


def test_the_curve_of_odds_states_the_meaning_of_elo():
    labels = [text.text for text in parsed(charts.elo_odds("Odds")).findall("text[@class='label']")]
    assert labels == ["+100: 64%", "+200: 76%", "+400: 91%"]


def test_decision_times_are_counted_by_spans_of_time():
    svg = parsed(charts.time_histogram([0.0004, 0.002, 0.002, 9.0]))
    columns = svg.findall("rect[@class='column']")
    assert len(columns) == 3
    heights = [float(column.get("height")) for column in columns]
    assert heights[1] == pytest.approx(2 * heights[0])
    said = svg.get("aria-label").replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert said == "Of 4 decisions 25.0% under 1 ms, 50.0% 1 ms to 3 ms, 25.0% over 3.0 s"


def test_without_decisions_there_is_no_histogram():
    assert charts.time_histogram([]) == ""


def test_a_long_name_beside_lines_ends_in_dots_before_the_edge():
    svg = charts.score_totals(
        [(0, 0), (1, 2)], ["1 bold", "2 donaudampfschifffahrtsgesellschaftsbotin"], now=1
    )
    assert "2 donaudampfs…</text>" in svg
    assert "2 donaudampfschifffahrtsgesellschaftsbotin 2" in svg
