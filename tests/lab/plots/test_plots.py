"""Plots: the same bytes each time, in light and dark, with their numbers as text."""

import io
import re
from xml.etree import ElementTree

import pytest
from PIL import Image

import tilewright
from benchmarks.pictures.write_pictures import FOLDER
from benchmarks.record import RESULTS
from tilewright.lab.plots import PLOTS, PlotError, plot, plot_sweep
from tilewright.lab.plots.look import Look, decade_ticks, drawing_in, in_short, new_figure
from tilewright.lab.plots.table_4_2 import printed_rows

SVG = "{http://www.w3.org/2000/svg}"


def described(svg):
    """Title and description of an SVG that a parser takes."""
    root = ElementTree.fromstring(svg)  # noqa: S314  (our own file)
    return root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")


def committed(name):
    """A picture of docs/, which tests/test_house_pictures.py finds to be what is drawn."""
    return (FOLDER / f"{name}-light.svg").read_bytes()


@pytest.mark.parametrize("name", PLOTS)
def test_svg_says_what_it_shows(name):
    """Title, caption with the kind of source, and numbers; no date of its drawing."""
    svg = committed(name)
    title, words = described(svg)

    assert title
    assert re.search(r"hardware counters|timed|modelled", words)
    assert re.search(r"2026-\d\d-\d\d", words)
    assert len(words.splitlines()) > 5
    assert b"<dc:date>" not in svg


@pytest.mark.slow
def test_png_has_the_width_that_was_asked_for():
    """Small as a phone, large as a page; dark has a dark corner."""
    widths, corners = [], []
    for small, dark in ((False, False), (True, True)):
        image = Image.open(io.BytesIO(plot("loads-by-tile", "png", small=small, dark=dark))).convert("RGB")
        widths.append(image.width)
        corners.append(image.getpixel((1, 1)))

    assert widths[0] == pytest.approx(2 * widths[1], rel=0.1)
    assert corners == [(255, 255, 255), (20, 23, 28)]


def contrast(first, second):
    """WCAG's contrast ratio of two colours such as "#1f5fa8"."""
    luminances = []
    for colour in (first, second):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        luminances.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(luminances) + 0.05) / (min(luminances) + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_series_stand_out(dark):
    """4.5 to 1 at least, as WCAG asks of text, since labels have their series' colour."""
    look = Look(dark)

    for colour in (look.text, look.faint, *look.colours):
        assert contrast(colour, look.background) >= 4.5


def test_the_roofline_of_a_chip():
    """Seed 001's G80: 21.6 GFLOP/s naive, and no tile 32, whose block does not fit."""
    _, words = described(plot("roofline", chip="g80"))

    assert "matmul/naive, tile 16: 0.25 FLOP per byte loaded, the roof allows 21.6 GFLOP/s" in words
    assert "tile 32" not in words


def test_loads_fall_by_the_tile():
    """The thesis's figures: 32 times fewer requests, counters equal to the formula."""
    _, levels = described(committed("loads-by-level"))
    _, tiles = described(committed("loads-by-tile"))

    assert "naive / tiled: 32 (global load requests)" in levels
    assert "they equal the formula exactly" in tiles


def test_table_4_2_is_as_printed():
    """Some cells of seed 003's table."""
    rows = {(name, size): us for name, size, us in printed_rows()}

    assert rows["sequential", 16384] == 16 * 3600e6
    assert rows["naive_4p", 512] == 5280
    assert rows["tiled, tile 32", 8192] == 1.81e6


def test_a_sweep_is_drawn():
    """A row per tile, what binds it, and that no time was measured."""
    title, words = described(plot_sweep(tilewright.sweep("dot/tiled", size=(1, 1, 4096), tiles=(32, 64))))

    assert title.startswith("dot/tiled by its tile")
    assert "the model measures no time" in words
    assert "tile 64: modelled" in words


@pytest.mark.slow
def test_the_model_stands_beside_the_counters_where_it_ran(tmp_path):
    """Without counters at the thesis's size, those at 2048, and what the cache model says of the same launches."""
    for name in ("cache_counters_h200.json", "cache_model.json"):
        (tmp_path / name).write_bytes((RESULTS / name).read_bytes())
    _, words = described(plot("loads-by-level", results=tmp_path))

    assert "2,048 x 2,048" in words
    assert "Diamonds: modelled" in words
    assert re.search(r"tiled, tile 32: 1,04\d,\d{3} DRAM read sectors, 1,048,704 modelled", words)


def test_results_of_ones_own_and_missing_ones(tmp_path):
    """A folder without the file is named."""
    with pytest.raises(PlotError, match=f"tile_sweep_h200.json, and {tmp_path} has no such file"):
        plot("tile-sizes", results=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tile-size",), "no plot 'tile-size'; there are tile-sizes,"),
        (("tile-sizes", "pdf"), "svg or png, not 'pdf'"),
    ],
)
def test_refusals(arguments, message):
    """In a sentence."""
    with pytest.raises(PlotError, match=message):
        plot(*arguments)


def test_a_chip_is_refused_where_there_is_none():
    """Only the roofline is of a chip."""
    with pytest.raises(PlotError, match="roofline takes one"):
        plot("table-4-2", chip="h200")


@pytest.mark.parametrize(("value", "text"), [(33554432, "33.6 M"), (1.07e9, "1.07 G"), (999.9e3, "1 M"), (12.0, "12")])
def test_numbers_in_short(value, text):
    """Three digits."""
    assert in_short(value) == text


@pytest.mark.parametrize("small", [False, True])
def test_logarithmic_axes_have_a_number_at_every_power_of_ten(small):
    """Also where little room would make Matplotlib leave some out; the short ticks between have none."""
    with drawing_in(Look(small=small)):
        _, (axes,) = new_figure(Look(small=small), 1.5)
        decade_ticks(axes, "x", "y")
        axes.set(xlim=(1e-6, 1e6), ylim=(1, 1e12))

        for axis, lowest in ((axes.xaxis, -6), (axes.yaxis, 0)):
            numbers = [text.get_text() for text in axis.get_ticklabels()]
            assert [number for number in numbers if f"10^{{{lowest + 5}}}" in number]
            assert sum(bool(number) for number in numbers) >= 13
            assert not any(text.get_text() for text in axis.get_ticklabels(minor=True))


def test_bars_stand_on_no_logarithmic_axis():
    """A bar's length says nothing where there is no 0; dots say where they are. Each panel has one unit."""
    with drawing_in(Look()):
        for name in ("loads-by-level", "loads-by-tile", "roofline", "table-4-2"):
            panels = PLOTS[name].draw(Look(), None).figure.axes
            assert all(panel.get_yscale() == "log" and not panel.containers for panel in panels)

        requests, sectors = PLOTS["loads-by-level"].draw(Look(), None).figure.axes
        assert (requests.get_ylabel(), sectors.get_ylabel()) == ("requests of a warp", "sectors of 32 bytes")
        assert requests.get_ylim() == sectors.get_ylim()
