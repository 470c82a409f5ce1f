"""Kernels of public repositories, which nobody here wrote: what `check` says of each, as a table and as JSON.

    python -m benchmarks.measure.check.public_kernels FOLDER [FILES]

takes the files of `public_kernels.toml` from a folder beside the project, where none of their code belongs, and writes
`results/public_kernels.json` and `docs/public-kernels.md`. With the names of files it checks those again, and keeps the
others' outcomes.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tilewright
from benchmarks.measure.check.public_references import GIVEN
from tilewright.compile.nvrtc import nvrtc_version
from tilewright.lab.check.report.verdict_words import verdict

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RAW, TABLE = ROOT / "benchmarks" / "results" / "public_kernels.json", ROOT / "docs" / "public-kernels.md"
SECONDS = 240.0


FOUND = ("outcome", "said", "launch", "arguments")
INTRODUCTION = """# Kernels of public repositories

Kernels that nobody here wrote, looked up in public repositories and tried; none of their code is in this project. They
were taken from excerpts: each kernel whole, the host's code shortened; where a kernel's last lines lay beyond it
(`completed`), they were added as the rest asks for. A kernel that is no product was given arrays and a reference.

`right` and `wrong` are verdicts. The others are none: `refused` says what does not compile or what is missing,
`not emulated` names a feature, `needs its launch` asks for grid and block. An outcome is just if a person who read the
kernel agrees. A number is the file's in the index of public files in which it was found.
"""


def outcome(path: Path, symbol: str) -> dict[str, Any]:
    """Return what check comes to for one kernel: in a word, and why."""
    try:
        (result,) = tilewright.check(
            path, symbol=symbol, time_limit_seconds=SECONDS, **GIVEN.get(f"{path.stem}:{symbol}", {})
        )
    except (ValueError, RuntimeError) as error:
        return {"outcome": "refused", "said": " ".join(str(error).split())}
    said = result.refusal or "; ".join(f"{f.kind}, line {f.place[1]}" for f in result.findings if f.severity == "error")
    word = "right" if result.is_well() else result.pending or ("refused" if result.refusal else "wrong")
    return {"outcome": word, "said": said or verdict(result), "launch": result.launch, "arguments": result.arguments}


def main(folder: Path, names: list[str]) -> None:
    """Check every kernel of the list, or those of some files; write the raw results and the table."""
    listed = tomllib.loads((HERE / "public_kernels.toml").read_text(encoding="utf-8"))
    before = json.loads(RAW.read_text(encoding="utf-8"))["kernels"] if names else []
    known = {(row["file"], row["symbol"]): {key: row[key] for key in FOUND if key in row} for row in before}
    rows = []
    for entry in listed["kernel"]:
        name, symbol = entry["file"], entry["symbol"]
        is_known = name not in names and (name, symbol) in known
        found = known[name, symbol] if is_known else outcome(folder / name, symbol)
        rows.append({**entry, **found, "is_just": found["outcome"] in entry["just"]})
        print(name, symbol, found["outcome"], found["said"][:150], flush=True)
    major, minor = nvrtc_version()
    about = {
        "command": "python -m benchmarks.measure.check.public_kernels FOLDER",
        "date": datetime.now(UTC).date().isoformat(),
        "tilewright": tilewright.__version__,
        "nvrtc": f"{major}.{minor}",
    }
    RAW.write_text(json.dumps({**about, "kernels": rows}, indent=1) + "\n", encoding="utf-8")
    TABLE.write_text(_page(about, rows), encoding="utf-8")


def _page(about: dict[str, str], rows: list[dict[str, Any]]) -> str:
    counts = Counter(row["outcome"] for row in rows)
    unjust = [row for row in rows if not row["is_just"]]
    said = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    lines = [
        INTRODUCTION,
        f"Written on {about['date']} by `{about['command']}` with tilewright {about['tilewright']} and",
        f"NVRTC {about['nvrtc']}; raw: `benchmarks/results/public_kernels.json`.",
        "",
        f"{len(rows)} kernels: {said}. Unjust: {len(unjust)}.",
        "",
        "| repository and file | kernel | outcome | just | why |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        why = " ".join(
            row["said"].replace("|", "/").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_").split()
        )
        short = why if len(why) <= 160 else f"{why[:157]}..."
        lines.append(
            f"| {row['source']} | `{row['symbol']}` | {row['outcome']} | {'yes' if row['is_just'] else 'no'} "
            f"| {'' if row['outcome'] == 'right' and row['is_just'] else row.get('because') or short} |"
        )
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
