"""What the emulator's observers, its faults and NumPy find in the planted mistakes, their twins and correct kernels.

python -m benchmarks.measure.check.planted_findings [RESULT.json]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from benchmarks import record
from tests.lab.planted.manifest import PlantedCase, correct, mended, planted
from tests.lab.planted.running import run, run_instrumented
from tests.lab.planted.watching import all_observers

RESULT = record.RESULTS / "planted_findings.json"


def as_row(group: str, case: PlantedCase) -> dict[str, Any]:
    """One case: what is wrong, which lines must be named, and what was found."""
    named = [*run(case, all_observers()), *run_instrumented(case)]
    found = sorted({(one.kind, one.severity, tuple(sorted(one.lines))) for one in named})
    return {
        "case": case.name,
        "group": group,
        "wrong": case.wrong,
        "planted": {kind: sorted(case.marked("planted", kind)) for kind in case.finding},
        "hangs": case.hangs,
        "found": [{"kind": kind, "severity": severity, "lines": list(lines)} for kind, severity, lines in found],
    }


def main() -> None:
    """Run the whole corpus."""
    groups = {"planted": planted(), "correct": correct(), "mended": mended()}
    record.write(
        Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT,
        "run on the emulator with all observers, and again with subscripts checked; results held against NumPy's",
        [as_row(group, case) for group, cases in groups.items() for case in cases],
    )


if __name__ == "__main__":
    main()
