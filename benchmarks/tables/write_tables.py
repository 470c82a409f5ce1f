"""Write the tables of the README and of docs/ from the raw results: `make tables`.

Each table stands between `<!-- NAME: from FILES, by make tables -->` and `<!-- end -->`; a test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.tables import call_cost_tables, planted_tables, product_tables
from benchmarks.tables.gpt2_table import gpt2_step
from benchmarks.tables.group_tables import other_chip, other_types, reduced_products
from benchmarks.tables.hazard_tables import hazards_by_sanitizer
from benchmarks.tables.headline_table import headline
from benchmarks.tables.many_gpus_tables import many_nodes, many_processes, two_gpus
from benchmarks.tables.markdown import markdown
from benchmarks.tables.random_table import random_floats, random_products, random_products_h100
from benchmarks.tables.seed_arithmetic import rows
from benchmarks.tables.streamed_tables import streamed_on_gpus

README = Path(__file__).parents[2] / "README.md"
DOCS = README.parent / "docs"
DOCUMENTS = (
    README,
    *(
        DOCS / name
        for name in (
            "arrays.md",
            "hazards.md",
            "planted-mistakes.md",
            "sweep.md",
            "products.md",
            "benchmarks.md",
            "many-gpus.md",
            "streaming.md",
        )
    ),
    DOCS / "seed-corrections.md",
    *(
        DOCS / "kernels" / name
        for name in ("wgmma.md", "small.md", "odd-sizes.md", "splitk-reduce.md", "small-batched.md")
    ),
)
TABLE = re.compile(r"(?P<begin><!-- (?P<name>[a-z0-9-]+): [^>]*-->\n).*?(?P<end><!-- end -->)", re.DOTALL)
Row = dict[str, Any]
CELLS = "Median (fastest to slowest)."


def table_4_2() -> str:
    """Sizes down, kernels across, as in the thesis."""
    measured, sequential = result("table_4_2_h200"), result("sequential_column")
    cells = {(row["n"], row["kernel"], row["tile"]): row for row in (*measured["rows"], *sequential["rows"])}
    columns = list(dict.fromkeys((row["kernel"], row["tile"]) for row in measured["rows"]))
    columns.insert(0, ("reduced_matmul/sequential", None))
    header = ["size", "sequential (CPU)", *(column_name(*column) for column in columns[1:])]
    lines = [
        [f"{n:,}", *(with_spread(cells.get((n, *column))) for column in columns)]
        for n in dict.fromkeys(row["n"] for row in measured["rows"])
    ]
    processor = sequential["environment"]["processor"]
    note = f"Sequential column: {processor}, {sequential['date']}: {sequential['how']}."
    return f"{markdown(header, lines)}\n\n{CELLS} {caption(measured)} {note}"


def tile_sweep() -> str:
    """Kernels and tiles down; time and rate in both types across."""
    measured = result("tile_sweep_h200")
    cells = {(row["kernel"], row["tile"], row["dtype"]): row for row in measured["rows"]}
    lines = []
    for kernel, tile in dict.fromkeys((row["kernel"], row["tile"]) for row in measured["rows"]):
        single, double = (cells[kernel, tile, dtype] for dtype in ("float32", "float64"))
        lines.append([kernel, str(tile), with_spread(single), tflops(single), with_spread(double), tflops(double)])
    header = ["kernel", "tile", "float32", "TFLOP/s", "float64", "TFLOP/s"]
    return f"{markdown(header, lines)}\n\n{CELLS} {caption(measured)}"


def sweep_model() -> str:
    """What the model of `tilewright sweep` says beside what an H200 was timed at."""
    modelled = result("sweep_model")
    header = ["kernel", "type", "size", "tile", "timed", "modelled", "modelled / timed", "bound by"]
    lines = [
        [
            *(row["kernel"], row["dtype"], f"{row['n']:,}", str(row["tile"])),
            *(duration(row["timed_us"]), duration(row["modelled_us"])),
            *(f"{row['modelled_us'] / row['timed_us']:.2f}", row["bound"].replace("_", "-")),
        ]
        for row in modelled["rows"]
    ]
    sources = ", ".join(f"{device}, {date}" for device, date in modelled["timed"])
    return f"{markdown(header, lines)}\n\nTimed: {sources}. Modelled: {modelled['date']}: {modelled['how']}."


def hardware_counters() -> str:
    """The launches of the thesis's figures 4.4 and 4.5."""
    measured = result("hardware_counters_h200")
    header = ["kernel", "tile", "size", "load requests", "load sectors", "store requests", "store sectors"]
    names = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")
    lines = [
        [row["kernel"], str(row["tile"] or ""), f"{row['n']:,}", *(f"{row['counts'][name]:,}" for name in names)]
        for row in measured["rows"]
        if row["operation_size"] >= 256**3
    ]
    note = f"These are {len(lines)} of the {len(measured['rows'])} launches that the tests compare."
    return f"{markdown(header, lines)}\n\n{note} {caption(measured)}"


def emulator_speed() -> str:
    """One line per kernel of the benchmark."""
    measured = result("emulator_speed")
    header = ["kernel", "size", "G thread-instructions/s, one core", "two cores", "one core, only counts"]
    rates = ("rate_one_core", "rate_two_cores", "rate_counted_alone")
    lines = [[row["kernel"], row["size"], *(f"{row[rate] / 1e9:.2f}" for rate in rates)] for row in measured["rows"]]
    large, small = measured["tiled_16_at_512_seconds"], measured["tiled_16_at_64_seconds"]
    command = measured["command_seconds"]
    note = (
        f"`matmul/tiled`, tile 16, at 512^3: {large['one_core']:.2f} s on one core, {large['all_cores']:.2f} s on all; "
        f"at 2048^3 its counts alone take {measured['tiled_16_at_2048_counted_seconds']:.1f} s on two cores. "
        f"At 64^3: {1000 * small['emulator']:.1f} ms with parsing and copies, Numba's CUDA simulator "
        f"{small['numba_simulator']:.1f} s, {small['ratio']:,} times as long. `tilewright {command['command']}` takes "
        f"{command['warm']:.1f} s, and {command['first_run_compiles']:.0f} s once, when the emulator is compiled."
    )
    return f"{markdown(header, lines)}\n\n{caption(measured)}\n\n{note}"


def seed_arithmetic() -> str:
    """The seeds' figures beside executed counts; emulated anew each time, since counts are the same everywhere."""
    header = ["seed", "kernel", "size", "what", "the seed's arithmetic", "counted"]
    lines = []
    for row in rows():
        figure = row["figure"]
        launch = figure.launch
        name = launch.kernel if launch.tile is None else f"{launch.kernel}, tile {launch.tile}"
        arithmetic = f"{figure.formula} = {figure.expected:,}"
        lines.append([figure.seed, name, str(launch.n), figure.what, arithmetic, f"{row['counted']:,.0f}"])
    return markdown(header, lines)


TABLES: dict[str, Callable[[], str]] = {
    "headline": headline,
    "other-chip": other_chip,
    "random-products": random_products,
    "random-products-h100": random_products_h100,
    "other-types": other_types,
    "reduced-products": reduced_products,
    "random-floats": random_floats,
    "gpt2-step": gpt2_step,
    "seed-arithmetic": seed_arithmetic,
    "table-4-2": table_4_2,
    "tile-sweep": tile_sweep,
    "sweep-model": sweep_model,
    "hardware-counters": hardware_counters,
    "emulator-speed": emulator_speed,
    "hazards-by-sanitizer": hazards_by_sanitizer,
    "planted-summary": planted_tables.summary,
    "planted-races": planted_tables.agreement,
    "planted-findings": planted_tables.findings,
    "call-cost": call_cost_tables.call_cost,
    "host-calls": call_cost_tables.host_calls,
    "two-gpus": two_gpus,
    "streamed-on-gpus": streamed_on_gpus,
    "many-processes": many_processes,
    "many-nodes": many_nodes,
    "product-groups": product_tables.groups,
    "products-in-a-row": product_tables.in_a_row,
    "product-shapes": product_tables.shapes,
    "product-aligned": product_tables.aligned,
    "product-small": product_tables.small,
    "product-odd": product_tables.odd,
    "product-batched": product_tables.batched,
    "product-deep": product_tables.deep,
    "product-compiled": product_tables.compiled,
    "product-epilogues": product_tables.epilogues,
}


def with_tables(text: str) -> str:
    """The text with every table written anew."""
    return TABLE.sub(lambda match: f"{match['begin']}\n{table(match['name'])}\n\n{match['end']}", text)


def table(name: str) -> str:
    """One table, or a word where nothing was measured yet."""
    try:
        return TABLES[name]()
    except FileNotFoundError:
        return "Not measured yet."


def result(name: str) -> dict[str, Any]:
    """A raw result by its file's name, each row with m * n * k beside it."""
    read = record.read(record.RESULTS / f"{name}.json")
    for row in read["rows"]:
        row["operation_size"] = row.get("m", 0) * row.get("n", 0) * row.get("k", 0)
    return read


def caption(measured: dict[str, Any]) -> str:
    """Where, when and how."""
    environment = measured["environment"]
    how = measured["how"].replace("floor_us", f"{measured.get('floor_us', 0):.1f} us")
    where = environment["device"] or f"{environment['processor']}, {environment['cores']} cores"
    driver = f", driver {environment['driver']}" if environment["driver"] else ""
    return f"{where}{driver}, NVRTC {environment['nvrtc']}, {measured['date']}: {how}."


def column_name(kernel: str, tile: int | None) -> str:
    """As in "tiled, tile 16"."""
    idea = kernel.partition("/")[2]
    return idea if tile is None else f"{idea}, tile {tile}"


def with_spread(row: Row | None) -> str:
    """The median and, beside it, the fastest and the slowest launch."""
    if row is None:
        return "not run"
    scale, unit = unit_of(row["median_us"])
    fastest, slowest = (significant(extreme(row["samples_us"]) / scale) for extreme in (min, max))
    return f"{significant(row['median_us'] / scale)} {unit} ({fastest} to {slowest})"


def duration(us: float) -> str:
    """Three significant digits and a unit."""
    scale, unit = unit_of(us)
    return f"{significant(us / scale)} {unit}"


def unit_of(us: float) -> tuple[float, str]:
    """How many us the unit has that suits a duration, and its name."""
    units = ((1e6, "s"), (1e3, "ms"), (0, "us"))
    return next((at_least or 1, unit) for at_least, unit in units if us >= at_least)


def significant(value: float) -> str:
    """Three significant digits, without an exponent."""
    digits = max(0, 2 - len(str(int(value))) + 1) if value >= 1 else 3
    return f"{value:,.{digits}f}"


def tflops(row: Row) -> str:
    """The rate of a product of these sizes."""
    return f"{2 * row['operation_size'] / row['median_us'] / 1e6:.2f}"


def main() -> None:
    """Rewrite the documents in place."""
    for document in DOCUMENTS:
        document.write_text(with_tables(document.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
