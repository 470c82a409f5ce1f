"""Occupancy with the compiler's own register count."""

import pytest

from tilewright.choose import occupancy
from tilewright.compile import CompilerMissingError, resource_usage
from tilewright.lab.compiled_occupancy import compiled_occupancy


def test_registers_come_from_the_compiler():
    """The answer is the one that the count gives, and says who counted."""
    answer, origin = compiled_occupancy("matmul/tiled", "a100", tile=32)
    usage = resource_usage("matmul/tiled", "a100", tile=32)

    assert answer == occupancy("matmul/tiled", "a100", usage.registers_per_thread, tile=32)
    assert answer.complete
    assert origin == f"compiled: {usage.compiler} for sm_80"


def test_a_chip_out_of_the_compilers_reach():
    """Its registers are said to be unknown, with the compiler's sentence."""
    answer, origin = compiled_occupancy("matmul/tiled", "g80")

    assert (answer.blocks_per_sm, answer.complete, origin) == (3, False, "unknown")
    assert "not for sm_10" in answer.limit("registers").reason


def test_without_a_compiler(monkeypatch):
    """The remedy is in the reason."""

    def missing(*_, **__):
        raise CompilerMissingError("NVRTC is not installed.")

    monkeypatch.setattr("tilewright.lab.compiled_occupancy.resource_usage", missing)
    answer, _ = compiled_occupancy("matmul/tiled", "h200")

    assert answer.limit("registers").reason == "NVRTC is not installed"


def test_refusals_pass_through():
    """An unknown kernel is no question of registers."""
    with pytest.raises(ValueError, match="matmul/tlied"):
        compiled_occupancy("matmul/tlied", "h200")
