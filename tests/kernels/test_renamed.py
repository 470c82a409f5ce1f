"""Old names still work, and say the new ones."""

from __future__ import annotations

from importlib import import_module

import pytest

from tilewright import choose
from tilewright.kernels import Problem
from tilewright.kernels.catalogue import find
from tilewright.kernels.launch import Launch
from tilewright.launch import Record
from tilewright.launch.cuda.machine import CudaMachine


@pytest.mark.parametrize(
    ("module", "name", "found"),
    [
        ("choose.launches", "GpuPlan", choose.Plan),
        ("choose.launches", "PlannedLaunch", Launch),
        ("choose.multiplication", "Multiplication", Problem),
        ("choose.multiplication_plan", "plan_multiplication", choose.choose_plan),
        ("launch", "LaunchRecord", Record),
        ("launch.gpu", "GpuMachine", CudaMachine),
    ],
)
def test_an_old_name_warns_and_is_the_new_one(module, name, found):
    """The warning names both."""
    old = import_module(f"tilewright.{module}")

    with pytest.warns(DeprecationWarning, match=f"tilewright.{module}.{name} is .*{found.__name__} now"):
        assert getattr(old, name) is found


@pytest.mark.parametrize("asked", ["whole_matrices", "matmul/whole_matrices"])
def test_a_kernel_s_former_name_warns_and_finds_it(asked):
    """As a call's ``kernel=``, and in the catalogue."""
    now = find("matmul", "small_batched")

    with pytest.warns(FutureWarning, match=f"The kernel {asked} is named .*small_batched now"):
        assert choose.named_kernel("matmul", asked) is now
    with pytest.warns(FutureWarning, match="The kernel matmul/sum_splits is named matmul/splitk_reduce now"):
        assert find("matmul", "sum_splits").is_step


def test_what_never_was_there_is_not_found():
    """An unknown name is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = import_module("tilewright.choose.launches").Nothing
