"""Launches that a comment describes in other words than CUDA's: grids and blocks of several languages."""

import pytest

from tilewright.lab.check.find.described_launch import with_described_launch
from tilewright.lab.check.find.kernel_file import open_file

KERNEL = """#define WPB 4
/* {} */
__global__ void mm(const float *A, const float *B, float *C, int m, int n, int k) {{ C[0] = 0; }}
"""
BOTH = "dim3 block_(32, 8); dim3 grid_(ceil(n * 1.0 / 32), ceil(m * 1.0 / 8)"


@pytest.mark.parametrize(
    ("comment", "described"),
    [
        ("bloc(32, 8), grille(ceil(n / 32), ceil(m / 8))", f"{BOTH});"),
        (
            "Lancement : dim3 bloc(32, WPB); grille((m + WPB - 1) / WPB)",
            "block_(32, WPB); dim3 grid_((m + WPB - 1) / WPB);",
        ),
        (
            "blok: (32, 8); \u0131zgara: (ceil(n / 32), ceil(m / 8), y\u0131\u011f\u0131n say\u0131s\u0131)",
            f"{BOTH}, tilewright_count);",
        ),
        ("block (32, 8), grid (ceil(n / 32), ceil(m / 8), slices)", f"{BOTH}, tilewright_count);"),
        ("block (32, 8), grid (ceil(2n / 32), m)", "block_(32, 8); dim3 grid_(ceil(2 * n * 1.0 / 32), m);"),
        ("Blok van 32 x 8 draden. Rooster: x = ceil(n / 32), y = ceil(m / 8)", f"{BOTH});"),
        ("grid(n / 64, m / 64), 256 vláken", "block_(256); dim3 grid_(n / 64, m / 64);"),
        ("64 threads (1D), grid = (ceil(n / 16), m)", "block_(64); dim3 grid_(ceil(n * 1.0 / 16), m);"),
        (
            "int rows = (m + 7) / 8, cols = (n + 7) / 8; int m = 5; mm<<<rows * cols, 64>>>(A, B, C, m, n, k);",
            "{ int rows = (m + 7) / 8, cols = (n + 7) / 8; mm<<<rows * cols, 64>>>(A, B, C, m, n, k); }",
        ),
        ("thread (0, 0) of block (0, 0) adds up; grid(n, m)", None),
        ("block (32, 8), grid (as many as needed)", None),
        ("block (32, 8), grid (columns, rows)", None),
        ("a block of threads for a tile", None),
    ],
)
def test_what_a_comment_describes(tmp_path, comment, described):
    """What counts along z may be said in words; a block's place is no block, and words are no formula."""
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL.format(comment), encoding="utf-8")
    opened = open_file(path)
    found = with_described_launch(opened, opened.kernels[0])
    host = found.file.text.strip().rpartition("\n")[2] if found is not None else None
    assert (described in host) if described and host else host is described
