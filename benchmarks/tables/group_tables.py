"""The groups of benchmarks on an H200 and on an H100: geometric means, and the least of each."""

from __future__ import annotations

from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

FILES = (
    ("products_h100", "bfloat16: ", "torch.matmul"),
    ("floats_h100", "", "torch.matmul"),
    ("precisions_h100", "", "torch.matmul"),
    ("dot_h100", "", "the best of torch.dot, torch.linalg.vecdot and einsum"),
    ("reduced_h100", "reduced_matmul, ", "the best of torch's ways"),
)
"""The result's file, what to say before a group's name, the rival."""


FLOATS = (
    ("floats_h200", "", "torch.matmul"),
    ("precisions_h200", "", "torch.matmul"),
    ("dot_h200", "", "the best of torch.dot, torch.linalg.vecdot and einsum"),
)


def other_types() -> str:
    """float32, float64 and dot products on an H200."""
    return other_chip(FLOATS)


def reduced_products() -> str:
    """Those of reduced_matmul on an H200."""
    return other_chip((("reduced_h200", "reduced_matmul, ", "the best of torch's ways"),))


def other_chip(files: tuple[tuple[str, str, str], ...] = FILES) -> str:
    """Geometric means and the least of each group: the rival's time over ours."""
    lines, notes = [], []
    for file, before, rival in files:
        measured = record.read(record.RESULTS / f"{file}.json")
        notes.append(f"{file}.json: {measured['how']}")
        for name, group in groups_of(measured).items():
            against = f"{rival}, allow_tf32" if name.startswith("tf32") else rival
            against = "padding by hand, then torch.matmul" if group.get("against") == "padded" else against
            lines.append([f"{before}{name}", against, f"{group['mean']:.2f}", f"{group['least']:.2f}"])
    environment = measured["environment"]
    note = (
        f"{environment['device']}, driver {environment['driver']}, torch {measured['torch']}, NVRTC "
        f"{environment['nvrtc']}, {measured['date']}. {'; '.join(notes)}."
    )
    return f"{markdown(['products', 'against', 'times as fast', 'least'], lines)}\n\n{note}"


def groups_of(measured: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The groups of a result by what they are called."""
    groups = measured["groups"]
    return groups if isinstance(groups, dict) else {group["title"]: group for group in groups}
