"""The table of what a call costs on the host, from the raw rounds of benchmarks/results/call_cost.json."""

from __future__ import annotations

from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

RESULT = record.RESULTS / "call_cost.json"
KINDS = {"": "a new result", ", out": "`out=`", ", out, fresh": "`out=`, every A at a new address"}


def call_cost() -> str:
    """Types and kinds of call down; torch, a call and a plan across, without the compiled extra and with it."""
    measured = record.read(RESULT)
    us = {(row["extra"], row["dtype"], row["contender"]): row["median_us"] for row in measured["rows"]}
    header = ["type", "call", "torch", "`matmul`", "`plan`", "torch", "`matmul`, extra", "`plan`, extra"]
    lines = []
    for dtype in dict.fromkeys(row["dtype"] for row in measured["rows"]):
        for kind, words in KINDS.items():
            cells = [dtype, words]
            for extra in (False, True):
                torch = us.get((extra, dtype, f"torch{kind}"))
                if torch is None:  # there is no such call, or no extra was there
                    cells += [""] * 3
                    continue
                own = [us[extra, dtype, f"{name}{kind}"] for name in ("call", "plan")]
                cells += [f"{torch:.1f}", *(f"{each:.1f} ({each / torch:.2f})" for each in own)]
            lines.append(cells)
    table = markdown(header, lines)
    return f"{table}\n\nIn us, and in parentheses as a part of torch.matmul's in the same process. {_caption(measured)}"


def _caption(measured: dict[str, Any]) -> str:
    environment = measured["environment"]
    torch = f"driver {environment['driver']}, torch {measured['versions']['torch']}, Python {environment['python']}"
    where = f"{environment['device']}, {environment['processor']}, {torch}"
    return f"{where}, {measured['date']}: {measured['how']}."
