"""The README's first table: what each type reaches beside torch on an H200, its losses too."""

from __future__ import annotations

from benchmarks import record
from benchmarks.tables.gpt2_table import as_it_is
from benchmarks.tables.markdown import markdown

KINDS = ("bfloat16", "float32, IEEE", "float64")
LINES = (
    ("large multiples of 8", "aligned-large", "aligned large"),
    ("large odd sizes", "odd-large", "odd large"),
    ("batched, in 16 bits thin and deep too", "thin-deep-batched", "batched"),
)
"""The words for it, its group of 16-bit types, and of the others but for their type."""
PADDED = "odd-large-padded"
PRODUCTS, FLOATS = "products_bfloat16_h200", "floats_h200"


def headline() -> str:
    """Geometric means and the least of each group: torch's time over ours."""
    lines = [
        [what, _said(PRODUCTS, short), *(_said(FLOATS, f"{long} {kind}") for kind in ("float32", "float64"))]
        for what, short, long in LINES
    ]
    measured = record.read(record.RESULTS / f"{PRODUCTS}.json")
    note = (
        f"Times as fast as torch.matmul, in parentheses the least; beside padding by hand first, odd sizes in 16 bits "
        f"are {_said(PRODUCTS, PADDED)}. On an {measured['environment']['device']}, torch {measured['torch']}, GPU "
        "time, both in turn. Below 1, torch is faster. A training step of GPT-2, whose vocabulary is odd: "
        f"**{as_it_is(graph=False):.2f}**, as a CUDA graph **{as_it_is(graph=True):.2f}**."
    )
    return f"{markdown(['products', *KINDS], lines)}\n\n{note}"


def _said(file: str, name: str) -> str:
    groups = record.read(record.RESULTS / f"{file}.json")["groups"]
    group = groups[name] if isinstance(groups, dict) else next(each for each in groups if each["group"] == name)
    return f"**{group['mean']:.2f}** ({group['least']:.2f})"
