"""Which subscripts are checked, which are not, and that a check changes nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy
import pytest

from tests.lab.source.in_process import compiled
from tilewright.emulate import Emulator
from tilewright.lab.source import (
    SUBSCRIPT_LOG,
    compile_user_file,
    device_part,
    findings_of_instrumented_run,
    instrument_subscripts,
    read_cuda_file,
)

FILES = sorted((Path(__file__).parent / "files").glob("*.cu"))


def checks(body, before=""):
    """What is checked and what not, in a kernel's body; lines count from that of the kernel."""
    text = f"{before}\n__global__ void k(float* g, int i, int j, float rows[][64], float (&ref)[4])\n{{{body}}}\n"
    first = before.count("\n") + 3
    found = instrument_subscripts(text)
    assert found.text.count("\n") == text.count("\n")
    known = [f"{site.array}/{site.dimension}:{site.line - first}" for site in found.checked if site.extent_text]
    return known, [(line - first, array, why) for line, array, why in found.not_checked]


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("__shared__ float a[4][8]; a[i][j] = 1;", ["a/0:1", "a/1:1"]),
        ("__shared__ float a[4][8];\na[i]\n[j] = a[0][i + j];", ["a/0:2", "a/1:3", "a/0:3", "a/1:3"]),
        ("float a[4]; a[i] += a[(i + 1) % 4];", ["a/0:1", "a/0:1"]),
        ("float a[4]; int b[2]; a[b[i]] = 1;", ["b/0:1", "a/0:1"]),
        ("g[i] = 1;", []),
        ("rows[i][j] = 1;", ["rows/1:1"]),
        ("ref[i] = 1;", ["ref/0:1"]),
        ("float (*p)[8] = 0; p[i][j] = 1;", ["p/1:1"]),
        ("float a[4]; { float* a = g; a[i] = 1; } a[j] = 1;", ["a/0:1"]),
        ("float a[4]; for (int a = 0; a < 4; ++a) g[a] = 1; a[i] = 2;", ["a/0:1"]),
        ("float a[4]; auto f = [&](int x) { return a[x]; }; g[0] = f(i);", ["a/0:1"]),
        ("int a[4]; atomicAdd(&a[i], 1);", ["a/0:1"]),
        ("struct { float t[2][3]; } s; s.t[i][j] = 1;", ["t/0:1", "t/1:1"]),
        ("float a[4]; g[0] = a[i] > 0 ? a[j] : (a)[0];", ["a/0:1", "a/0:1", "a/0:1"]),
    ],
)
def test_subscripts_of_arrays_are_checked(body, known):
    """Each dimension whose extent the array's type has."""
    checked, left = checks("\n" + body)

    assert checked == known
    assert [entry for entry in left if "macro" in entry[2]] == []


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("float a[4]; float* p = &a[i]; p[0] = 1;", [(1, "a", "its address is taken")]),
        ("float a[4]; float* p = a; p[i] = 1;", [(1, "a", "it is used as a pointer")]),
        ("float a[4][8]; float* p = a[i]; p[j] = 1;", [(1, "a", "its row is used as a pointer")]),
        ("float a[4][8]; *(*(a + i) + j) = 1;", [(1, "a", "it is used as a pointer")]),
        ("extern __shared__ float s[]; s[i] = 1;", [(1, "s", "its extent comes with the launch")]),
        (
            "float a[4]; g[0] = AT(a, i);",
            [(1, "AT", "a macro holds the subscript"), (1, "a", "it is used as a pointer")],
        ),
        ("float a[8]; float4 v = FOUR(a[i]);", [(1, "a", "the macro FOUR takes its address or its text")]),
        (
            "constexpr int c[2] = {1, 2}; int d[c[1]]; d[0] = c[i];",
            [(1, "c", "it is constexpr")],
        ),
        ("float a[4]; g[0] = sizeof(a[0]) + sizeof a; decltype(a[0]) r = g[0];", []),
    ],
)
def test_what_is_not_checked_is_listed(body, left):
    """With the line, the array and the reason."""
    before = "#define AT(array, i) array[i]\n#define FOUR(x) (*reinterpret_cast<float4*>(&(x)))\n"

    assert checks("\n" + body, before)[1] == left


def test_findings_name_line_array_index_extent_and_thread(tmp_path):
    """One for each subscript, with how often; an index inside of the array as a whole is found too."""
    text = """
    #define WIDTH 8
    struct Tile { float t[2][WIDTH]; };
    template <int N> __device__ float last(const float (&row)[N], int i) { return row[i]; }
    __global__ void k(float* a, unsigned zero)
    {
        __shared__ float tile[4][WIDTH];
        Tile s = {};
        int x = threadIdx.x;
        tile[0][x] = x;
        __syncthreads();
        a[x] = tile[1][x] + s.t[0][x % 9];
        if (x == 3)
            a[0] = last(tile[0], 8) + tile[0][zero - 1 + 1];
    }
    """
    (tmp_path / "k.cu").write_text(textwrap.dedent(text))
    compiled_file = compile_user_file(read_cuda_file(tmp_path / "k.cu"), instrument=True)
    assert compiled_file.subscripts is not None
    emulator = Emulator(workers=1)
    module = emulator.load(compiled_file.ptx)
    a = emulator.allocate(64)

    emulator.launch(module, "_Z1kPfj", grid=2, block=10, arguments=[a, 0])

    log = emulator.get_variable(module, SUBSCRIPT_LOG, numpy.int64, compiled_file.subscripts.log_shape)
    found = findings_of_instrumented_run(compiled_file.subscripts, log)
    assert [(f.place, f.address, f.times, f.threads) for f in found] == [
        (("k.cu", 4), "row[8]", 2, (((0, 0, 0), (3, 0, 0)),)),
        (("k.cu", 10), "tile[...][8]", 4, (((0, 0, 0), (8, 0, 0)),)),
        (("k.cu", 12), "tile[...][8]", 4, (((0, 0, 0), (8, 0, 0)),)),
        (("k.cu", 12), "t[...][8]", 2, (((0, 0, 0), (8, 0, 0)),)),
    ]
    assert found[1].message == (
        "Thread (8, 0, 0) of block (0, 0, 0) uses index 8 in the second dimension of tile, which has 8 (WIDTH) "
        "elements there."
    )
    assert found[1].severity == "error"


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_instrumented_files_compile(path):
    """Whatever style they have."""
    plain, _ = compiled(read_cuda_file(path))

    checked = compile_user_file(read_cuda_file(path), instrument=True)

    assert set(plain.lowered_names.values()) <= set(checked.kernels)
    assert checked.subscripts is not None


def test_lines_stay():
    """An instrumented text has the lines of the file."""
    text = (Path(__file__).parents[1] / "seeds" / "004_tiledmatmultiply.cu").read_text()

    instrumented = instrument_subscripts(text)

    assert instrumented.text.count("\n") == text.count("\n")
    lines = zip(device_part(text).text.split("\n"), instrumented.text.split("\n"), strict=True)
    assert {number for number, (old, new) in enumerate(lines, 1) if old != new} == {
        site.line for site in instrumented.checked
    }
