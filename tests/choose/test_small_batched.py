"""Products that a block takes whole: which they are, what they take of a chip, and how they are laid out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose import PlanError, find_chip
from tilewright.choose.choice import choose_plan
from tilewright.compile.cubin import resources_in
from tilewright.compile.nvrtc import compile_with_headers
from tilewright.compile.planned import own_headers
from tilewright.kernels.catalogue import find
from tilewright.kernels.launch import Pointer, Scalar
from tilewright.kernels.matmul.small_batched import (
    SIDES,
    advantage,
    launches,
    refusal,
)
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Problem

H200 = find_chip("h200")


def product(m, k, n, batch=(16,), dtype="bfloat16", out_dtype=None):
    """Contiguous operands of m x k x n."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m, n)))
    return Problem(a, b, c, dtype, out_dtype or dtype)


def launch_of(multiplication, facts=H200):
    """The launch of a product that is one part."""
    assert refusal(multiplication, facts, None) is None
    (launch,) = launches(multiplication, facts, None).launches
    return launch


@pytest.mark.parametrize(
    ("sizes", "kernel"),
    [
        ((512, 127, 63, 127), "matmul/small_batched"),
        ((512, 127, 65, 127), "matmul/small_batched"),
        ((512, 128, 64, 127), "matmul/short_k"),
        ((512, 31, 32, 33), "matmul/short_k"),
        ((16, 32, 32, 32), "matmul/mma_direct"),
        ((512, 128, 128, 128), "matmul/wgmma"),
        ((512, 129, 63, 127), "matmul/wgmma"),
        ((16, 127, 63, 127), "matmul/mma_direct"),
        ((16, 63, 129, 63), "matmul/mma_direct"),
        ((256, 128, 8, 126), "matmul/short_k"),
    ],
)
def test_who_takes_small_matrices_of_a_batch(sizes, kernel):
    """Those that would have to be repacked, if they are many; aligned ones go to the copy engine, a few unaligned ones
    to the kernel whose warps load what they multiply, and those with a short k to the one that writes rows.
    """
    batch, m, k, n = sizes
    plan = choose_plan(product(m, k, n, (batch,)), H200)

    assert plan.launches[-1].kernel.startswith(kernel)
    assert plan.reasons[0].startswith(f"{kernel} is the choice for bfloat16 on H200")


def test_elsewhere_it_is_only_taken_by_name():
    """Its speed was measured on one chip."""
    odd = product(127, 63, 127, dtype="float16")
    for chip in ("a100", "t4"):
        assert advantage(odd, find_chip(chip)) is None
        assert choose_plan(odd, find_chip(chip)).launches[0].kernel == "matmul/mma_sync"
    assert choose_plan(odd, find_chip("a100"), "small_batched").launches[0].kernel == "matmul/small_batched"


def test_two_blocks_on_each_sm_take_the_products_in_turn():
    """As many blocks as stay on the chip, or as there are products; each matrix's room is that of its stretch."""
    many, few = launch_of(product(127, 63, 127, (1024,))), launch_of(product(127, 63, 127, (9,)))

    assert (many.grid, few.grid) == ((2 * 132, 1, 1), (9, 1, 1))
    assert many.block == (256, 1, 1)
    a = b = (127 * 63 + 22) // 8 * 16
    c = -(-(127 * 127 * 2 + 16) // 16) * 16
    assert many.shared_bytes == a + b + c
    assert [many.arguments[name] for name in "ABC"] == [Pointer(name) for name in "ABC"]
    assert [many.arguments[f"product.{size}"] for size in "mnk"] == [Scalar("int", size) for size in (127, 127, 63)]
    assert many.arguments["staged_bytes"] == Scalar("int", c)


@pytest.mark.parametrize(
    ("n", "packed_c", "spread"), [(127, "1", "8"), (126, "1", "4"), (124, "1", "2"), (120, "1", "1"), (112, "0", "1")]
)
def test_rows_of_c_fall_on_different_banks(n, packed_c, spread):
    """Eight rows that far apart begin 16 bytes from each other in the banks, as their places in the stretch have it."""
    macros = dict(launch_of(product(128, 33, n)).macros)

    assert (macros["C_PACKED"], macros["SPREAD"]) == (packed_c, spread)
    if packed_c == "1":
        words = {row * int(spread) * n // 2 % 32 // 4 for row in range(8)}
        assert len(words) == 8


def test_a_c_along_its_columns_is_the_transposed_product():
    """Rows are what the kernel writes; the bias then lies along them."""
    plain = product(61, 33, 41, batch=())
    turned = launch_of(replace(plain, c=Operand(61, 41, 1, 61)))

    assert dict(turned.macros)["A_K_MAJOR"] == "0"
    assert tuple(turned.arguments.values())[:2] == (Pointer("B"), Pointer("A"))
    assert [turned.arguments[f"product.{size}"].value for size in "mnk"] == [41, 61, 33]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"a": Operand(40, 40, -40, 1)}, "contiguous and lie forwards, and A has the strides (-40, 1)"),
        ({"b": Operand(40, 40, 80, 2)}, "contiguous and lie forwards, and B has the strides (80, 2)"),
        ({"c": Operand(40, 40, 80, 2)}, "writes contiguous rows or columns, and C has the strides (80, 2)"),
        ({"a": Operand(40, 40, 4000, 1)}, "the contiguous spans from first to last element of A and B, and needs"),
    ],
)
def test_what_it_does_not_take_is_refused_in_a_sentence(change, sentence):
    """By name that is an error; by rule another kernel does it."""
    asked = replace(product(40, 40, 40, batch=()), **change)
    with pytest.raises(PlanError) as refused:
        choose_plan(asked, H200, "small_batched")

    assert sentence in str(refused.value)
    assert "small_batched" not in choose_plan(asked, H200).kernel.name


@pytest.mark.parametrize("sizes", [(129, 8, 8), (8, 129, 8), (8, 8, 129), (8, 0, 8)])
def test_sizes_that_it_does_not_take(sizes):
    """Up to 128, and something to add."""
    assert refusal(product(*sizes), H200, None) is not None
    with pytest.raises(PlanError, match="leave the tile out"):
        choose_plan(product(8, 8, 8), H200, "small_batched", (128, 128))


@pytest.mark.slow
@pytest.mark.parametrize("chip", ["t4", "a100", "h200"])
@pytest.mark.parametrize("n", SIDES)
def test_registers_leave_room_for_as_many_blocks_as_planned(chip, n):
    """What only a compile knows. Where the speed was measured, no more than four registers spill."""
    facts = find_chip(chip)
    launch = launch_of(product(min(n, 64) if chip == "t4" else 128, 32, n - 1, dtype="float16"), facts)
    kernel = find("matmul", "small_batched")
    assert kernel is not None
    assert facts.compute_capability is not None
    major, minor = facts.compute_capability
    program = compile_with_headers(
        kernel.source_text(),
        launch.source,
        architecture=f"sm_{major}{minor}{'a' * (major == 9)}",
        macros=dict(launch.macros),
        headers=own_headers(launch.source),
    )
    assert isinstance(program.code, bytes)
    resources = resources_in(program.code)[launch.entry]
    blocks = int(dict(launch.macros)["BLOCKS_PER_SM"])

    assert resources.registers_per_thread * launch.block[0] * blocks <= (facts.registers_per_sm or 0)
    assert resources.local_bytes_per_thread <= 16 or chip != "h200"
