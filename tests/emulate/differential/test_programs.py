"""The emulator beside an H100: random programs over all instruction families, every bit of every register."""

from __future__ import annotations

import numpy as np
import pytest

from .answers import answers, digest
from .emulated import emulated
from .programs import program

QUICK, ALL = 60, 1020


def wrong_among(numbers: range) -> list[int]:
    """Return the programs whose registers end with other bits than on the GPU."""
    known = answers()
    return [number for number in numbers if digest(emulated(number)) != known[number]]


@pytest.mark.parametrize("first", range(0, QUICK, 20))
def test_every_bit_is_the_gpus(first):
    """NaN payloads, subnormal numbers and the tensor cores' sums too."""
    assert wrong_among(range(first, first + 20)) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(QUICK, ALL, 60))
def test_every_bit_is_the_gpus_in_many_programs(first):
    """The same for more; `python -m tests.gpu.fuzz_programs` asks a GPU for any number."""
    assert wrong_among(range(first, first + 60)) == []


@pytest.mark.parametrize("number", [7, 11, 23])
def test_no_order_of_events_changes_the_bits(number):
    """Copies in bulk and products of warpgroups may end early, late or at random, on one worker or two."""
    expected = emulated(number)
    for completion in ("late", "random"):
        assert np.array_equal(emulated(number, completion=completion), expected)
    assert np.array_equal(emulated(number, workers=2), expected)


def test_a_program_is_always_the_same():
    """The answers belong to texts: a change of the generator needs a GPU to answer again."""
    assert program(5) == program(5)
    assert program(5) != program(6)
    assert len(program(5, 3)) < len(program(5))


def test_a_wrong_bit_is_seen():
    """A digest stands for every bit."""
    values = emulated(1)
    values[17, 3] ^= 1 << 9
    assert digest(values) != answers()[1]
