import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.choose import EMULATOR_FACTS, DeviceFacts, chip_names, find_chip, resident_blocks

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


def test_unknown_sm_is_not_guessed():
    """Without an SM's limit of threads there is no answer."""
    assert resident_blocks(EMULATOR_FACTS, 256, 0) is None
