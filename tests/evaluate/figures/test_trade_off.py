"""Precision against recall, drawn."""

from __future__ import annotations

from xml.etree import ElementTree

from cite_lsp.evaluate.figures.trade_off import Panel, draw_trade_offs

SVG = "{http://www.w3.org/2000/svg}"


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
