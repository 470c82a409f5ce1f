"""Plans for products in 16-bit types, for every chip of the table: made on a laptop, never beyond a chip's limits."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from tests.repeats import sampled
from tilewright.choose import DeviceFacts, PlanError, chip_names, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.cubin import resources_in
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import own_headers
from tilewright.kernels.batches import slices
from tilewright.kernels.catalogue import kernels_of
from tilewright.kernels.kernel import LEAST_CAPABILITY
from tilewright.kernels.launch import BUFFERS, Launch, Pointer, TensorMap
from tilewright.kernels.matmul import mma_sync
from tilewright.kernels.matmul.mma_sync import WARP_TILES
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Epilogue, Problem

CHIPS = [find_chip(name) for name in chip_names()]
NEW = [chip for chip in CHIPS if (chip.compute_capability or (0, 0)) >= LEAST_CAPABILITY]
OLD = [chip for chip in CHIPS if chip not in NEW]
SIZES = [
    (1, 1, 1),
    (8192, 8192, 8192),
    (4097, 4095, 4099),
    (1, 8192, 8192),
    (64, 2**20, 64),
    (255, 257, 253),
    (5, 0, 7),
]


def by_name(chip: DeviceFacts) -> str:
    """The chip as a test's name has it."""
    return chip.name


MOST_SPILLED_BYTES = 32
LONG_SIDE = 192
"""Of tiles whose operands lie along k."""
"""Of a thread of matmul/mma_sync: that more blocks share an SM was worth more than eight registers that wait."""


def product(m: int, k: int, n: int, dtype: str = "float16", *, batch: tuple[int, ...] = ()) -> Problem:
    """A product of packed matrices."""
    a, b, c = packed((*batch, m, k)), packed((*batch, k, n)), packed((*batch, m, n))
    return Problem(a, b, c, dtype, dtype)


def check_limits(launch: Launch, chip: DeviceFacts) -> None:
    """A launch that the chip takes."""
    assert 0 < prod(launch.block) <= (chip.max_threads_per_block or 0)
    assert launch.shared_bytes <= (chip.shared_bytes_per_block_optin or 0)
    assert 0 < launch.grid[0] < 2**31
    assert all(0 < extent <= 65_535 for extent in launch.grid[1:])
    assert all(extent % blocks == 0 for extent, blocks in zip(launch.grid, launch.cluster, strict=True))
    assert prod(launch.cluster) == 1 or (chip.compute_capability or (0, 0)) >= (9, 0)
    for argument in launch.arguments.values():
        if isinstance(argument, TensorMap):
            assert len(argument.sizes) == len(argument.box) == len(argument.strides_bytes) + 1 <= 5
            assert all(0 < size <= 2**32 for size in argument.sizes)
            assert all(0 < edge <= 256 for edge in argument.box)
            assert all(0 < stride < 2**40 and stride % 16 == 0 for stride in argument.strides_bytes)
            assert argument.offset_bytes % 16 == 0
        if isinstance(argument, Pointer | TensorMap):
            assert argument.buffer in BUFFERS


@pytest.mark.parametrize("chip", NEW, ids=by_name)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_chip_has_a_plan_within_its_limits(chip, dtype):
    """Each size, batch and forced kernel: threads, shared memory, grid and clusters are what the chip takes."""
    for kernel in ("auto", *(known.idea for known in kernels_of("matmul") if dtype in known.since)):
        for sizes in SIZES:
            for batch in ((), (3,), (70_000,)):
                asked = product(*sizes, dtype, batch=batch)
                try:
                    plan = choose_plan(asked, chip, kernel)
                except PlanError as error:
                    refused = (kernel != "auto", str(error)[-1])
                    assert refused == (True, ".")
                    continue
                assert plan.launches
                assert all(reason.endswith(".") for reason in plan.reasons)
                for launch in plan.launches:
                    check_limits(launch, chip)


@pytest.mark.parametrize("chip", OLD, ids=by_name)
def test_older_chips_are_refused_in_a_sentence(chip):
    """Nothing is compiled for a chip that NVRTC does not know."""
    with pytest.raises(PlanError, match=r"from compute capability 7\.5 on"):
        choose_plan(product(8, 8, 8), chip)


@pytest.mark.parametrize(
    ("chip", "dtype", "kernel"),
    [
        ("t4", "float16", "matmul/mma_sync"),
        ("t4", "bfloat16", "matmul/cuda_cores_16bit"),
        ("a100", "bfloat16", "matmul/mma_sync"),
        ("rtx-5090", "float16", "matmul/mma_sync"),
    ],
)
def test_the_kernel_of_a_chip(chip, dtype, kernel):
    """Tensor cores where the chip has them for the type, CUDA cores where not; the first reason names the kernel."""
    plan = choose_plan(product(64, 64, 64, dtype), find_chip(chip))

    assert plan.launches[-1].kernel == kernel
    assert plan.reasons[0].startswith(f"{kernel} is the choice for {dtype}")


@pytest.mark.parametrize(
    ("kernel", "tile", "dtype", "sentence"),
    [
        ("tiled", None, "float16", "matmul/tiled takes float32 or float64, not float16."),
        ("dot/auto", None, "float16", "dot/auto is no kernel for matmul, which has auto,"),
        ("mma_sync", None, "bfloat16", "takes bfloat16 from compute capability 8.0 on; this chip has 7.5"),
        ("mma_sync", (48, 48), "float16", "(128, 128), (128, 64), (64, 128)"),
        ("cuda_cores_16bit", (32, 32), "float16", "has the tile (64, 64), not (32, 32)"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(kernel, tile, dtype, sentence):
    """Kernels and tiles by name: what is given, and what there is."""
    with pytest.raises(PlanError) as refused:
        choose_plan(product(64, 64, 64, dtype), find_chip("t4"), kernel, tile)

    assert sentence in str(refused.value)


def test_an_address_that_no_gpu_reads_is_refused():
    """Half an element off, or float32 at a multiple of 2."""
    plain = product(8, 8, 8)
    for change in (
        {"a": replace(plain.a, alignment_bytes=1)},
        {"c": replace(plain.c, alignment_bytes=2), "out_dtype": "float32"},
        {"c_operand": replace(plain.c, alignment_bytes=1), "epilogue": Epilogue(beta=1)},
    ):
        with pytest.raises(PlanError, match="copy it to an aligned address"):
            choose_plan(replace(plain, **change), find_chip("a100"))


@pytest.mark.parametrize("shape", [(0, 5, 7), (5, 5, 0)])
def test_an_empty_result_launches_nothing(shape):
    """No rows, no columns or no products: there is nothing to compute."""
    assert choose_plan(product(*shape), find_chip("a100")).launches == ()
    assert choose_plan(product(4, 4, 4, batch=(3, 0)), find_chip("a100")).launches == ()


def test_an_empty_inner_size_still_runs_the_epilogue():
    """C is the epilogue of zeros, not what the memory held."""
    bias = replace(product(4, 0, 4), epilogue=Epilogue(bias=True))
    assert choose_plan(bias, find_chip("a100")).launches


def test_larger_tiles_for_larger_results():
    """The fastest by the cost model, which the sentence says; few tiles share a long k."""
    a100 = find_chip("a100")
    large, small = (choose_plan(product(n, n, n), a100, "mma_sync") for n in (8192, 256))
    deep = choose_plan(product(64, 65536, 64), a100, "mma_sync")

    assert {dict(large.launches[0].macros)[name] for name in ("BLOCK_M", "BLOCK_N")} == {"128", "192"}
    assert dict(small.launches[0].macros)["BLOCK_M"] == "32"
    assert any("by the cost model" in reason for reason in large.reasons)
    assert [launch.kernel for launch in deep.launches] == ["matmul/mma_sync", "matmul/splitk_reduce"]


@pytest.mark.parametrize(
    ("operand", "vector", "k_major", "shifted"),
    [
        (packed((64, 64)), "8", "1", "0"),
        (packed((64, 63)), "8", "1", "1"),
        (packed((64, 63)).transposed, "8", "0", "1"),
        (packed((64, 66)), "2", "1", "0"),
        (packed((64, 64), alignment_bytes=8), "4", "1", "0"),
        (packed((64, 64)).transposed, "8", "0", "0"),
        (Operand(64, 64, 128, 2), "1", "1", "0"),
        (Operand(64, 64, -64, 1), "8", "1", "0"),
        (Operand(64, 64, -63, 1), "1", "1", "0"),
    ],
)
def test_loads_are_as_wide_as_address_and_strides_allow(operand, vector, k_major, shifted):
    """One 16-byte copy where everything is a multiple of it, two cut to one where lines begin anywhere."""
    plain = product(operand.rows, operand.columns, 64)
    plan = choose_plan(replace(plain, a=operand), find_chip("a100"), "mma_sync")

    macros = dict(plan.launches[0].macros)
    assert (macros["A_VECTOR"], macros["A_K_MAJOR"], macros["A_SHIFTED"]) == (vector, k_major, shifted)


@pytest.mark.parametrize(
    ("c", "out_dtype", "by_lines"),
    [
        (packed((64, 63)), "float16", "1"),
        (packed((63, 64)).transposed, "float16", "2"),
        (Operand(64, 63, 126, 2), "float16", "0"),
        (packed((64, 63)), "float32", "0"),
    ],
)
def test_c_goes_out_line_by_line_where_it_has_lines(c, out_dtype, by_lines):
    """Pairs of 16-bit results side by side, along rows or columns; single ones where C has gaps, and in float32."""
    asked = Problem(packed((64, 64)), packed((64, 63)), c, "float16", out_dtype)
    for chip in ("t4", "a100"):
        (launch,) = choose_plan(asked, find_chip(chip), "mma_sync", (128, 128)).launches
        assert dict(launch.macros)["C_BY_LINES"] == by_lines
        assert by_lines == "0" or launch.shared_bytes >= 2 * 128 * 136


def test_a_batch_that_no_two_extents_describe_is_several_launches():
    """One launch for each index of the outer extents, each with its own offsets; too many are refused."""
    plain = product(8, 8, 8, batch=(2, 3, 4))
    scattered = replace(plain, b=replace(plain.b, batch_strides=(0, 64, 0)))
    plan = choose_plan(scattered, find_chip("a100"))

    assert len(plan.launches) == 2
    assert [launch.arguments["A"] for launch in plan.launches] == [Pointer("A", 0), Pointer("A", 12 * 64 * 2)]
    many = product(8, 8, 8, batch=(5000, 3, 4))
    with pytest.raises(PlanError, match=r"would take 5,000 launches; at most 4,096"):
        choose_plan(replace(many, b=replace(many.b, batch_strides=(0, 64, 0))), find_chip("a100"))


@pytest.mark.slow
@pytest.mark.parametrize("tile", sampled(WARP_TILES), ids=lambda tile: f"{tile.block_m}x{tile.block_n}x{tile.block_k}")
@pytest.mark.parametrize("chip", ["t4", "a100", "h200"])
def test_registers_are_within_the_chips_limits(chip, tile):
    """What only a compile knows: registers of a block, with the loads that take most; next to nothing spills."""
    facts = find_chip(chip)
    odd = product(255, 253, 257)
    if tile.block_n == LONG_SIDE:
        odd = replace(odd, b=packed((257, 253)).transposed)
    if not tile.takes(mma_sync.load_paths(odd)):
        odd = product(254, 254, 254)
    (part,) = slices(odd)
    (launch,) = mma_sync.divided(part, facts, tile, 1).launches
    source = next(kernel for kernel in kernels_of("matmul") if kernel.source == launch.source)
    assert facts.compute_capability is not None
    program = compile_with_headers(
        source.source_text(),
        launch.source,
        architecture="sm_{}{}".format(*facts.compute_capability),
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
    )
    assert isinstance(program.code, bytes)
    resources = resources_in(program.code)[launch.entry]

    assert resources.registers_per_thread * tile.threads <= (facts.max_registers_per_block or 0)
    assert resources.local_bytes_per_thread <= MOST_SPILLED_BYTES
