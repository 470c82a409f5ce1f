"""What a chip makes of the kernels: occupancy, roofline, and the tile that it would like best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.choose.occupancy.roofline import rate
from tilewright.lab.report.markup import in_words, paragraph, sentences, table

if TYPE_CHECKING:
    from tilewright.lab.report.contents import Report


def occupancy(report: Report) -> str:
    """How many blocks an SM of the chip holds."""
    columns = ["kernel", "tile", "blocks per SM", "of its warps", "limited by", "registers per thread", "shared bytes"]
    rows, told, origins = [], [], []
    for kernel in report.kernels:
        found = kernel.occupancy
        if found is None:
            continue
        fraction = "-" if found.fraction is None else f"{found.fraction:.0%}"
        registers = "?" if found.registers_per_thread is None else str(found.registers_per_thread)
        blocks = f"{'' if found.complete else 'at most '}{found.blocks_per_sm}"
        row = [kernel.name, kernel.tile_text, blocks, fraction, ", ".join(found.limited_by), registers]
        rows.append([*row, f"{found.shared_bytes_per_block:,}"])
        told.append(str(found))
        origins.append(kernel.registers_from)
    text = (
        f"Modelled: {report.chip.name}'s limits, divided by what a block takes. "
        f"Registers: {', '.join(dict.fromkeys(origins))}."
    )
    return (
        table(f"Blocks that an SM of {report.chip.name} holds", columns, rows, words=(4,))
        + in_words(told)
        + paragraph(text, "note")
    )


def roofline(report: Report, figures: dict[str, str]) -> str:
    """What the chip's bandwidth and peak allow each kernel."""
    columns = [
        "kernel",
        "tile",
        "FLOP per byte",
        "GFLOP/s allowed",
        "of the peak",
        "bound by",
        "GFLOP/s with a perfect cache",
    ]
    rows, told = [], []
    for kernel in report.kernels:
        found = kernel.roofline
        if found is None or found.each_once is None:
            continue
        share = f"{found.attainable_gflops / found.peak_gflops:.0%}"
        row = [
            kernel.name,
            kernel.tile_text,
            f"{found.flops_per_byte:.4g}",
            rate(found.attainable_gflops),
            share,
            found.bound,
        ]
        rows.append([*row, rate(found.each_once.attainable_gflops)])
        told.append(str(found))
    where = {
        f"{name}: {origin}"
        for kernel in report.kernels
        if kernel.roofline
        for name, origin in kernel.roofline.where.items()
        if name in ("peak_gflops", "bandwidth_gb_per_s")
    }
    return (
        figures["roofline"]
        + table(f"Under the roof of {report.chip.name}, whole problem", columns, rows, words=(5,))
        + in_words(told)
        + paragraph(f"Modelled. {'; '.join(sorted(where))}.", "note")
    )


def sweep(report: Report, figures: dict[str, str]) -> str:
    """The tiled kernel at each tile."""
    found = report.sweep
    winner = found.rows.index(found.winner)
    rows = [row.cells() for row in found.rows]
    words = (list(found.columns).index("bound by"),)
    left_out = [f"Left out: {why}" for why in found.left_out.values()]
    return (
        figures["sweep"]
        + table(found.title, found.columns, rows, words=words, marked=(winner,))
        + sentences([*found.sentences, *left_out])
    )
