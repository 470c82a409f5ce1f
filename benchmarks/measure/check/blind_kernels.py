"""What `tilewright check` says of kernels by authors who saw neither the checker nor its tests.

python -m benchmarks.measure.check.blind_kernels [RESULT.json]

`tests/lab/blind/` holds 60 right and 60 wrong ones with manifests: what each computes, or which lines name the cause.
The odd ones were used to mend the checker, the even ones were opened once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import record

BLIND = Path(__file__).parents[3] / "tests" / "lab" / "blind"
RESULT = record.RESULTS / "blind_kernels.json"
OUTCOMES = {0: "right", 1: "wrong", 2: "asked or refused"}


def as_row(kind: str, entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Check one file in a process of its own: the outcome, and the line of the first error."""
    place = folder / "report.json"
    place.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tilewright", "check", str(BLIND / kind / entry["file"]), "--json", str(place)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = first_error_lines(json.loads(place.read_text(encoding="utf-8"))) if place.exists() else []
    row = {"file": entry["file"], "is": kind, "outcome": OUTCOMES.get(ended.returncode, f"status {ended.returncode}")}
    if kind == "wrong":
        row |= {"causing_lines": entry["causing_lines"], "named": bool(set(lines) & set(entry["causing_lines"]))}
    return row


def first_error_lines(report: dict[str, Any]) -> list[int]:
    """Return the line or the two lines of the first error of the first kernel that has one."""
    errors = [
        finding
        for file in report["files"]
        for kernel in file["kernels"]
        for finding in kernel["findings"]
        if finding["severity"] == "error"
    ]
    return [place[1] for place in (errors[0]["place"], errors[0]["other"]) if place] if errors else []


def main() -> None:
    """Check all 120, one after the other."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("right", "wrong"):
            for entry in json.loads((BLIND / kind / "manifest.json").read_text(encoding="utf-8")):
                rows.append(as_row(kind, entry, Path(folder)))
                print(rows[-1])
    record.write(
        Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT,
        "tilewright check FILE, without options; named: the first error stands in a line that names the cause",
        rows,
    )


if __name__ == "__main__":
    main()
