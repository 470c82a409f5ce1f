"""Results as a check might give them, for what prints, writes and grades them."""

from __future__ import annotations

from tilewright.emulate.observers.finding import Finding
from tilewright.lab.check.report.result import CaseResult, CheckResult, CountsRow, GpuCase, GpuResult

SOURCE = """#define TILE 16
__global__ void mul(const float* A, const float* B, float* C, int m, int n, int k)
{
    As[ty][tx] = A[row * k + tx];
    sum += As[ty][i] * Bs[i][tx];
    C[row * n + col] = sum;
}
"""


def race(file: str = "mul.cu", **changes: object) -> Finding:
    """A race between lines 4 and 5."""
    given: dict[str, object] = {
        "kind": "race",
        "severity": "error",
        "place": (file, 4),
        "message": "Thread (0, 0, 0) writes As[0][0] while thread (1, 0, 0) reads it.",
        "advice": "Put __syncthreads() between the two lines.",
        "other": (file, 5),
        "threads": (((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (1, 0, 0))),
        "address": "As[0][0]",
        "times": 1024,
    }
    return Finding(**(given | changes))  # type: ignore[arg-type]


def uncoalesced(file: str = "mul.cu") -> Finding:
    """A note."""
    return Finding("uncoalesced", "note", (file, 6), "A warp's 32 stores need 32 sectors.", "Swap x and y.")


def case(rows: int, inner: int, cols: int, status: str = "right", **changes: object) -> CaseResult:
    """A launch with blocks of 16 x 16."""
    grid, block = (-(-cols // 16), -(-rows // 16), 1), (16, 16, 1)
    given = {"error": 1.5e-6, "bound": 3.8e-6} if status == "right" else {}
    sizes = {"rows": rows, "inner": inner, "cols": cols}
    return CaseResult(sizes, status, grid, block, **(given | changes))  # type: ignore[arg-type]


def result(file: str = "mul.cu", **changes: object) -> CheckResult:
    """A right kernel."""
    given: dict[str, object] = {
        "operation": "matmul",
        "arguments": "A,B,C,rows,cols,inner",
        "how": "the only order that fits",
        "launch": "the file's own <<<>>>",
        "cases": (case(16, 16, 16), case(17, 16, 15)),
        "compared": (
            CountsRow(
                "mul",
                {"rows": 37, "inner": 8, "cols": 41},
                {"global_loads": 12345, "global_load_requests": 100, "global_load_sectors": 450, "barriers": 8},
            ),
        ),
        "notes": ("Sizes from 1 to 61 were tried.",),
    }
    return CheckResult(file, "mul", **(given | changes))  # type: ignore[arg-type]


def on_gpu(*statuses: str, message: str = "C[0][1] is 3 and should be 5.", refusal: str = "") -> GpuResult:
    """What a GPU says of as many problems of 16 rows."""
    sizes = {"rows": 16, "inner": 16, "cols": 16}
    cases = [
        GpuCase(sizes, status, "", 1.4e-6, 3.8e-6, 4.5e-6)
        if status == "right"
        else GpuCase(sizes, status, "" if status == "not run" else message)
        for status in statuses
    ]
    return GpuResult("A card", tuple(cases), refusal)


def refused(file: str = "broken.cu", sentence: str = "broken.cu:3: error: expected a ;") -> CheckResult:
    """A file that could not be checked."""
    return CheckResult(file, "", refusal=sentence)
