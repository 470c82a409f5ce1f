"""The table of docs/streaming.md: products larger than a GPU may hold, on one GPU, on two and by a loop in torch."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.tables.markdown import markdown

FILES = ("streamed_gpu.json", "streamed_two_gpus.json")
WAYS = {"tilewright": "one GPU", "tilewright on all": "two GPUs", "torch": "a loop in torch, one GPU"}
SHAPES = {"link": "the link", "compute": "computing"}


def streamed_on_gpus() -> str:
    """Medians of the rounds: seconds by each way, and what part of the time of one GPU its bound is."""
    header = ["m x k x n, and what bounds it", "memory", "by", "seconds", "bound / seconds", "attainable / seconds"]
    notes, lines = [], []
    for host, name in enumerate(FILES, start=1):
        measured = record.read(record.RESULTS / name)
        groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
        for row in measured["rows"]:
            groups.setdefault((row["shape"], row["memory"], row["who"]), []).append(row)
        for (shape, memory, who), rows in groups.items():
            seconds, first = [row["seconds"] for row in rows], rows[0]
            is_of_one = who != "tilewright on all"
            of_bound = _share(rows, "share_of_bound") if is_of_one else ""
            attainable = _share(rows, "share_of_attainable") if is_of_one and memory == "pinned" else ""
            lines.append(
                [
                    f"{first['m']:,} x {first['k']:,} x {first['n']:,}, {SHAPES[shape]}",
                    *(memory, f"{WAYS[who]} of host {host}"),
                    f"{median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})",
                    *(of_bound, attainable),
                ]
            )
        notes.append(_of_host(host, measured))
    return f"{markdown(header, lines)}\n\n{' '.join(notes)} {measured['how']}"


def _share(rows: list[dict[str, Any]], name: str) -> str:
    return f"{median(row[name] for row in rows):.2f}" if name in rows[0] else ""


def _of_host(number: int, measured: dict[str, Any]) -> str:
    environment, rates = measured["environment"], measured["rates"]
    return (
        f"Host {number}: {environment['device']}, driver {environment['driver']}, {environment['cores']} cores, torch "
        f"{measured['torch']}, {measured['date']}, {measured['gigabytes']:.0f} GB with {measured['memory_limit']} of "
        f"each GPU; {rates['there_gb_per_s']:.1f} GB/s there, {rates['tflops']:.0f} TFLOP/s."
    )
