"""Write the tables of docs/silicon.md from the raw results: python -m benchmarks.tables.write_silicon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.measure.caches.cache_launches import DRAWN, DRAWN_SECOND, HELD_BACK
from benchmarks.tables.markdown import markdown
from benchmarks.tables.write_tables import TABLE, caption

DOCUMENT = Path(__file__).parents[2] / "docs" / "silicon.md"
MEASURED = (
    "cache_counters_h200",
    "cache_counters_second_h200",
    "cache_counters_later_h200",
    "cache_counters_drawn_h200",
    "cache_counters_drawn_second_h200",
    "cache_counters_held_back_h200",
)
EQUAL = ("global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors")
WORST = 12
MODELLED = {"l2_reads": "L2 reads", "dram_reads": "DRAM reads"}
Row = dict[str, Any]


def launches(of_set: str | None = None) -> Iterator[tuple[Row, list[Row]]]:
    """Each modelled launch that was measured, with what the H200 counted every time."""
    measured: dict[str, list[Row]] = {}
    for path in (record.RESULTS / f"{name}.json" for name in MEASURED):
        for row in record.read(path)["rows"] if path.exists() else ():
            measured.setdefault(row["case"], []).append(row["counts"])
    for row in record.read(record.RESULTS / "cache_model.json")["rows"]:
        if of_set in (None, row["set"]) and row["case"] in measured:
            yield row, measured[row["case"]]


def mean(counts: list[Row], name: str) -> float:
    """The mean over repetitions of one launch."""
    return sum(row[name] or 0 for row in counts) / len(counts)


def errors(of_set: str, name: str) -> dict[str, float]:
    """The model's error, relative to the mean measured, by launch."""
    return {row["case"]: row["counts"][name] / mean(there, name) - 1 for row, there in launches(of_set)}


def summary() -> str:
    """Median and worst error of each set, beside the hardware's own spread."""
    lines = []
    for of_set in ("fit", "test", "later", DRAWN, DRAWN_SECOND, HELD_BACK):
        for name, title in MODELLED.items():
            found = errors(of_set, name)
            if not found:
                continue
            worst = max(found, key=lambda case: abs(found[case]))
            median_error = median(abs(error) for error in found.values())
            lines.append(
                [of_set, title, str(len(found)), f"{median_error:.1%}", f"{abs(found[worst]):.1%}", f"`{worst}`"]
            )
    return markdown(["set", "reads", "launches", "median error", "worst error", "of"], lines)


def intervals() -> str:
    """How often the interval of L2 reads held, and how wide it was, relative to the likeliest count."""
    lines = []
    for of_set in (DRAWN, DRAWN_SECOND, HELD_BACK, "fit", "test", "later"):
        pairs = [(row["counts"], mean(there, "l2_reads")) for row, there in launches(of_set)]
        if not pairs:
            continue
        inside = sum(here["l2_reads_low"] <= measured <= here["l2_reads_high"] for here, measured in pairs)
        widths = [(here["l2_reads_high"] - here["l2_reads_low"]) / 2 / here["l2_reads"] for here, _ in pairs]
        held = f"{inside} of {len(pairs)} ({inside / len(pairs):.1%})"
        lines.append([of_set, held, f"{median(widths):.1%}", f"{min(widths):.1%} to {max(widths):.1%}"])
    return markdown(["set", "inside", "median half-width", "half-widths"], lines)


def worst() -> str:
    """The launches held back whose L2 reads the model has most wrong, and whether it is their L1 or what SMs share."""
    rows = []
    for row, there in launches(HELD_BACK):
        here = row["counts"]
        misses, reads = mean(there, "l1_load_misses"), mean(there, "l2_reads")
        rows.append((abs(here["l2_reads"] / reads - 1), row["case"], here, misses, reads))
    lines = []
    for _, case, here, misses, reads in sorted(rows, reverse=True, key=lambda each: each[0])[:WORST]:
        interval = f"{here['l2_reads_low']:,} to {here['l2_reads_high']:,}"
        wrong = [f"{here['l2_reads'] / reads - 1:+.1%}", f"{here['l1_load_misses'] / misses - 1:+.1%}"]
        lines.append([f"`{case}`", f"{here['l2_reads']:,}", interval, f"{reads:,.0f}", *wrong])
    return markdown(["launch", "L2 reads", "interval", "H200", "error", "error of L1 misses"], lines)


def spread() -> str:
    """How far the hardware is from itself, launch by launch."""
    lines = []
    for name, title in MODELLED.items():
        widths = []
        for row, there in launches():
            if row["set"] != "probe" and len(there) > 1:
                values = [counts[name] for counts in there]
                widths.append((max(values) - min(values)) / (sum(values) / len(values)))
        lines.append([title, str(len(widths)), f"{median(widths):.2%}", f"{max(widths):.1%}"])
    return markdown(["reads", "launches, each measured 2 to 4 times", "median spread", "largest"], lines)


def equality() -> str:
    """Counts that are no model's: equal or not."""
    lines = []
    for name in EQUAL:
        pairs = [(row["counts"][name], {counts[name] for counts in there}) for row, there in launches()]
        same = sum({here} == there for here, there in pairs)
        lines.append([f"`{metrics()[name]}`", f"{same} of {len(pairs)}"])
    return markdown(["metric", "launches where the emulator's count equals the H200's"], lines)


def shared_loads() -> str:
    """Shared loads as PTX has them and as the GPU executes them, where the two differ."""
    lines = []
    for row, there in launches():
        if row["set"] in (DRAWN, DRAWN_SECOND, HELD_BACK):
            continue  # a hundred rows more would say the same
        here = row["counts"]["shared_load_requests"]
        executed, wavefronts = (mean(there, f"shared_load_{what}") for what in ("instructions", "wavefronts"))
        if here != executed:
            ratio = f"{executed / here:.3f}"
            lines.append([f"`{row['case']}`", f"{here:,}", f"{executed:,.0f}", ratio, f"{wavefronts:,.0f}"])
    return markdown(["launch", "loads in PTX", "executed", "ratio", "wavefronts"], lines)


def one_set(of_set: str) -> Callable[[], str]:
    """The table of a set, a launch per row."""

    def table() -> str:
        header = ["launch", "L1 hits", "H200", "L2 reads", "H200", "error", "DRAM reads", "H200", "error"]
        lines = []
        for row, there in launches(of_set):
            cells = [f"`{row['case']}`", f"{row['counts']['l1_load_hits']:,}", f"{mean(there, 'l1_load_hits'):,.0f}"]
            for name in MODELLED:
                here, hardware = row["counts"][name], mean(there, name)
                cells += [f"{here:,}", f"{hardware:,.0f}", f"{here / hardware - 1:+.1%}"]
            lines.append(cells)
        measured = record.read(record.RESULTS / f"{MEASURED[0]}.json")
        return f"{markdown(header, lines)}\n\n{caption(measured)}"

    return table


def metrics() -> dict[str, str]:
    """Nsight Compute's names."""
    names: dict[str, str] = record.read(record.RESULTS / f"{MEASURED[0]}.json")["metrics"]
    return names


TABLES: dict[str, Callable[[], str]] = {
    "equality": equality,
    "summary": summary,
    "spread": spread,
    "intervals": intervals,
    "worst": worst,
    "shared-loads": shared_loads,
    "fit": one_set("fit"),
    "test": one_set("test"),
    "later": one_set("later"),
}


def with_tables(text: str) -> str:
    """The text with every table written anew."""
    return TABLE.sub(lambda match: f"{match['begin']}\n{TABLES[match['name']]()}\n\n{match['end']}", text)


def main() -> None:
    """Rewrite the document in place."""
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
