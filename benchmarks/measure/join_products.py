"""Rows of later runs of `bench_gpu` in place of an earlier run's: for when some groups were measured again.

    python -m benchmarks.measure.join_products benchmarks/results/products_h200.json LATER.json=COMMIT ... --code COMMIT

Every ratio stays one of times from one process. Each row says which run it is of, `runs` what was measured when, with
which code; means are taken anew. Runs on different devices or versions are refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import group_means
from benchmarks.shapes import shape_groups
from tilewright.lab.bench.products import MeasuredProduct
from tilewright.lab.bench.timing import Comparison, Times

Row = dict[str, Any]
SAME = ("environment", "torch", "cuda_of_torch", "how", "not_measured")


def join(runs: list[tuple[str, Row]]) -> Row:
    """The first of these (code, result) with the rows that later ones measured again, and with those of newer groups.

    Raises:
        ValueError: two were measured on different devices, or with different versions.
    """
    whole = dict(runs[0][1])
    rows: dict[MeasuredProduct, Row] = {}
    named = {product for group in shape_groups() for product in group.products}
    for number, (_, result) in enumerate(runs):
        for key in SAME:
            if result[key] != whole[key]:
                raise ValueError(f"Results differ in {key}: {whole[key]} and {result[key]}; measure all groups again.")
        for row in result["rows"]:
            product = product_of(row)
            if number == 0 or product in rows or product in named:
                rows[product] = {"run": number, **row}
    found = {product: comparison_of(row) for product, row in rows.items()}
    whole["groups"] = group_means(shape_groups(), found)
    whole["runs"] = [{"run": number, "code": code, "date": run["date"]} for number, (code, run) in enumerate(runs)]
    whole["rows"] = list(rows.values())
    return whole


def product_of(row: Row) -> MeasuredProduct:
    """The product that a row is of."""
    sizes = row["rows"], row["inner"], row["columns"]
    return MeasuredProduct(*sizes, row["dtype"], row["batch"], row["layout"], row.get("epilogue", ""))


def comparison_of(row: Row) -> Comparison:
    """A row as it was measured."""
    times = {name: Times(tuple(us), row["dropped"][name]) for name, us in row["us"].items()}
    return Comparison(product_of(row), times)


def main() -> None:
    """Read, join, write in place of the first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("whole", type=Path, help="a run of all groups, which is written anew")
    parser.add_argument("later", nargs="+", help="FILE=COMMIT, in the order in which they were measured")
    parser.add_argument("--code", required=True, help="the commit that the first was measured at")
    asked = parser.parse_args()
    runs = [(asked.code, record.read(asked.whole))]
    for later in asked.later:
        path, _, code = later.rpartition("=")
        runs.append((code, record.read(Path(path))))
    joined = join(runs)
    rows = joined.pop("rows")
    record.save(asked.whole, joined, rows)


if __name__ == "__main__":
    main()
