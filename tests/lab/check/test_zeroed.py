"""Which line of a file's host code fills C with zeros before the launch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tilewright.lab.check.find.zeroed import zeroing_line


def line_of(host: str) -> int | None:
    """The line found in host code that passes d_c as C."""
    opened = SimpleNamespace(file=SimpleNamespace(text=host))
    kernel: Any = SimpleNamespace(opened=opened, site=SimpleNamespace(arguments=["d_a", "d_b", "d_c", "n"]))
    found: Any = SimpleNamespace(roles=SimpleNamespace(arguments=("A", "B", "C", "k")))
    return zeroing_line(kernel, found)


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemset(d_c, 0, 4 * n);",
        "cudaMemsetAsync(d_c, 0, 4 * n, stream);",
        "cudaMemset((void *)d_c, 0, 4 * n);",
        "cudaMemset ( d_c , 0 , n );",
    ],
)
def test_zeros(call):
    """By either function, with any spaces and a cast."""
    assert line_of(f"int main() {{\n  {call}\n}}") == 2


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemset(d_c, 1, 4 * n);",
        "cudaMemset(d_c, 0xFF, 4 * n);",
        "cudaMemset(d_c, -1, 4 * n);",
        "cudaMemset(d_c, 00x, n);",
        "cudaMemset(d_c, value, n);",
        "cudaMemset(d_a, 0, 4 * n);",
        "cudaMemset(d_cc, 0, 4 * n);",
        "// cudaMemset(d_c, 0, 4 * n);",
        "memset(d_c, 0, 4 * n);",
    ],
)
def test_no_zeros(call):
    """Other values, other pointers, a comment, the host's function."""
    assert line_of(f"int main() {{\n  {call}\n}}") is None
