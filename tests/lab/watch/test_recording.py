"""`tilewright.watch`: what a notebook shows of a recording, and what it saves."""

import errno
import json
import os
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import tilewright
from tilewright.lab.check.options import CheckError
from tilewright.lab.source import SourceError
from tilewright.lab.trace.subject import TraceError


@pytest.fixture(scope="module")
def recording():
    """Seed 002's example."""
    return tilewright.watch("matmul/tiled")


class Frames(HTMLParser):
    """Collects the attributes of frames."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        """Keep one."""
        self.found.append((tag, dict(attrs)))


def test_a_notebook_shows_a_frame_that_is_shut_in(recording):
    """One element; its script may run and may not reach the notebook; the page in it is the page that is saved."""
    [(tag, attributes)] = Frames(recording._repr_html_()).found

    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["title"] == "matmul/tiled, step by step"
    assert attributes["srcdoc"] == recording.page()
    assert 'data-theme="dark"' in unescape(recording.frame(theme="dark"))
    assert "height:300px" in recording.frame(height_px=300)


@pytest.mark.slow
def test_it_is_saved_as_what_the_name_says(recording, tmp_path):
    """A page, a trace from which the same page comes again, a GIF, a PNG."""
    assert recording.save(tmp_path / "a.html").read_text(encoding="utf-8") == recording.page()
    again = tilewright.watch(recording.save(tmp_path / "a.json"))
    assert again.page() == recording.page()
    assert again.trace is None
    assert recording.save(tmp_path / "a.gif").read_bytes().startswith(b"GIF89a")
    assert recording.save(tmp_path / "a.png", dark=True).read_bytes().startswith(b"\x89PNG")
    with pytest.raises(TraceError, match=r"not as '.txt'"):
        recording.save(tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["a.html", "a.json"])
def test_a_full_disk_leaves_what_was_there(recording, tmp_path, monkeypatch, name):
    """Whole, with its mode, and alone in its folder; the error names the file that was asked for."""
    path = tmp_path / name
    path.write_text("old")
    path.chmod(0o640)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left on device") as caught:
            recording.save(path)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    recording.save(path)
    assert path.read_text() != "old"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_what_to_record_is_chosen():
    """Indices as short as they may be."""
    chosen = tilewright.watch("matmul/tiled", (8, 8, 8), blocks=[(1, 1)], threads=[0, (1, 1)], phases=(0, 0))

    [block] = chosen.document["blocks"]
    assert block["block"] == [1, 1, 0]
    assert chosen.document["recorded"]["threads"] == [[0, 0, 0], [1, 1, 0]]
    assert str(chosen).startswith("matmul/tiled: ")


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        (["nothing.cu"], {}, SourceError, "does not exist"),
        (["nothing.json"], {"size": (1, 1, 1)}, TraceError, "played as it was recorded"),
        (["nothing.cu"], {"dtype": "float64"}, TraceError, "a file says its tile itself"),
        (["nothing.cu"], {"tile": 2}, TraceError, "a file says its tile itself"),
        (["matmul/tiled"], {"symbol": "x"}, TraceError, "symbol is an option of files"),
        (["matmul/tiled"], {"colour": "x"}, CheckError, "no option 'colour'"),
        (["matmul/tiled"], {"blocks": [()]}, TraceError, "An index has x, y and z"),
    ],
)
def test_refusals(arguments, options, error, words):
    """A sentence, and nothing runs."""
    with pytest.raises(error, match=words):
        tilewright.watch(*arguments, **options)


def test_a_trace_shows_what_was_recorded(recording):
    """A row for each block, and the counts of the launch."""
    root = ElementTree.fromstring(recording.trace._repr_html_())  # noqa: S314  (our own text)

    rows = [["".join(cell.itertext()) for cell in row] for row in root.findall("table/tbody/tr")]
    steps = [len(block["steps"]) for block in recording.document["blocks"]]
    assert [row[:2] for row in rows if row[0].startswith("(")] == [
        [str(tuple(block["block"])), str(count)]
        for block, count in zip(recording.document["blocks"], steps, strict=True)
    ]
    assert json.loads(json.dumps(recording.document["counts"]))["global_loads"] == 64
    assert any("64" in row for row in rows)
    assert repr(recording.trace) == "matmul/tiled, 4 x 4 times 4 x 4: 120 steps of 4 blocks."


@pytest.mark.parametrize(
    ("body", "phases", "why"),
    [
        ("long long t = clock64(); while (clock64() >= t) {}", None, "it stopped before: .*more than .* instructions"),
        ("c[0] = n;", (50, 60), "the chosen threads do nothing in the chosen phases"),
    ],
)
def test_a_kernel_without_a_step(tmp_path, body, phases, why):
    """One that spins on a clock until the limit, one that has ended before: there is nothing to play."""
    path = tmp_path / "k.cu"
    path.write_text(f"__global__ void k(float* c, int n) {{ {body} }}\nint main() {{ k<<<1, 32>>>(0, 8); }}\n")

    with pytest.raises(TraceError, match=f"k has no steps to show: {why}"):
        tilewright.watch(path, results={"c": (8,)}, scalars={"n": 8}, phases=phases)


SHUFFLES = """
__global__ void reduce(const float* x, float* out)
{
    float sum = x[threadIdx.x];
    for (int distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (threadIdx.x == 0)
        out[0] = sum;
}
"""


def test_lanes_live_until_their_warp_ends(tmp_path):
    """All but the first jump over the store to the end; they are not told to have ended before it."""
    path = tmp_path / "reduce.cu"
    path.write_text(SHUFFLES)
    document = tilewright.watch(path, arrays={"x": (32,)}, results={"out": 1}, block="32", grid="1").document
    last = document["blocks"][0]["steps"][-2:]
    assert [step["k"] for step in last] == ["store", "exit"]
    assert "m" not in last[1]
