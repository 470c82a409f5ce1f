"""Plans of reduced products whose pairs are added beside the product."""

from __future__ import annotations

import pytest

from tilewright.choose import choose_plan, find_chip
from tilewright.choose.summed import summed_later
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem


def reduced(m: int, n: int, k: int, *batch: int) -> Problem:
    """The reduced product of packed matrices."""
    a, b, c = (packed((*batch, *shape)) for shape in ((m, k), (k, n), (m // 2, n // 2)))
    return Problem(a, b, c, "float32", "float32", operation="reduced_matmul", precision="ieee")


@pytest.mark.parametrize(
    ("sizes", "later"), [((64, 65536, 4096), "B"), ((16384, 64, 512), "A"), ((8192, 8192, 64), None)], ids=str
)
def test_products_of_a_batch_lie_behind_each_other_in_the_workspace(sizes, later):
    """Three take three times the room of one, whichever pairs are added in the results."""
    facts = find_chip("h200")
    three, six = (choose_plan(reduced(*sizes, count), facts) for count in (3, 6))

    assert summed_later(reduced(*sizes, 3), 132) == later
    assert six.workspace_bytes == 2 * three.workspace_bytes > 0
    assert ("splitk_reduce" in three.launches[-1].kernel) == (later is not None)
