from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, chip_names, find_chip, resident_blocks
from tilewright.choose.occupancy.limits import Limit, limits_of, why_no_block_fits

FACTS = DeviceFacts(
    name="card",
    source="made up",
    max_threads_per_sm=1536,
    max_blocks_per_sm=8,
    shared_bytes_per_sm=16 * 1024,
    registers_per_sm=32_768,
)


@pytest.mark.parametrize(
    ("threads", "shared_bytes", "registers", "blocks"),
    [
        (256, 0, None, 6),  # threads: 1536 / 256, seed 000
        (1024, 0, None, 1),  # threads: seed 000
        (64, 0, None, 8),  # blocks
        (64, 8 * 1024, None, 2),  # shared memory: seed 000's two blocks of 8 KB in 16 KB
        (256, 2 * 1024, 64, 2),  # registers: 32768 / (64 * 256)
    ],
)
def test_the_scarcest_resource_decides(threads, shared_bytes, registers, blocks):
    """Threads, blocks, shared memory and registers each limit the blocks of an SM."""
    assert resident_blocks(FACTS, threads, shared_bytes, registers) == blocks


CHIPS = st.sampled_from(chip_names())


@given(
    chip=CHIPS,
    threads=st.integers(1, 512),
    shared=st.integers(0, 16_384),
    registers=st.integers(1, 63),
    more=st.booleans(),
)
def test_what_takes_more_never_fits_more_often(chip, threads, shared, registers, more):
    """More threads, registers or bytes per block allow no more blocks, and the blocks fit into the SM."""
    facts = find_chip(chip)
    blocks = resident_blocks(facts, threads, shared, registers)
    with_more = resident_blocks(facts, threads + more, shared + 100 * more, registers + more)
    assert blocks is not None
    assert with_more is not None
    assert with_more <= blocks
    for held, taken in (
        (facts.max_threads_per_sm, threads),
        (facts.shared_bytes_per_sm, shared),
        (facts.registers_per_sm, registers * threads),
    ):
        assert held is not None
        assert blocks * taken <= held


@pytest.mark.parametrize(
    ("unknown", "resource", "reason"),
    [
        ("max_threads_per_sm", "threads", "how many threads an SM holds is not known"),
        ("max_blocks_per_sm", "blocks", "how many blocks an SM holds is not known"),
        ("registers_per_sm", "registers", "how many registers an SM has is not known"),
        ("shared_bytes_per_sm", "shared memory", "how much shared memory an SM has is not known"),
    ],
)
def test_what_is_not_known_of_an_sm_is_said(unknown, resource, reason):
    """The resource sets no limit, and does not count as unused."""
    without: dict[str, Any] = {unknown: None}
    limits = {limit.resource: limit for limit in limits_of(replace(FACTS, **without), 256, 1024, 32)}

    assert limits[resource] == Limit(resource, None, reason, known=False)
    assert all(limit.known and limit.blocks for limit in limits.values() if limit.resource != resource)


@pytest.mark.parametrize(
    ("limit", "block", "resource", "reason"),
    [
        ({"max_threads_per_block": 255}, (256, 0), "threads", "a block has 256 threads, and the chip allows 255"),
        (
            {"shared_bytes_per_block": 99},
            (256, 100),
            "shared memory",
            "a block takes 100 bytes, and the chip allows 99",
        ),
        (
            {"shared_bytes_per_block": 200, "shared_bytes_per_block_optin": 99},
            *((256, 100), "shared memory", "a block takes 100 bytes, and the chip allows 99"),
        ),
    ],
)
def test_a_block_over_a_limit_never_fits(limit, block, resource, reason):
    """And one at the limit does. A limit that kernels opt in to is the one that counts."""
    assert why_no_block_fits(replace(FACTS, **limit), *block) == reason
    (found,) = (each for each in limits_of(replace(FACTS, **limit), *block) if each.resource == resource)
    assert (found.blocks, found.known) == (0, True)
    assert why_no_block_fits(replace(FACTS, **{name: value + 1 for name, value in limit.items()}), *block) is None


def test_unknown_sm_is_not_guessed():
    """Without an SM's limit of threads there is no answer."""
    assert resident_blocks(EMULATOR_FACTS, 256, 0) is None
