"""The tables of products in 16-bit types, from the raw rounds of benchmarks/results/products_h200.json."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

from benchmarks import record
from benchmarks.shapes import single_shape_limits
from benchmarks.tables.markdown import markdown
from tilewright.lab.bench.products import EPILOGUES

RESULT = record.RESULTS / "products_h200.json"
IN_A_ROW = record.RESULTS / "in_a_row_h200.json"
COMPILED = record.RESULTS / "products_compiled_h200.json"
SHORT = {"bfloat16": "bf16", "float16": "fp16"}
NO_BREAK = "\N{NO-BREAK SPACE}"
"""Between what a narrow column would set one below the other: the numbers of a shape, of a range."""
RIVALS = {"torch": "torch.matmul", "padded": "pad, then torch.matmul", "compiled": "torch.compile"}

Row = dict[str, Any]


def groups() -> str:
    """The geometric mean of each group, in each type, beside what was to be reached."""
    measured = record.read(RESULT)
    header = ["shapes", "against", "ratio", "bf16", "fp16", "least", "required", "aimed at"]
    lines = [
        [
            *(group["title"], _rival(group), f"**{group['mean']:.2f}**"),
            *(f"{group[f'mean_{dtype}']:.2f}" for dtype in ("bfloat16", "float16")),
            f"{group['least']:.2f}",
            *("none" if group[limit] is None else f"{group[limit]:g}" for limit in ("required", "aimed_at")),
        ]
        for group in measured["groups"]
    ]
    required, aimed_at = single_shape_limits()
    note = f"Any single shape of the groups with a requirement is to reach {required:g}, and {aimed_at:g} is aimed at."
    return f"{markdown(header, lines)}\n\n{note} {caption(measured)}"


def shapes() -> str:
    """Every product: ratios, rate, median and quartiles of each contender."""
    measured = record.read(RESULT)
    header = [
        *("rows x inner x columns", "type", "layout", "ratio", "to padded", "TFLOP/s"),
        *("tilewright", "torch", "padded"),
    ]
    lines = [
        [
            *(_name(row), SHORT[row["dtype"]], row["layout"], f"{_ratio(row, 'torch'):.2f}"),
            *(f"{_ratio(row, 'padded'):.2f}" if "padded" in row["us"] else "", f"{_tflops(row):.0f}"),
            *(_spread(row, name) for name in ("tilewright", "torch", "padded")),
        ]
        for row in measured["rows"]
        if not row.get("epilogue")
    ]
    return f"{markdown(header, lines)}\n\nMedian (quartiles), in us. {measured['not_measured']} {caption(measured)}"


def aligned() -> str:
    """Single products of large matrices whose sizes are all multiples of 8."""
    return _some(lambda row: row["batch"] is None and not _is_odd(row) and not _is_deep(row) and not _is_small(row))


def small() -> str:
    """Single products of moderate matrices whose sizes are all multiples of 8."""
    return _some(lambda row: row["batch"] is None and not _is_odd(row) and _is_small(row))


def odd() -> str:
    """Products with a size that is no multiple of 8, as they lie and as views."""
    return _some(lambda row: row["batch"] is None and _is_odd(row), padded=True)


def deep() -> str:
    """Products whose inner size is much longer than both others."""
    return _some(lambda row: row["batch"] is None and _is_deep(row))


def batched() -> str:
    """Batches."""
    return _some(lambda row: row["batch"] is not None, padded=True)


def epilogues() -> str:
    """Products with an epilogue, in bfloat16: a row for each shape, a column for each epilogue."""
    measured = record.read(RESULT)
    rows = [row for row in measured["rows"] if row["dtype"] == "bfloat16" and row.get("epilogue")]
    by_name: dict[str, dict[str, str]] = {}
    for row in rows:
        cell = f"{median(row['us']['tilewright']):,.1f} us, **{_ratio(row, 'torch'):.2f}**"
        by_name.setdefault(_name(row), {})[row["epilogue"]] = cell
    lines = [[name, *(cells.get(epilogue, "") for epilogue in EPILOGUES)] for name, cells in by_name.items()]
    against = "; ".join(f"{name}: {epilogue.rival}" for name, epilogue in EPILOGUES.items())
    note = f"Medians of ours, and torch's time over it. Rivals: {against}. No requirement was set for these."
    return f"{markdown(['rows x inner x columns', *EPILOGUES], lines)}\n\n{note} {caption(measured)}"


def compiled() -> str:
    """What torch.compile makes of torch.matmul, for some products."""
    measured = record.read(COMPILED)
    header = ["rows x inner x columns", "tilewright us", "torch us", "torch.compile us", "ratio", "to torch.compile"]
    lines = [
        [
            _name(row),
            *(f"{median(row['us'][name]):,.1f}" for name in ("tilewright", "torch", "compiled")),
            *(f"{_ratio(row, name):.2f}" for name in ("torch", "compiled")),
        ]
        for row in measured["rows"]
    ]
    return f"{markdown(header, lines)}\n\nMedians, in bfloat16. {caption(measured)}"


def in_a_row() -> str:
    """Square products, each of the result of the one before."""
    measured = record.read(IN_A_ROW)
    header = ["size", "type", "tilewright us", "torch us", "ratio"]
    lines = []
    for row in measured["rows"]:
        ours_us, torch_us = (median(row["us"][name]) for name in ("tilewright", "torch"))
        cells = [f"{row['size']:,}", row["dtype"], f"{ours_us:,.2f}", f"{torch_us:,.2f}", f"{torch_us / ours_us:.2f}"]
        lines.append(cells)
    return f"{markdown(header, lines)}\n\nMedians for one product. {caption(measured)}"


def _rival(group: Row) -> str:
    epilogue = group.get("epilogue")
    return EPILOGUES[epilogue].rival if epilogue else RIVALS[group["against"]]


def _is_odd(row: Row) -> bool:
    return any(row[size] % 8 for size in ("rows", "inner", "columns")) and row["rows"] > 1


def _is_small(row: Row) -> bool:
    return bool(max(row["rows"], row["inner"], row["columns"]) < 2048)


def _is_deep(row: Row) -> bool:
    return bool(row["inner"] >= 16 * max(row["rows"], row["columns"]))


def _some(wanted: Callable[[Row], bool], *, padded: bool = False) -> str:
    """Some products in bfloat16, in short."""
    measured = record.read(RESULT)
    header = ["rows x inner x columns", "layout", "tilewright us", "TFLOP/s", "torch us", "ratio"]
    rows = [row for row in measured["rows"] if row["dtype"] == "bfloat16" and not row.get("epilogue") and wanted(row)]
    lines = [
        [
            *(_name(row), row["layout"], f"{median(row['us']['tilewright']):,.1f}", f"{_tflops(row):.0f}"),
            *(f"{median(row['us']['torch']):,.1f}", f"{_ratio(row, 'torch'):.2f}"),
            *([f"{_ratio(row, 'padded'):.2f}" if "padded" in row["us"] else ""] if padded else []),
        ]
        for row in rows
    ]
    return f"{markdown([*header, *(['to padded'] if padded else [])], lines)}\n\nMedians. {caption(measured)}"


def caption(measured: Row) -> str:
    """Where, when, with what and how."""
    environment = measured["environment"]
    versions = f"driver {environment['driver']}, torch {measured['torch']}, NVRTC {environment['nvrtc']}"
    runs = [f"`{run['code']}`" for run in measured.get("runs", ())]
    joined = f" Each product's newest run: of {', '.join(runs[:-1])} and {runs[-1]}." if runs else ""
    return f"{environment['device']}, {versions}, {measured['date']}: {measured['how']}.{joined}"


def _name(row: Row) -> str:
    sizes = NO_BREAK.join((f"{row['rows']:,}", "x", f"{row['inner']:,}", "x", f"{row['columns']:,}"))
    return sizes if row["batch"] is None else f"{row['batch']:,} of {sizes}"


def _spread(row: Row, name: str) -> str:
    us = row["us"].get(name)
    if us is None:
        return ""
    low, middle, high = (f"{each:,.1f}" if each < 1000 else f"{each:,.0f}" for each in quantiles(us, n=4))
    return f"{middle} {NO_BREAK.join((f'({low}', 'to', f'{high})'))}"


def _tflops(row: Row) -> float:
    flops = 2 * (row["batch"] or 1) * row["rows"] * row["inner"] * row["columns"]
    return float(flops / median(row["us"]["tilewright"]) * 1e-6)


def _ratio(row: Row, rival: str) -> float:
    return float(median(row["us"][rival]) / median(row["us"]["tilewright"]))
