"""Guesses of a kernel's roles: which come first does not depend on where the sizes stand."""

from __future__ import annotations

import pytest

from tilewright.lab.check.find.hypotheses import hypotheses, slots_of
from tilewright.lab.source.signatures import Parameter

SIZES = [Parameter(name, "int", is_pointer=False, is_const=False, element_type="int") for name in ("m", "k", "n")]
POINTERS = [Parameter(name, "float*", is_pointer=True, is_const=False, element_type="float") for name in "xyz"]


@pytest.mark.parametrize("before", range(4))
def test_the_result_is_taken_for_the_last_pointer_first(before):
    """Then for the one in the middle, and last for the first, which is usually read."""
    parameters = [*SIZES[:before], *POINTERS, *SIZES[before:]]
    guesses = hypotheses("matmul", "", slots_of(parameters, "kernel"))
    results = [parameters[guess.arguments.index("C")].name for guess in guesses]
    assert list(dict.fromkeys(results)) == ["z", "y", "x"]
