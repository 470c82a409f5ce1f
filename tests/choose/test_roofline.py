from dataclasses import replace

import pytest

from tilewright.choose import EMULATOR_FACTS, PlanError, chip_names, find_chip, roofline
from tilewright.kernels import TAUGHT, find_operation, find_taught


@pytest.mark.parametrize(
    ("kernel", "tile", "dtype", "flops_per_byte"),
    [
        ("matmul/naive", 16, "float32", 2 / 8),
        ("matmul/naive", 16, "float64", 2 / 16),
        ("matmul/tiled", 16, "float32", 16 / 4),
        ("matmul/tiled_inner_barrier", 32, "float32", 32 / 4),
        ("reduced_matmul/naive_p", None, "float32", 2 / 16),
        ("reduced_matmul/tiled", 8, "float32", 8 * 2 / 16),
        ("dot/tiled", 256, "float32", 2 / 8),
    ],
)
def test_operations_per_byte_of_large_matrices(kernel, tile, dtype, flops_per_byte):
    """Two operations for the bytes of a multiply-add's loads, shared by a tile of threads."""
    assert roofline(kernel, "h200", tile=tile, dtype=dtype).flops_per_byte == flops_per_byte


@pytest.mark.parametrize("kernel", [kernel for kernel in TAUGHT if "gpu" in kernel.runs_on], ids=lambda k: k.name)
def test_large_problems_approach_it(kernel):
    """The loads of a large problem, counted by the catalogue, give the same number to a thousandth."""
    size = (1, 1, 2**26) if find_operation(kernel.operation).vectors else (16_384, 16_384, 16_384)

    counted = roofline(kernel, "h200", size=size).flops_per_byte

    assert counted == pytest.approx(roofline(kernel, "h200").flops_per_byte, rel=2e-3)


def test_a_small_problem_by_hand():
    """4 x 4 with tiles of 2, seed 002: 64 loads and 16 stores of 4 bytes for 128 operations; each once: 48 elements."""
    answer = roofline("matmul/tiled", "h200", tile=2, size=(4, 4, 4))

    assert answer.flops_per_byte == 128 / (80 * 4)
    assert answer.each_once is not None
    assert answer.each_once.flops_per_byte == 128 / (48 * 4)
    assert (answer.bound, answer.attainable_gflops) == ("memory", 4800 * 0.4)


def test_beyond_the_ridge_computing_is_the_limit():
    """Both sides of the ridge, and the ridge itself."""
    ridge = roofline(1.0, "h200").ridge_flops_per_byte

    assert ridge == 66_900 / 4_800
    assert roofline(ridge * 0.99, "h200").bound == "memory"
    assert roofline(ridge * 1.01, "h200").bound == "compute"
    assert roofline(ridge * 1.01, "h200").attainable_gflops == 66_900


def test_every_number_says_where_it_is_from():
    """Data has its source, all else is called modelled."""
    where = roofline("matmul/tiled", "h200").where

    assert "data sheet" in where["bandwidth_gb_per_s"]
    assert "white paper" in where["peak_gflops"]
    for name in ("ridge_flops_per_byte", "flops_per_byte", "attainable_gflops", "needed_gb_per_s"):
        assert where[name].startswith("modelled: ")
    assert roofline(2.0, "h200").where["flops_per_byte"] == "given"


def test_sentences():
    """What, where, how much, and what it would take."""
    assert str(roofline("matmul/naive", "g80", tile=16)) == (
        "matmul/naive with tile 16 does 0.25 FLOP per byte and is bound by memory on G80 (8800 GTX): 86.4 GB/s allow "
        "21.6 GFLOP/s of 346.5, which would take 1,386 GB/s."
    )
    assert "bound by computing" in str(roofline("matmul/tiled", "t4", dtype="float64"))
    assert "If caches let each element move once" in str(roofline("matmul/tiled", "h200", size=(512, 512, 512)))
    assert str(roofline(5, "h200")).startswith("5 FLOP per byte is bound by memory")


@pytest.mark.parametrize("chip", chip_names())
def test_every_chip_has_a_roofline_in_float32(chip):
    """And in float64 where its peak is known."""
    assert roofline("matmul/tiled", chip).attainable_gflops > 0
    if find_chip(chip).fp64_gflops is None:
        with pytest.raises(PlanError, match="float64 peak is not known"):
            roofline("matmul/tiled", chip, dtype="float64")


def test_refusals():
    """What is missing or makes no sense."""
    with pytest.raises(PlanError, match="peak is not known"):
        roofline("matmul/tiled", EMULATOR_FACTS)
    with pytest.raises(PlanError, match="memory bandwidth is not known"):
        roofline("matmul/tiled", replace(find_chip("h200"), bandwidth_gb_per_s=None))
    with pytest.raises(PlanError, match="float16"):
        roofline("matmul/tiled", "h200", dtype="float16")
    with pytest.raises(PlanError, match="multiples of its tile 16"):
        roofline(find_taught("matmul", "tiled_exact"), "h200", size=(64, 64, 62))
    with pytest.raises(PlanError, match="more than 0"):
        roofline(0.0, "h200")
    with pytest.raises(PlanError, match="neither a tile nor a size"):
        roofline(1.0, "h200", tile=16)
