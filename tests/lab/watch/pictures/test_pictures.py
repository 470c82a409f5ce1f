"""GIF and PNG of a trace."""

import io

import numpy
import pytest
from PIL import Image, ImageSequence

from benchmarks.pictures.write_pictures import FOLDER, traced
from tilewright import cli
from tilewright.lab.plots.look import Look, PlotError
from tilewright.lab.watch.pictures import gif_of, png_of
from tilewright.lab.watch.pictures.drawing import saving, shown
from tilewright.lab.watch.pictures.files import MOST_FRAMES
from tilewright.lab.watch.pictures.layout import grid_shape


@pytest.fixture(scope="module")
def drawn():
    """The README's picture, dark, which tests/test_house_pictures.py finds to be what is drawn."""
    return (FOLDER / "matmul-4x4-dark.gif").read_bytes()


def test_a_frame_for_each_step(drawn):
    """But the threads' end; the last one stays; the page's background is the look's own."""
    document = traced("matmul-4x4")
    durations = []
    with Image.open(io.BytesIO(drawn)) as image:
        for frame in ImageSequence.Iterator(image):
            durations.append(frame.info["duration"])
            assert frame.convert("RGB").getpixel((1, 1)) == (0x14, 0x17, 0x1C)
        words = image.info["comment"].decode()

    assert len(durations) == len(document["blocks"][0]["steps"]) - 1
    assert durations[-1] > max(durations[:-1])
    assert words.startswith("matmul/tiled, tile 2, m = 4, n = 4, k = 4: 30 steps of block (0, 0, 0)")
    assert Look(dark=True).background == "#14171c"


def test_what_is_written_is_filled_in_its_place(drawn):
    """The tile of A gets A's colour in the frame that stores it, and loses it in the next."""
    with Image.open(io.BytesIO(drawn)) as image:
        filled = []
        for frame in (0, 1, 2):
            image.seek(frame)
            picture = image.convert("RGB")
            right = picture.crop((400, 0, picture.width, 280))
            filled.append(int((numpy.asarray(right) == (0x6C, 0xB6, 0xFF)).all(2).sum()))

    assert filled[0] == filled[2] == 0
    assert filled[1] > 1000


@pytest.mark.slow
def test_png_shows_two_phases():
    """Four stills, and words for those who cannot see them."""
    with Image.open(io.BytesIO(png_of(traced("matmul-4x4")))) as image:
        assert image.info["Description"].startswith("matmul/tiled")
        assert image.size == (2 * 2 * 618, 2 * 2 * 572)


def test_large_ones_are_refused():
    """By the array's size, and by the steps."""
    document = traced("matmul-4x4")
    wide = {**document, "arrays": [{**document["arrays"][0], "shape": [4, 17]}, *document["arrays"][1:]]}
    with pytest.raises(PlotError, match="at most 16 x 16 elements, and A is 4 x 17"):
        png_of({**wide, "arrays": [{**wide["arrays"][0], "before": [1] * 68}, *wide["arrays"][1:]]})
    steps = document["blocks"][0]["steps"]
    long = {**document, "blocks": [{"block": [0, 0, 0], "steps": [steps[0]] * (MOST_FRAMES + 1)}]}
    with pytest.raises(PlotError, match=f"at most {MOST_FRAMES} frames, and this block has 401 steps"):
        gif_of(long)


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (3, "3"), (3.0, "3"), (0.123456, "0.123"), (1e6, "1e+06"), ("nan", "nan")]
)
def test_values_in_cells(value, text):
    """Short enough for a cell."""
    assert shown(value) == text


HALF = "In the end 4 instead of 8: 50 %."


@pytest.mark.parametrize(
    ("arrays", "tile", "loads", "text"),
    [
        (["global", "shared"], 2, (4, 8), f"{HALF} With a tile of 16, and large matrices, 1/16."),
        (["global", "shared"], 16, (4, 64), "In the end 4 instead of 64: 6 %."),
        (["global"], None, (8, 4), HALF),
        (["global", "shared"], 1, (8, 8), "As many as without tiles."),
    ],
)
def test_what_tiles_save(arrays, tile, loads, text):
    """The kernel with tiles is named first, whichever was recorded."""
    document = {"arrays": [{"space": space} for space in arrays], "problem": {"tile": tile}}
    assert saving(document, *loads) == text


@pytest.mark.parametrize(("shape", "grid"), [([4, 6], (4, 6)), ([7], (1, 7)), ([40], (3, 16)), ([2, 3, 4], (6, 4))])
def test_vectors_take_several_rows(shape, grid):
    """Rows of 16."""
    assert grid_shape(shape) == grid


def test_the_command_draws(tmp_path, capsys, monkeypatch):
    """Where a picture is named, no page is written unless it is named, too."""
    monkeypatch.chdir(tmp_path)
    assert cli.run(["watch", "matmul/naive", "--size", "2", "2", "2", "--gif", "a.gif", "--png", "b.png"]) == cli.PASSED

    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "b.png"]
    assert "a.gif: " in capsys.readouterr().out


def test_the_command_refuses_what_cannot_be_seen(tmp_path, capsys):
    """In a sentence, with status 2."""
    arguments = ["watch", "matmul/tiled", "--size", "20", "20", "20", "--gif", str(tmp_path / "a.gif")]
    assert cli.run(arguments) == cli.REFUSED

    assert "at most 16 x 16 elements, and A is 20 x 20" in capsys.readouterr().err
