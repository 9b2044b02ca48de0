"""Drawings of figures: lines where the values are, axes that hold them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from benchmarks.growth_figure import draw_growth
from benchmarks.waits_figure import Wait, draw_waits
from cite_lsp.evaluate.charts import Panel, draw_trade_offs

SVG = "{http://www.w3.org/2000/svg}"


def heights(drawing: str) -> list[float]:
    """Return how far down each point of the one line lies."""
    (points,) = re.findall(r'<polyline points="([^"]*)"', drawing)
    return [float(point.split(",")[1]) for point in points.split()]


def labels(drawing: str) -> list[str]:
    """Return all that is written in a drawing."""
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter() if text.text]


def test_what_grows_is_drawn_higher_up_to_the_next_round_number() -> None:
    drawing = draw_growth({"seconds": {100: 1.5, 1000: 3.2}}, "Growth")
    low, high = heights(drawing)
    assert high < low
    assert {"Growth", "seconds", "100", "1,000", "0", "4"} <= set(labels(drawing))


@pytest.mark.parametrize("values", [{100: 0.0, 1000: 0.0}, {100: 0.0}])
def test_what_never_grows_is_a_line_at_the_bottom(values: dict[int, float]) -> None:
    drawing = draw_growth({"errors": values}, "Growth")
    assert len(set(heights(drawing))) == 1
    assert {"0", "1"} <= set(labels(drawing))


def test_waits_are_drawn_by_their_logarithms_with_what_bounds_them() -> None:
    waits = [
        Wait("start", {"ours": 0.1, "theirs": 10.0}, limit=0.01),
        Wait("a letter", {"ours": 1.0}),  # theirs gave no answer
    ]
    drawing = draw_waits(waits, ["ours", "theirs"], "Waits")
    dots = [node for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith("circle")]
    ours, theirs, alone, *legend = (float(dot.get("cx", "")) for dot in dots)
    assert theirs - alone == pytest.approx(alone - ours, abs=0.2)
    assert len(legend) == 2
    assert {"Waits", "start", "a letter", "10.0 ms", "10.00 s", "ours"} <= set(labels(drawing))


def test_every_panel_has_its_curves_and_its_named_points() -> None:
    panels = [
        Panel("English", {"a < b": [(0.0, 1.0), (0.1, 0.5)]}, {"careful": (0.05, 0.75)}),
        Panel("Chinese", {"a < b": [(0.0, 1.0)], "BM25": [(0.2, 0.1)]}),
    ]
    drawing = ElementTree.fromstring(draw_trade_offs(panels))
    words = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"English: precision", "Chinese: precision", "a < b", "careful", "BM25"} <= set(words)
    assert len(list(drawing.iter(f"{SVG}polyline"))) == 3
    assert len(list(drawing.iter(f"{SVG}circle"))) == 1


def test_the_axis_of_recall_ends_where_the_curves_do() -> None:
    drawing = draw_trade_offs([Panel("English", {"a": [(0.0, 1.0), (0.12, 0.0)]})])
    assert ">0.15<" in drawing and ">0.20<" not in drawing.split("recall")[-1]
    (line,) = ElementTree.fromstring(drawing).iter(f"{SVG}polyline")
    assert line.attrib["points"] == "48.0,40.0 288.0,340.0"


def test_nothing_to_draw_is_drawn() -> None:
    assert ElementTree.fromstring(draw_trade_offs([Panel("English", {})])) is not None
