"""The sections of the report, each as HTML."""

from __future__ import annotations

import numpy

from tilewright.choose import Problem
from tilewright.choose.quantities import duration, extent, magnitude, three_digits
from tilewright.choose.roofline import rate
from tilewright.lab.report.contents import Answer, Array, KernelReport, Report
from tilewright.lab.report.markup import cards, facts, in_words, paragraph, sentences, table
from tilewright.lab.sweep.model import IN_WORDS, MODEL
from tilewright.lab.sweep.result import in_digits

SHOWN = 6
"""Rows and columns of C that are printed."""
EDGE = 3


def summary(report: Report) -> str:
    """What most readers came for."""
    answer, winner = report.answer, report.sweep.winner
    found = [
        (
            "Is it right?",
            "yes" if report.passed else "no",
            f"worst element: error {magnitude(answer.verdict.error)}, bound {magnitude(answer.verdict.bound)}",
        ),
        *_loads_card(report),
        ("Best tile", str(winner.tile), f"on {report.chip.name} by the model: {in_digits(winner.us)} us"),
        (
            "Bound by",
            IN_WORDS[winner.modelled.bound],
            f"with tile {winner.tile}; {winner.occupancy.blocks_per_sm} blocks per SM",
        ),
    ]
    return cards(found)


def _loads_card(report: Report) -> list[tuple[str, str, str]]:
    loads = {kernel.name: kernel.run.counts.global_loads for kernel in report.kernels if kernel.run is not None}
    if len(loads) < 2 or min(loads.values()) == max(loads.values()):
        return []
    most = max(loads, key=loads.__getitem__)
    least = min(loads, key=lambda name: (loads[name], len(name)))
    tile = next(kernel.tile for kernel in report.kernels if kernel.name == least)
    with_tile = "" if tile is None else f" with tile {tile}"
    return [
        (
            "Loads saved",
            f"{loads[most] / loads[least]:.3g} times",
            f"{least}{with_tile} loads {loads[least]:,} elements, {most} {loads[most]:,}",
        )
    ]


def answer(report: Report, figures: dict[str, str]) -> str:
    """C, its error and how it was computed."""
    found, problem = report.answer, report.problem
    how = f"{found.run.plan.kernel.name} on the {found.run.plan.machine}"
    first = facts(
        {
            "Computes": problem.about.formula,
            "A": f"{_shape(problem.a_shape)} {problem.dtype}",
            "B": f"{_shape(problem.b_shape)} {problem.dtype}",
            "C": f"{_shape(problem.c_shape)} {problem.dtype}" if problem.c_shape else f"a scalar, {problem.dtype}",
            "From": report.given.description,
            "Operations": f"{problem.flops:,} floating-point operations",
            "Computed by": f"{how}, in {duration(found.run.kernel_seconds)} (wall clock, this processor), "
            f"{three_digits(problem.flops / found.run.kernel_seconds / 1e9)} GFLOP/s",
            **_statistics(found.c),
        }
    )
    notes = sentences([*report.given.notes, *_told(found)])
    figure = figures.get("closeness", "")
    return f'{_nearness(found)}<div class="beside"><div>{first}{notes}</div><div>{_values(found.c)}</div></div>{figure}'


def _nearness(found: Answer) -> str:
    verdict = found.verdict
    word = "right" if verdict.passed else "wrong"
    rows = "all elements" if found.rows_checked == found.rows else f"{found.rows_checked:,} of {found.rows:,} rows"
    text = f"C is {word}: {rows} compared with the product in float64. Bound: {verdict.rule}."
    if found.closeness.size:
        half, most = numpy.quantile(found.closeness, [0.5, 0.99])
        text += (
            f" Half of the elements are within {half:.2g} of their bound (1 would be the bound itself), 99 of 100 "
            f"within {most:.2g}, the worst at {found.closeness[-1]:.2g}. Largest error: "
            f"{magnitude(found.largest_error)}."
        )
    return paragraph(text, "right" if verdict.passed else "wrong")


def _told(found: Answer) -> list[str]:
    note = found.verdict.note
    told = [f"{note[0].upper()}{note[1:]}."] if note else []
    if found.is_its_own_reference:
        told.append(
            "The reference is in float64, as C is: their equality says little; the kernels add in other orders."
        )
    return told


def _statistics(c: Array) -> dict[str, str]:
    finite = c[numpy.isfinite(c)].astype(numpy.float64)
    if not finite.size or not c.ndim:
        return {}
    told = {"Elements of C": f"from {finite.min():.4g} to {finite.max():.4g}, mean {finite.mean():.4g}"}
    others = c.size - finite.size
    return told | ({"Not finite": f"{others:,} of {c.size:,} elements"} if others else {})


def _values(c: Array) -> str:
    if not c.ndim:
        return facts({"C": f"{c:.9g}"})
    rows, columns = (_ends(side) for side in c.shape)
    body = []
    for i in rows:
        cells = ["…" if j is None or i is None else f"{c[i, j]:.4g}" for j in columns]
        body.append(["…" if i is None else str(i), *cells])
    heads = ["", *("…" if j is None else str(j) for j in columns)]
    part = "C" if None not in (*rows, *columns) else "The corners of C"
    return table(part, heads, body)


def _ends(count: int) -> list[int | None]:
    if count <= SHOWN + 1:
        return list(range(count))
    return [*range(EDGE), None, *range(count - EDGE, count)]


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
        row = [kernel.name, _tile(kernel), extent(kernel.plan.grid), extent(kernel.plan.block)]
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
    columns += ["shared loads", "shared stores", "barriers", "warp instructions", "lanes used"]
    rows = []
    all_counts = [kernel.run.counts for kernel in ran if kernel.run is not None]
    for kernel, counts in zip(ran, all_counts, strict=True):
        per_request = counts.global_load_sectors / max(1, counts.global_load_requests)
        lanes = counts.thread_instructions / max(1, 32 * counts.warp_instructions)
        numbers = [counts.global_loads, counts.global_load_requests]
        row = [kernel.name, _tile(kernel), *(f"{number:,}" for number in numbers), f"{per_request:.3g}"]
        numbers = [counts.global_stores, counts.shared_loads, counts.shared_stores, counts.barriers]
        row += [f"{number:,}" for number in (*numbers, counts.warp_instructions)]
        rows.append([*row, f"{lanes:.0%}"])
    most = max((counts.global_loads for counts in all_counts), default=1) or 1
    shares = {2: [counts.global_loads / most for counts in all_counts]}
    return table("Counted by execution", columns, rows, shares=shares)


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
        row = [kernel.name, _tile(kernel), blocks, fraction, ", ".join(found.limited_by), registers]
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
    columns = ["kernel", "tile", "FLOP per byte", "GFLOP/s allowed", "of the peak", "bound by", "with a perfect cache"]
    rows, told = [], []
    for kernel in report.kernels:
        found = kernel.roofline
        if found is None or found.each_once is None:
            continue
        share = f"{found.attainable_gflops / found.peak_gflops:.0%}"
        row = [
            kernel.name,
            _tile(kernel),
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


def animation(report: Report, frame: str) -> str:
    """A small block of the tiled kernel, played."""
    problem = report.trace["problem"]
    m, n, k = problem["m"], problem["n"], problem["k"]
    whole = (m, n, k) == report.problem.sizes
    part = "these matrices" if whole else "the first elements of A and B"
    if not report.shows_own:
        part = f"small whole numbers in place of {'A and B' if whole else part}, which are too long to be shown"
    text = (
        f"{report.trace['kernel']['name']} with tile {problem['tile']} multiplies {part}, m = {m}, n = {n}, k = {k}: "
        "recorded as it ran on the emulator. Space plays and pauses; the arrow keys step."
    )
    return paragraph(text) + frame


def _tile(kernel: KernelReport) -> str:
    return "-" if kernel.tile is None else str(kernel.tile)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{side:,}" for side in shape)


def _sizes(problem: Problem) -> str:
    if problem.about.vectors:
        return f"{problem.k:,} elements"
    return f"m = {problem.m:,}, n = {problem.n:,}, k = {problem.k:,}"
