import re
from pathlib import Path

import pytest

import tilewright.kernels
from tilewright.kernels import (
    CATALOGUE,
    OPERATIONS,
    TAUGHT,
    Problem,
    UnknownKernelError,
    UnknownOperationError,
    find_operation,
    find_taught,
)

FOLDER = Path(tilewright.kernels.__file__).parent
COMPILED = [kernel for kernel in TAUGHT if "gpu" in kernel.runs_on]
TILED = [kernel for kernel in COMPILED if kernel.tile is not None]


def by_name(kernel):
    """The kernel as a test's name has it."""
    return kernel.name


def test_every_file_is_in_the_catalogue_once():
    """A kernel file that nobody lists, or a listed one that is missing, is found."""
    files = sorted(
        str(path.relative_to(FOLDER).as_posix()) for path in FOLDER.glob("*/*.c*") if path.suffix in {".c", ".cu"}
    )

    assert files == sorted(kernel.source for kernel in CATALOGUE)


def test_the_catalogue_holds_the_design():
    """The twelve kernels of the seeds are there, by name, whatever was added to them."""
    assert {kernel.name for kernel in TAUGHT} >= {
        *(f"matmul/{idea}" for idea in ("sequential", "naive", "tiled_exact", "tiled", "tiled_inner_barrier")),
        *(f"reduced_matmul/{idea}" for idea in ("sequential", "naive_4p", "naive_p", "tiled")),
        *(f"dot/{idea}" for idea in ("sequential", "single_thread", "tiled")),
    }


@pytest.mark.parametrize("kernel", CATALOGUE, ids=by_name)
def test_source_opens_like_a_lecture(kernel):
    """Idea, shapes, seeds, what is new and what comes next stand before the code, and name the catalogue's seeds."""
    header = kernel.source_text().split("\n\n")[0]

    for label in ("Shapes:", "Seeds:", "New:", "Next:"):
        assert f"// {label}" in header
    seeds = re.search(r"// Seeds:(.*?)// New:", header, re.DOTALL)
    assert seeds is not None
    assert set(kernel.seeds) <= set(re.findall(r"\b00\d\b", seeds[1]))


@pytest.mark.parametrize("kernel", TAUGHT, ids=by_name)
def test_source_defines_its_entry_and_defaults(kernel):
    """The entry point and the defaults of the macros are those of the catalogue, so the file compiles alone."""
    text = kernel.source_text()

    assert re.search(rf"void {kernel.entry}\(const ELEMENT\* A, const ELEMENT\* B, ELEMENT\* C,", text)
    assert "#define ELEMENT float" in text
    defaults = re.findall(r"#ifndef TILE\n#define TILE (\d+)", text)
    assert defaults == ([str(kernel.tile.default)] if kernel.tile else [])


@pytest.mark.parametrize("kernel", TAUGHT, ids=by_name)
def test_instruction_families_follow_the_source(kernel):
    """What the catalogue says a kernel needs of the chip is what its text uses."""
    text = re.sub(r"//.*", "", kernel.source_text())

    assert ("shared memory" in kernel.families) == ("__shared__" in text)
    assert ("barrier" in kernel.families) == ("__syncthreads()" in text)


def test_macros_name_type_and_tile():
    """float64 is C's double, and a tile left out is the default."""
    assert find_taught("matmul", "tiled").macros("float64", 8) == {"ELEMENT": "double", "TILE": "8"}
    assert find_taught("dot", "tiled").macros("float32", None) == {"ELEMENT": "float", "TILE": "1024"}
    assert find_taught("reduced_matmul", "naive_p").macros("float32", None) == {"ELEMENT": "float"}


def test_launch_shapes():
    """Grid and block of each arrangement, where sizes and tiles do not divide."""
    assert find_taught("matmul", "tiled").block(16) == (16, 16, 1)
    assert find_taught("matmul", "tiled").grid(17, 33, 5, 16) == (3, 2, 1)
    assert find_taught("reduced_matmul", "tiled").grid(34, 66, 5, 16) == (3, 2, 1)
    assert find_taught("reduced_matmul", "naive_p").block() == (1024, 1, 1)
    assert find_taught("reduced_matmul", "naive_p").grid(128, 128, 128) == (4, 1, 1)
    assert find_taught("dot", "tiled").grid(1, 1, 10_000, 1024) == (10, 1, 1)
    assert find_taught("dot", "tiled").grid(1, 1, 0, 1024) == (1, 1, 1)
    assert find_taught("dot", "single_thread").grid(1, 1, 10_000) == (1, 1, 1)


def test_shared_bytes_are_the_seeds():
    """Seed 000: 2 KB for tile 16 and 8 KB for tile 32."""
    tiled = find_taught("matmul", "tiled")

    assert tiled.shared_bytes(16, "float32") == 2 * 1024
    assert tiled.shared_bytes(32, "float32") == 8 * 1024
    assert tiled.shared_bytes(32, "float64") == 16 * 1024
    assert find_taught("dot", "tiled").shared_bytes(1024, "float64") == 8 * 1024
    assert find_taught("matmul", "naive").shared_bytes(16, "float32") == 0


def test_output_elements():
    """C's own elements, or a partial sum per block."""
    assert find_taught("matmul", "tiled").c_elements(3, 5, 7, 16) == 15
    assert find_taught("reduced_matmul", "tiled").c_elements(4, 6, 7, 16) == 6
    assert find_taught("dot", "tiled").c_elements(1, 1, 10_000, 1024) == 10
    assert find_taught("dot", "single_thread").c_elements(1, 1, 10_000) == 1


def test_work_is_the_operations():
    """A multiplication and an addition per product; the reduced product adds its pairs once more."""
    assert find_taught("matmul", "tiled").about.flops(3, 5, 7) == 2 * 3 * 5 * 7
    assert find_taught("dot", "tiled").about.flops(1, 1, 7) == 14
    assert find_taught("reduced_matmul", "naive_4p").about.flops(4, 6, 7) == 2 * 2 * 3 * 7 + 7 * (2 + 3)


@pytest.mark.parametrize("kernel", TILED, ids=by_name)
def test_usual_tiles_are_accepted(kernel):
    """The shipped tiles and the default obey the rule; one past each end does not."""
    assert all(kernel.tile.accepts(tile) for tile in (*kernel.tile.usual, kernel.tile.default))
    assert kernel.tile.default in kernel.tile.usual
    for tile in (kernel.tile.smallest - 1, kernel.tile.largest + 1, 0, -1):
        assert f"not {tile}:" in (kernel.refusal(Problem.of(kernel.operation, 64, 64, 64, "float32"), None, tile) or "")


@pytest.mark.parametrize(
    ("name", "sizes", "tile", "dtype", "sentence"),
    [
        ("matmul/tiled_exact", (32, 32, 33), 16, "float32", "m = 32, n = 32, k = 48 would do"),
        ("matmul/tiled", (4, 4, 4), 16, "float16", "takes float32 or float64, not float16"),
        ("matmul/tiled", (4, 4, 4), 33, "float32", "takes tiles from 1 to 32, not 33"),
        ("matmul/tiled", (4, -1, 4), 16, "float32", "sizes of 0 or more"),
        ("matmul/naive", (65_536, 4, 4), 1, "float32", "at most 65,535 rows of C with tile 1"),
        ("matmul/naive", (46_341, 46_341, 4), 16, "float32", "indices are 32-bit integers"),
        ("matmul/sequential", (4, 2049, 4), None, "float32", "n = 2,049: one thread"),
        ("reduced_matmul/tiled", (3, 4, 4), 16, "float32", "must be even, not m = 3, n = 4"),
        ("reduced_matmul/naive_p", (4, 4, 4), 16, "float32", "has no tile to set"),
        ("dot/tiled", (1, 1, 64), 48, "float32", "powers of two, not 48"),
        ("dot/tiled", (1, 1, 2**30), 1024, "float32", "must fit a 32-bit integer"),
        ("dot/tiled", (2, 1, 64), 1024, "float32", "two vectors of k elements"),
    ],
)
def test_refusals_say_what_is_accepted(name, sizes, tile, dtype, sentence):
    """Each limit refuses with its own sentence, which ends like one."""
    m, n, k = sizes
    refusal = find_taught(*name.split("/")).refusal(Problem.of(name.split("/")[0], m, n, k, dtype), None, tile)

    assert refusal is not None
    assert sentence in refusal
    assert refusal.endswith(".")


@pytest.mark.parametrize(
    ("name", "sizes", "tile"),
    [
        ("matmul/tiled_exact", (32, 64, 96), 32),
        ("matmul/naive", (65_535, 4, 4), 1),
        ("matmul/tiled", (4, 4, 0), 16),
        ("matmul/sequential", (2048, 2048, 2048), None),
        ("reduced_matmul/tiled", (16_384, 16_384, 16_384), 32),
        ("dot/tiled", (1, 1, 2**30 - 512), 1024),
        ("dot/single_thread", (1, 1, 2**31 - 1), None),
    ],
)
def test_limits_are_reached(name, sizes, tile):
    """The last size inside each limit is accepted."""
    m, n, k = sizes

    assert find_taught(*name.split("/")).refusal(Problem.of(name.split("/")[0], m, n, k, "float32"), None, tile) is None


def test_unknown_names_list_the_known_ones():
    """A wrong name is answered with the right ones."""
    with pytest.raises(UnknownKernelError, match="matmul/tilde; there are matmul/sequential, matmul/naive"):
        find_taught("matmul", "tilde")
    with pytest.raises(UnknownOperationError, match=", ".join(operation.name for operation in OPERATIONS)):
        find_operation("matmult")
