import pytest

from tilewright.choose import Problem
from tilewright.kernels import UnknownOperationError


@pytest.mark.parametrize(
    ("operation", "sizes", "shapes"),
    [
        ("matmul", (2, 4, 3), ((2, 3), (3, 4), (2, 4))),
        ("reduced_matmul", (2, 4, 3), ((2, 3), (3, 4), (1, 2))),
        ("dot", (1, 1, 3), ((3,), (3,), ())),
    ],
)
def test_shapes_follow_the_operation(operation, sizes, shapes):
    """A (m, k), B (k, n) and C as each operation has it."""
    m, n, k = sizes
    problem = Problem.of(operation, m, n, k, "float32")

    assert (problem.a_shape, problem.b_shape, problem.c_shape) == shapes
    assert problem.sizes == sizes


def test_unknown_operation_is_refused():
    """A problem of no operation has no shapes."""
    with pytest.raises(UnknownOperationError, match="there are matmul, reduced_matmul, dot"):
        _ = Problem.of("matmult", 1, 1, 1, "float32").c_shape
