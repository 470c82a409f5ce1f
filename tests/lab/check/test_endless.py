"""A launch that does not end is an error at its loop, and ends soon."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.repeats import cause_seconds
from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options
from tilewright.lab.check.run.endless import KIND, TOO_MANY, budget_at, plain_instructions
from tilewright.lab.check.run.execution import Geometry, Stand
from tilewright.lab.check.sizes import Sizes

PLANTED = Path(__file__).parents[1] / "planted"
COUNTED = {Sizes(32, 48, 16): 4_960}
"""Warp instructions of `naive` with blocks of 16 x 16, counted by execution."""
ENDLESS = """
__global__ void multiply(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k;) {
        for (int j = 0; j < n; ++j)
            sum += A[row * k + i] * B[i * n + col] / n;
        if (sum > 1e30f) ++i;
    }
    C[row * n + col] = sum;
}
"""
LAUNCH = """
void run(const float* A, const float* B, float* C, int m, int n, int k)
{
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    multiply<<<grid, block>>>(A, B, C, m, n, k);
}
"""


@pytest.mark.parametrize("sizes", COUNTED, ids=str)
def test_the_budget_is_a_hundred_times_the_plain_kernels(sizes):
    """Between once and twice what is counted of it, a hundredfold."""
    geometry = Geometry((-(-sizes.cols // 16), -(-sizes.rows // 16), 1), (16, 16, 1))
    plain = plain_instructions(sizes, geometry, 16)

    assert COUNTED[sizes] <= plain <= 3 * COUNTED[sizes]
    assert budget_at(sizes, geometry, 16) == TOO_MANY * plain


def test_a_launch_with_many_idle_warps_is_not_endless():
    """A grid of fixed size on a product of one element."""
    assert budget_at(Sizes(1, 1, 1), Geometry((1024, 1, 1), (1024, 1, 1)), 16) > 32_768 * 1_000


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["A,B,C,rows,cols,inner", ""], ids=["with roles", "without roles"])
def test_the_loop_that_does_not_end_is_named(tmp_path, arguments):
    """The outer one, though the launch may be stopped in the inner one, whether or not the arguments are known."""
    path = tmp_path / "endless.cu"
    path.write_text(ENDLESS, encoding="utf-8")
    options = Options(block="16,16", grid="ceil(cols/16),ceil(rows/16)", arguments=arguments, operation="matmul")
    (result,) = check_file(path, replace(options, cause_seconds=cause_seconds()))
    found = next(finding for finding in result.findings if finding.kind == KIND)

    assert not result.refusal
    assert found.severity == "error"
    assert found.place == ("endless.cu", 7)
    assert "a hundred times slower than the plain kernel" in found.message
    assert not result.is_well()


@pytest.mark.slow
def test_an_endless_dot_product_is_not_run_as_a_matmul(monkeypatch):
    """One size and a line of threads: no launch ends, so a dot is judged, in as few instructions as a dot needs."""
    budgets: list[int] = []

    def counted(stand, *arguments, budget, **given):
        outcome = run(stand, *arguments, budget=budget, **given)
        budgets.append(budget if outcome.fault is not None else 0)
        return outcome

    run = Stand.run
    monkeypatch.setattr(Stand, "run", counted)
    (result,) = check_file(PLANTED / "bad" / "dot_endless.cu", Options(block="128", grid="ceil(inner/128)"))

    assert {finding.place[1] for finding in result.findings if finding.kind in (KIND, "cause")} == {17}
    assert result.operation == "dot"
    assert sum(budgets) < 400_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loop", "line"),
    [
        ("for (int i = 0; i < k; ) sum += A[row * k + i] * B[i * n + col];", 6),
        ("int i = 0;\n    while (i < k) { sum += A[row * k + i] * B[i * n + col]; }", 7),
    ],
)
def test_a_loop_that_nothing_steps_is_the_cause(tmp_path, loop, line):
    """The missing step makes every problem right."""
    path = tmp_path / "no_step.cu"
    head, tail = ENDLESS.split("    for (int i", maxsplit=1)[0], "\n    C[row * n + col] = sum;\n}\n" + LAUNCH
    path.write_text(head.lstrip() + f"    {loop}{tail}", encoding="utf-8")
    (result,) = check_file(path, Options(arguments="A,B,C,rows,cols,inner"))

    assert not result.refusal
    cause = result.findings[0]
    assert (cause.kind, cause.place) == ("cause", ("no_step.cu", line))
    assert "`++i` in each turn" in cause.message
