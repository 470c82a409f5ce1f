"""explain gives the plan that the call would follow, and runs nothing."""

import numpy
import pytest

import tilewright


def test_a_named_kernel_is_planned_with_its_reasons():
    """Kernel, tile, grid, block, shared bytes, and a sentence for each choice."""
    plan = tilewright.explain(numpy.ones((64, 62)), numpy.ones((62, 64)), kernel="tiled", device="emulator", tile=4)

    assert (plan.kernel.name, plan.tile, plan.grid, plan.block) == ("matmul/tiled", 4, (16, 16, 1), (4, 4, 1))
    assert plan.shared_bytes == 2 * 4 * 4 * 8
    assert plan.reasons
    assert "tile          4" in str(plan)


def test_the_host_is_numpy():
    """Without a device the plan is the host's, for any type that NumPy takes."""
    plan = tilewright.explain([[1, 2]], [[3], [4]])

    assert (plan.kernel.name, plan.machine, plan.problem.dtype) == ("matmul/numpy", "host", "int64")


@pytest.mark.parametrize(
    ("operation", "a_shape", "b_shape", "sizes"),
    [
        ("matmul", (4,), (4, 3), (1, 3, 4)),
        ("matmul", (5, 2, 4), (4,), (2, 1, 4)),
        ("reduced_matmul", (6, 4), (4, 2), (6, 2, 4)),
        ("dot", (7,), (7,), (1, 1, 7)),
    ],
)
def test_sizes(operation, a_shape, b_shape, sizes):
    """m, n and k are those of one pair of matrices."""
    a, b = numpy.ones(a_shape), numpy.ones(b_shape)
    plan = tilewright.explain(a, b, operation=operation, device="emulator")

    assert plan.problem.sizes == sizes


def test_shapes_are_checked_as_for_the_call():
    """A plan for what cannot be multiplied would explain nothing."""
    with pytest.raises(tilewright.ShapeError, match="inner sizes"):
        tilewright.explain(numpy.ones((2, 3)), numpy.ones((2, 3)))


@pytest.mark.parametrize("kernel", ["auto", "matmul/auto"])
@pytest.mark.parametrize("device", ["auto", "host", "emulator"])
def test_auto_may_name_its_operation(kernel, device):
    """As in the call itself; the choice is the same."""
    a = numpy.ones((40, 40))
    plan = tilewright.explain(a, a, kernel=kernel, device=device)

    assert plan == tilewright.explain(a, a, device=device)
    numpy.testing.assert_array_equal(tilewright.matmul(a, a, kernel=kernel, device=device), a @ a)
