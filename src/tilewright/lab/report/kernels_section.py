"""Each kernel: whether it is right, how long it took, what it did, and what a chip makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.choose import Problem
from tilewright.choose.occupancy.roofline import rate
from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.lab.report.markup import in_words, paragraph, sentences, table
from tilewright.lab.sweep.model import IN_WORDS, MODEL
from tilewright.lab.sweep.result import in_digits

if TYPE_CHECKING:
    from tilewright.lab.report.contents import KernelReport, Report


def kernels(report: Report) -> str:
    """Each kernel: whether it is right, how long it took, and what it did."""
    ran = [kernel for kernel in report.kernels if kernel.run is not None]
    parts = [paragraph(_counted(report))]
    parts.append(_times(report, ran))
    parts.append(_counts(ran))
    parts.append(sentences([f"{each.name} was not run: {each.note}" for each in report.kernels if each.run is None]))
    parts.append(
        paragraph(
            f"Times on the emulator are this processor's, not a GPU's. us on {report.chip.name} are {MODEL}."
            + _swept(report),
            "note",
        )
    )
    return "".join(parts)


def _counted(report: Report) -> str:
    problem, whole = report.counted, report.problem
    told = "Each kernel ran as compiled PTX on the emulator, which counts every access; C was filled with NaN before."
    if problem == whole:
        return f"{told} All numbers are of the whole multiplication."
    return (
        f"{told} This multiplication is too large for that: counted was its beginning, {_sizes(problem)} instead of "
        f"{_sizes(whole)}; a tile of up to 32 leaves over as many rows and columns of it."
    )


def _swept(report: Report) -> str:
    return "" if report.swept == report.problem else f" Modelled is a smaller problem, {_sizes(report.swept)}."


def _times(report: Report, ran: list[KernelReport]) -> str:
    columns = ["kernel", "tile", "grid", "block", "error", "bound", "verdict", "on the emulator"]
    columns += [f"us on {report.chip.name}, modelled", "bound by"]
    words = [6, 9]
    if report.gpu is not None:
        columns += [f"on {report.gpu}", "GFLOP/s", "verdict there"]
        words.append(12)
    rows = []
    for kernel in ran:
        assert kernel.run is not None
        assert kernel.plan is not None
        assert kernel.verdict is not None
        row = [kernel.name, kernel.tile_text, extent(kernel.plan.grid), extent(kernel.plan.block)]
        row += [magnitude(kernel.verdict.error), magnitude(kernel.verdict.bound), _word(kernel.verdict.passed)]
        row += [duration(kernel.run.kernel_seconds)]
        row += (
            ["-", "-"] if kernel.modelled is None else [in_digits(kernel.modelled.us), IN_WORDS[kernel.modelled.bound]]
        )
        row += _gpu_cells(report.problem, kernel) if report.gpu is not None else []
        rows.append(row)
    return table("Right or wrong, and how long", columns, rows, words=words)


def _gpu_cells(problem: Problem, kernel: KernelReport) -> list[str]:
    if kernel.on_gpu is None or kernel.verdict_on_gpu is None:
        return ["-", "-", "-"]
    seconds = kernel.on_gpu.kernel_seconds
    return [duration(seconds), three_digits(problem.flops / seconds / 1e9), _word(kernel.verdict_on_gpu.passed)]


def _word(passed: bool) -> str:
    return "✓ PASS" if passed else "✗ FAIL"


def _counts(ran: list[KernelReport]) -> str:
    columns = ["kernel", "tile", "global loads", "load requests", "sectors per request", "global stores"]
    columns += ["shared loads", "shared stores", "barriers", "warp instructions", "of tensor cores", "lanes used"]
    rows = []
    all_counts = [kernel.run.counts for kernel in ran if kernel.run is not None]
    for kernel, counts in zip(ran, all_counts, strict=True):
        per_request = counts.global_load_sectors / max(1, counts.global_load_requests)
        lanes = counts.thread_instructions / max(1, 32 * counts.warp_instructions)
        numbers = [counts.global_loads, counts.global_load_requests]
        row = [kernel.name, kernel.tile_text, *(f"{number:,}" for number in numbers), f"{per_request:.3g}"]
        numbers = [counts.global_stores, counts.shared_loads, counts.shared_stores, counts.barriers]
        row += [f"{number:,}" for number in (*numbers, counts.warp_instructions, counts.matrix_instructions)]
        rows.append([*row, f"{lanes:.0%}"])
    most = max((counts.global_loads for counts in all_counts), default=1) or 1
    shares = {2: [counts.global_loads / most for counts in all_counts]}
    return table("Counted by execution", columns, rows, shares=shares)


def _sizes(problem: Problem) -> str:
    if problem.about.vectors:
        return f"{problem.k:,} elements"
    return f"m = {problem.m:,}, n = {problem.n:,}, k = {problem.k:,}"


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
