"""Measure float32 products by precision beside torch on this GPU, as bench_floats does with "ieee".

python -m benchmarks.measure.bench_precisions [--precisions tf32 bf16x6 fp16x3 auto] [--seconds 0.25] [--out FILE]

The rival of "tf32" is torch with allow_tf32, that of all others torch's float32 ("highest"). A layout of "NT"
multiplies by the transpose of a matrix of rows, "TN" the transpose of one by one. All kernels are compiled before the
first product, several at a time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean
from tilewright.choose import choose_plan, find_chip
from tilewright.compile.planned import compile_launches
from tilewright.kernels.operand import Operand, packed
from tilewright.kernels.problem import Problem
from tilewright.lab.bench.timing import NOT_MEASURED, OURS, ColdTimer

RESULT = record.RESULTS / "precisions_h200.json"
CHIP, CAPABILITY = "h200", (9, 0)
AGREES_WITHIN = {"tf32": 2e-3, "bf16x6": 2e-6, "fp16x3": 2e-6, "auto": 2e-6}
"""Of the norm, from the product in float64: several times what such sums err by."""
MOST_CHECKED = 8192**3

Sizes = tuple[tuple[str, tuple[int, ...]], ...]
"""Layouts of A and B; rows, inner size and columns; a batch comes first."""

SQUARES = (2048, 4096, 8192)
OF_TF32: dict[str, Sizes] = {
    "aligned large": tuple(("NN", (size, size, size)) for size in (*SQUARES, 16384)),
    "aligned large, B along k": tuple(("NT", (size, size, size)) for size in SQUARES),
    "aligned large, A along m": tuple(("TN", (size, size, size)) for size in SQUARES),
    "odd large": tuple(("NN", sizes) for sizes in ((4097, 4095, 4099), (8191, 8191, 8191), (2047, 2047, 2047))),
    "small": tuple(("NN", (size, size, size)) for size in (512, 1000, 1024, 1536)),
    "thin": (
        *(("NN", sizes) for sizes in ((16, 8192, 8192), (128, 8192, 8192), (8192, 8192, 16))),
        ("NT", (16, 8192, 8192)),
    ),
    "deep and batched": (("NN", (256, 65536, 256)), ("NN", (64, 512, 512, 512)), ("NT", (64, 512, 512, 512))),
}
LARGE: Sizes = (
    *(("NN", (size, size, size)) for size in (4096, 8192, 16384)),
    *(("NN", sizes) for sizes in ((4097, 4095, 4099), (8191, 8191, 8191))),
)
BY_PARTS: dict[str, Sizes] = {
    "large, aligned and odd": LARGE,
    "medium": tuple(("NN", (size, size, size)) for size in (1024, 1536, 2048)),
}
SPLIT_BEFORE = "B split before"
"""The group of a plan with constant="b": splitting B is not timed."""
GROUPS: dict[str, dict[str, Sizes]] = {
    "tf32": OF_TF32,
    "bf16x6": BY_PARTS,
    "fp16x3": {**BY_PARTS, SPLIT_BEFORE: LARGE},
    "auto": BY_PARTS,
}
REQUIRED = {
    ("tf32", "aligned large"): 1.0,
    ("tf32", "odd large"): 2.5,
    ("bf16x6", "large, aligned and odd"): 2.1,
    ("auto", "large, aligned and odd"): 2.1,
    ("fp16x3", "large, aligned and odd"): 3.6,
    ("fp16x3", SPLIT_BEFORE): 3.9,
}
"""The least geometric mean that a group is to have on an H200."""


@dataclass(frozen=True)
class Float32Product:
    """A product of float32: its precision and group, the layouts of A and B, and a batch, or none, with its sizes."""

    precision: str
    group: str
    layouts: str
    batch: tuple[int, ...]
    rows: int
    inner: int
    columns: int

    def __str__(self) -> str:
        """Return precision, sizes and layouts, as in ``tf32 4097x4095x4099 NN``."""
        sizes = "x".join(map(str, (*self.batch, self.rows, self.inner, self.columns)))
        return f"{self.precision} {sizes} {self.layouts}"

    @property
    def multiplications(self) -> int:
        """The number of them."""
        return self.rows * self.inner * self.columns * (self.batch[0] if self.batch else 1)

    def operands(self) -> tuple[Any, Any]:
        """Return A and B of random normal numbers on the GPU."""
        return self._matrix(self.rows, self.inner, 0), self._matrix(self.inner, self.columns, 1)

    def _matrix(self, rows: int, columns: int, number: int) -> Any:
        import torch

        if self.layouts[number] == "T":
            return torch.randn((*self.batch, columns, rows), device="cuda").mT
        return torch.randn((*self.batch, rows, columns), device="cuda")

    def problem(self) -> Problem:
        """Return it as plans see it."""
        c = packed((*self.batch, self.rows, self.columns))
        a, b = self._operand(self.rows, self.inner, 0), self._operand(self.inner, self.columns, 1)
        return Problem(a, b, c, "float32", "float32", precision=self.precision)

    def _operand(self, rows: int, columns: int, number: int) -> Operand:
        if self.layouts[number] == "T":
            return packed((*self.batch, columns, rows)).transposed
        return packed((*self.batch, rows, columns))


def products(precisions: list[str]) -> Iterator[Float32Product]:
    """Yield the products of some precisions, group by group."""
    for precision in precisions:
        for group, sizes in GROUPS[precision].items():
            for layouts, (*batch, rows, inner, columns) in sizes:
                yield Float32Product(precision, group, layouts, tuple(batch), rows, inner, columns)


def compile_ahead(found: list[Float32Product]) -> int:
    """Compile what they will launch; return how many programs that are."""
    plans = [choose_plan(each.problem(), find_chip(CHIP)) for each in found]
    launches = {(launch.kernel, launch.macros): launch for plan in plans for launch in plan.launches}
    compile_launches(list(launches.values()), CAPABILITY)
    return len(launches)


def measured(product: Float32Product, timer: ColdTimer, seconds: float) -> dict[str, Any]:
    """Return what was measured of a product: times by contender, and both errors beside float64.

    Raises:
        RuntimeError: the result is too far from the product in float64.
    """
    import torch

    torch.backends.cuda.matmul.allow_tf32 = product.precision == "tf32"
    a, b = product.operands()
    ours, plan = contender(product, a, b)
    ways: dict[str, Callable[[], Any]] = {OURS: ours, "torch": partial(torch.matmul, a, b)}
    errors = {}
    if product.multiplications <= MOST_CHECKED:
        exact = a.double() @ b.double()
        errors = {name: float((way() - exact).norm() / exact.norm()) for name, way in ways.items()}
        del exact
        if not errors[OURS] <= AGREES_WITHIN[product.precision]:
            raise RuntimeError(f"{product}: an error of {errors[OURS]:.2g} of the norm")
    times = timer.time(ways, seconds)
    del a, b, ours, ways
    torch.cuda.empty_cache()
    return {
        "precision": product.precision,
        "group": product.group,
        "product": str(product),
        "kernels": [launch.kernel for launch in plan.launches],
        "ratio": times["torch"].median_us / times[OURS].median_us,
        "tflops": 2e-6 * product.multiplications / times[OURS].median_us,
        "errors": errors,
        "us": {name: [round(each, 2) for each in found.us] for name, found in times.items()},
    }


def contender(product: Float32Product, a: Any, b: Any) -> tuple[Callable[[], Any], Any]:
    """Return our way to multiply, and its plan; what that keeps of B is made here."""
    import tilewright

    precision = product.precision
    if product.group == SPLIT_BEFORE:
        prepared = tilewright.plan(a, b, precision=precision, constant="b")
        return partial(prepared, a), prepared.plan
    return partial(tilewright.matmul, a, b, precision=precision), tilewright.explain(a, b, precision=precision)


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--precisions", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--seconds", type=float, default=0.25, help="GPU time for a product, about")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    found = list(products(asked.precisions))
    compile_ahead(found)
    import torch

    timer, rows = ColdTimer(), []
    for product in found:
        rows.append(measured(product, timer, asked.seconds))
        row, errors = rows[-1], rows[-1]["errors"]
        said = ", ".join(f"{name} errs by {error:.2e}" for name, error in errors.items())
        sys.stdout.write(f"{product!s:32} {row['tflops']:6.1f} TFLOP/s, torch: {row['ratio']:.3f}  {said}\n")
        sys.stdout.flush()
    groups = means(rows)
    for name, of_group in groups.items():
        sys.stdout.write(f"{name}: mean {of_group['mean']:.3f}, least {of_group['least']:.3f}\n")
    record.write(
        asked.out,
        "GPU time of a call in us, tilewright and torch in turn in one process (with allow_tf32 beside 'tf32', without "
        "beside the others), cold L2, random normal inputs; ratios are torch's time over ours; errors are normwise, "
        "beside float64",
        [rounded(row) for row in rows],
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        not_measured=NOT_MEASURED,
        groups=groups,
    )
    return 0


def means(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return mean and least ratio of each precision and group, and the mean that is required where one is."""
    ratios: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        ratios.setdefault((row["precision"], row["group"]), []).append(row["ratio"])
    return {
        f"{precision} {group}": {
            "mean": geometric_mean(found),
            "least": min(found),
            **({"required": REQUIRED[precision, group]} if (precision, group) in REQUIRED else {}),
        }
        for (precision, group), found in ratios.items()
    }


def rounded(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with numbers of four digits."""
    return {**row, "ratio": float(f"{row['ratio']:.4g}"), "tflops": float(f"{row['tflops']:.4g}")}


if __name__ == "__main__":
    sys.exit(main())
