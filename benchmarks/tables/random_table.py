"""Products drawn at random: the distributions of ratios by regime and by kind of sizes."""

from __future__ import annotations

from benchmarks import record
from benchmarks.tables.markdown import markdown


def random_products(file: str = "random_products_h200") -> str:
    """Geometric mean, shares and the least of the best rival's time over ours, of each regime, each kind, and all."""
    measured = record.read(record.RESULTS / f"{file}.json")
    lines = [
        [
            name,
            f"{group['count']}",
            f"{group['mean']:.2f}",
            f"{100 * group['share_at_1']:.0f} %",
            f"{100 * group['share_at_0.95']:.0f} %",
            f"{group['percentile_5']:.2f}",
            f"{group['worst']:.2f}",
        ]
        for name, group in measured["groups"].items()
    ]
    environment = measured["environment"]
    note = (
        f"Seed {measured['seed']!r}, to which nothing was fitted; a ratio from 0.98 on counts as 1. "
        f"{environment['device']}, driver {environment['driver']}, NVRTC {environment['nvrtc']}, {measured['date']}: "
        f"{measured['how']}."
    )
    heads = ["products", "count", "geometric mean", "at least 1", "at least 0.95", "5th percentile", "least"]
    return f"{markdown(heads, lines)}\n\n{note}"


def random_products_h100() -> str:
    """The same on an H100."""
    return random_products("random_products_h100")


def random_floats() -> str:
    """The same of float32 and float64."""
    return random_products("random_floats_h200")
