"""A training step of GPT-2, with torch's linear layers and with ours."""

from __future__ import annotations

from benchmarks import record
from benchmarks.tables.markdown import markdown

FILE = "gpt2_step_h200"


def gpt2_step() -> str:
    """Times of a step and their ratio, as it is called and as a CUDA graph."""
    measured = record.read(record.RESULTS / f"{FILE}.json")
    lines = [
        [
            f"{row['vocabulary']:,}",
            f"{row['tokens']:,}",
            "CUDA graph" if row["graph"] else "calls",
            f"{row['ms']['torch']:.1f} ms",
            f"{row['ms']['tilewright']:.1f} ms",
            f"**{row['ratio']:.2f}**",
        ]
        for row in measured["rows"]
    ]
    environment = measured["environment"]
    heads = ["vocabulary", "tokens", "made by", "torch", "tilewright", "times as fast"]
    where = (
        f"{environment['device']}, driver {environment['driver']}, torch {measured['rows'][0]['torch']}, "
        f"{environment['processor']}, {measured['date']}"
    )
    return f"{markdown(heads, lines)}\n\n{where}: {measured['how']}."


def as_it_is(*, graph: bool) -> float:
    """How many times as fast a step of GPT-2's own sizes is, as it is called or as a CUDA graph."""
    rows = record.read(record.RESULTS / f"{FILE}.json")["rows"]
    return float(next(row["ratio"] for row in rows if row["sizes"] == "as it is" and row["graph"] == graph))
