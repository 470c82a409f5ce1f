"""A launch whose cache traffic is measured and modelled: its kernel, its set, its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy

from tests.counters.corpus.case import FOLDER, Array, Case, output, reals
from tilewright.choose import EMULATOR_FACTS, Problem, choose_plan
from tilewright.compile import compile_source
from tilewright.kernels.catalogue import find_taught

KERNELS = Path(__file__).parents[3] / "kernels"
PROBE, FIT, TEST, LATER = "probe", "fit", "test", "later"
DRAWN, DRAWN_SECOND, HELD_BACK = "drawn", "drawn second", "held back"


@dataclass(frozen=True, eq=False)
class CacheCase(Case):
    """A launch with its kernel's file and macros, and the set that it belongs to.

    title: what tells it from other launches of its kernel. repeats: how often it is measured, to see the spread.
    """

    path: Path = FOLDER
    macros: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    of_set: str = FIT
    title: str = ""
    repeats: int = 1

    @property
    def label(self) -> str:
        """The kernel and the title."""
        return f"{self.name} {self.title}"

    @property
    def source_text(self) -> str:
        """The kernel's file."""
        return self.path.read_text(encoding="utf-8")

    def _compiled(self, architecture: str, *options: str) -> str | bytes:
        return compiled(self.source_text, self.path.name, architecture, tuple(self.macros.items()), options)


@lru_cache(maxsize=2)
def compiled(
    text: str, name: str, architecture: str, macros: tuple[tuple[str, str], ...], options: tuple[str, ...]
) -> str | bytes:
    """A kernel's code; kept for the next launch, which is often of the same one."""
    return compile_source(text, name, architecture=architecture, macros=dict(macros), extra_options=options)


def catalogued(
    of_set: str, kernel: str, dtype: str, tile: int | None, m: int, n: int, k: int, repeats: int = 1
) -> CacheCase:
    """One launch of a kernel of the catalogue as the library launches it."""
    operation, _, idea = kernel.partition("/")
    entry = find_taught(operation, idea)
    plan = choose_plan(Problem.of(operation, m, n, k, dtype), EMULATOR_FACTS, kernel=kernel, tile=tile)
    is_dot = operation == "dot"
    shape = f"{k}" if is_dot else f"{m}x{n}x{k}"
    tile_of = f" tile {plan.side}" if plan.side else ""
    return CacheCase(
        kernel.replace("/", "_"),
        grid=plan.grid,
        block=plan.block,
        arguments={
            "A": reals(k if is_dot else (m, k), dtype),
            "B": reals(k if is_dot else (k, n), dtype),
            "C": output(entry.c_elements(m, n, k, plan.side), dtype),
            **({"k": k} if is_dot else {"m": m, "n": n, "k": k}),
        },
        expected={"matmul": product, "reduced_matmul": reduced_product, "dot": partial_dots}[operation],
        tolerance=1e-5 if dtype == "float32" else 1e-13,
        path=entry.source_path,
        macros=entry.macros(dtype, plan.side),
        of_set=of_set,
        title=f"{shape} {dtype}{tile_of}",
        repeats=repeats,
    )


def product(given: SimpleNamespace) -> dict[str, Array]:
    """In float64."""
    return {"C": (given.A.astype(float) @ given.B.astype(float)).ravel()}


def reduced_product(given: SimpleNamespace) -> dict[str, Array]:
    """In float64."""
    a, b = given.A.astype(float), given.B.astype(float)
    return {"C": ((a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])).ravel()}


def partial_dots(given: SimpleNamespace) -> dict[str, Array]:
    """Blocks of 1,024 products take turns: the launches here have as many blocks as that takes."""
    products = given.A.astype(float) * given.B
    padded = numpy.pad(products, (0, -products.size % (1024 * given.C.size)))
    return {"C": padded.reshape(-1, given.C.size, 1024).sum((0, 2))}


def other(
    of_set: str,
    name: str,
    title: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    arguments: Mapping[str, Any],
    expected: Callable[[SimpleNamespace], Mapping[str, Array]],
    tolerance: float = 0.0,
    *,
    folder: Path = FOLDER,
    repeats: int = 1,
    variables: Mapping[str, Any] | None = None,
) -> CacheCase:
    """One launch of a kernel that is not the catalogue's."""
    return CacheCase(
        name,
        grid=(*grid, 1, 1)[:3],  # type: ignore[arg-type]
        block=(*block, 1, 1)[:3],  # type: ignore[arg-type]
        arguments=arguments,
        expected=expected,
        tolerance=tolerance,
        variables=variables or {},
        path=folder / f"{name}.cu",
        of_set=of_set,
        title=title,
        repeats=repeats,
    )
