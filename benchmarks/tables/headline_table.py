"""The README's first table: what each operation and type reaches beside the array's own library, its losses too."""

from __future__ import annotations

from benchmarks import record
from benchmarks.tables.markdown import markdown

LINES = (
    ("products_h200", "odd-large", "float16, bfloat16: large odd sizes", "torch.matmul"),
    ("products_h200", "odd-large-padded", "the same", "padding by hand, then torch.matmul"),
    ("products_h200", "aligned-large", "the same: large multiples of 8", "torch.matmul"),
    ("products_h200", "thin-deep-batched", "the same: thin, deep and batched", "torch.matmul"),
    ("floats_h200", "aligned large float32", "float32, IEEE: large multiples of 8", "torch.matmul"),
    ("floats_h200", "odd float32", "the same: odd sizes", "torch.matmul"),
    ("floats_h200", "batched float32", "the same: batched", "torch.matmul"),
    ("floats_h200", "aligned large float64", "float64: large multiples of 8", "torch.matmul"),
    ("floats_h200", "odd float64", "the same: odd sizes", "torch.matmul"),
    ("floats_h200", "batched float64", "the same: batched", "torch.matmul"),
)
"""The result's file, its group, the words for it, the rival."""


def headline() -> str:
    """Geometric means and the least of each group: torch's time over ours."""
    lines = []
    for file, name, what, rival in LINES:
        groups = record.read(record.RESULTS / f"{file}.json")["groups"]
        group = groups[name] if isinstance(groups, dict) else next(each for each in groups if each["group"] == name)
        lines.append([what, rival, f"**{group['mean']:.2f}**", f"{group['least']:.2f}"])
    measured = record.read(record.RESULTS / f"{LINES[0][0]}.json")
    note = (
        f"GPU time, on an {measured['environment']['device']}, torch {measured['torch']}, both in turn in one process "
        "on the same random numbers. Below 1, torch is faster."
    )
    return f"{markdown(['products', 'against', 'times as fast', 'least'], lines)}\n\n{note}"
