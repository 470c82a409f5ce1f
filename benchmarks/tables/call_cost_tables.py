"""The tables of what a call costs on the host: of arrays on a GPU, and of the CPU's."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

RESULT, HOST = record.RESULTS / "call_cost.json", record.RESULTS / "host_calls.json"
KINDS = {"": "a new result", ", out": "`out=`", ", out, fresh": "`out=`, every A at a new address"}
OTHERS = {"reduced": ("`reduced_matmul`", "torch"), "dot": ("`dot`", "torch, dot")}
"""Other operations: how they are called in the table, and what of torch's they stand beside."""


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
    tables = f"{markdown(header, lines)}\n\n{_other_operations(us)}"
    return f"{tables}\n\nIn us, and in parentheses as a part of torch's in the same process. {_caption(measured)}"


def _other_operations(us: dict[tuple[bool, str, str], float]) -> str:
    """Operations and types down; torch and ours across, without the compiled extra and with it."""
    lines = []
    for name, (words, rival) in OTHERS.items():
        for dtype in dict.fromkeys(dtype for _, dtype, contender in us if contender == name):
            cells = [words, dtype, "torch.dot" if rival == "torch, dot" else "torch.matmul"]
            for extra in (False, True):
                if (extra, dtype, name) in us:
                    own, torch = us[extra, dtype, name], us[extra, dtype, rival]
                    cells += [f"{torch:.1f}", f"{own:.1f} ({own / torch:.2f})"]
                else:
                    cells += ["", ""]
            lines.append(cells)
    return markdown(["operation", "type", "beside", "torch", "ours", "torch", "ours, extra"], lines)


def host_calls() -> str:
    """Cases down; the library's own call, ours and the difference across, without the compiled extra and with it."""
    measured = record.read(HOST)
    header = ["call", "own", "ours", "more", "own", "ours", "more, extra"]
    lines: dict[str, list[str]] = {}
    for row in measured["rows"]:
        cells = lines.setdefault(row["case"], [row["case"]])
        if "more_us" in row:
            cells += [f"{row['own_us']:.2f}", f"{row['ours_us']:.2f}", f"{row['more_us']:+.2f}"]
        elif "share" in row:
            cells += [f"{row['own_ms']:.2f} ms", f"{row['ours_ms']:.2f} ms", f"{row['share']:.2f} times"]
        else:
            cells += ["", f"{median(row['ms']):.0f} ms", ""]
    environment = measured["environment"]
    versions = f"torch {measured['versions']['torch']}, NumPy {environment['numpy']}, Python {environment['python']}"
    caption = (
        f"{environment['processor']}, {versions}, {measured['date']}: {measured['how']}. A plan's own call is `matmul`."
    )
    return f"{markdown(header, list(lines.values()))}\n\n{caption}"


def _caption(measured: dict[str, Any]) -> str:
    environment = measured["environment"]
    torch = f"driver {environment['driver']}, torch {measured['versions']['torch']}, Python {environment['python']}"
    where = f"{environment['device']}, {environment['processor']}, {torch}"
    return f"{where}, {measured['date']}: {measured['how']}."
