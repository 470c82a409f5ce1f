"""What `tilewright check` says of kernels by authors who saw neither the checker nor its tests.

    python -m benchmarks.measure.check.blind_kernels [--jobs 4] [--out RESULT.json]

`tests/lab/blind/` holds right and wrong ones, numbered, with manifests: what each computes, or which lines name the
cause. Numbers 1 to 960 were used to mend the checker, so that their figures say what it knows, not how it does
on others: for that, new ones are added, and opened once. 91 to 120 and 451 to 990 are of the course's own operations
alone (matrix products, reduced products, dot products; in the latter a matrix times a vector, too).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import record

ROOT = Path(__file__).parents[3]
BLIND = Path("tests/lab/blind")
RESULT = record.RESULTS / "blind_kernels.json"
LAST_MENDED_FOR = 960
OUTCOMES = {0: "right", 1: "wrong", 2: "asked or refused"}


def as_row(kind: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Check one file in a process of its own: the outcome, and the lines of the first error."""
    command = [sys.executable, "-m", "tilewright", "check", str(BLIND / kind / entry["file"]), "--json", "-"]
    began = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    seconds = time.monotonic() - began
    lines = first_error_lines(json.loads(ended.stdout)) if ended.stdout.startswith("{") else []
    outcome = OUTCOMES.get(ended.returncode, f"status {ended.returncode}")
    row = {"file": entry["file"], "is": kind, "outcome": outcome, "seconds": round(seconds, 1), "lines": lines}
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


def opened_last(file: str) -> bool:
    """Whether a file is one of those that nothing was mended for."""
    return int(re.findall(r"\d+", file)[0]) > LAST_MENDED_FOR


def summary(rows: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
    """Count the outcomes of those that were opened last, or of the others."""
    chosen = [row for row in rows if opened_last(row["file"]) == last]
    right, wrong = ([row for row in chosen if row["is"] == kind] for kind in ("right", "wrong"))
    return {
        "right": len(right),
        "right without a flag": sum(row["outcome"] == "right" for row in right),
        "right and accused": sum(row["outcome"] == "wrong" for row in right),
        "wrong": len(wrong),
        "wrong and called so": sum(row["outcome"] == "wrong" for row in wrong),
        "wrong with the causing line": sum(row["named"] for row in wrong),
    }


def main() -> None:
    """Check all, so many at a time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--last", action="store_true", help="check those opened last alone; the others keep their rows")
    given = parser.parse_args()
    entries = [
        (kind, entry)
        for kind in ("right", "wrong")
        for entry in json.loads((ROOT / BLIND / kind / "manifest.json").read_text(encoding="utf-8"))
    ]
    rows = []
    if given.last:
        entries = [(kind, entry) for kind, entry in entries if opened_last(entry["file"])]
        rows = [row for row in json.loads(RESULT.read_text(encoding="utf-8"))["rows"] if not opened_last(row["file"])]
    with ThreadPoolExecutor(given.jobs) as pool:
        for row in pool.map(lambda each: as_row(*each), entries):
            rows.append(row)
            print(row, flush=True)
    last, others = summary(rows, last=True), summary(rows, last=False)
    print(last, others, sep="\n")
    how = "tilewright check FILE, without options; named: the first error stands in a line that names the cause"
    record.write(given.out, how, rows, opened_last=last, mended_for=others)


if __name__ == "__main__":
    main()
