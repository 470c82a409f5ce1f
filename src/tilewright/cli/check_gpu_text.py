"""What `tilewright check --gpu` prints of the GPU: its columns beside the emulator's, and what went wrong there."""

from __future__ import annotations

from itertools import groupby

from rich.table import Table

from tilewright.choose.quantities import duration, magnitude
from tilewright.lab.check.report.junit import case_name
from tilewright.lab.check.report.result import GpuResult
from tilewright.lab.check.statuses import FAULT, RIGHT

MOST_MESSAGES = 2


def gpu_columns(table: Table, gpu: GpuResult | None) -> list[tuple[str, str, str]]:
    """Add the GPU's columns to the table of problems; return their cells, a row for each problem."""
    if gpu is None or not gpu.cases:
        return []
    table.add_column("on the\nGPU", no_wrap=True)
    table.add_column("error\nthere", justify="right", no_wrap=True)
    table.add_column("time\nthere", justify="right", no_wrap=True)
    states = {RIGHT: "right", FAULT: "STOPPED"}
    return [
        (states.get(case.status, case.status.upper()), magnitude(case.error), duration(case.kernel_seconds))
        for case in gpu.cases
    ]


def gpu_lines(gpu: GpuResult | None) -> list[str]:
    """Return sentences: which GPU, why it ran nothing, what was wrong at which problem."""
    if gpu is None:
        return []
    if gpu.refusal:
        return [f"On {gpu.device}: not run, for {gpu.refusal}."]
    lines = [f"On {gpu.device}: times are medians of five launches, each on fresh inputs with cold caches."]
    told = [case for case in gpu.cases if case.message]
    groups = [list(group) for _, group in groupby(told, key=lambda case: case.message)]
    for same in groups[:MOST_MESSAGES]:
        more = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        what = "stopped" if same[0].status == FAULT else same[0].status
        lines.append(f"{case_name(same[0])}{more}: {what} on the GPU: {same[0].message}")
    if len(groups) > MOST_MESSAGES:
        lines.append(f"The messages of {sum(map(len, groups[MOST_MESSAGES:]))} more on the GPU are in --json.")
    return lines
