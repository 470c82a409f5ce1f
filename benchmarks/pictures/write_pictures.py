"""Write the pictures of the README and of docs/: `make pictures`. Each is the same each time; a test compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.pictures import kernel_diagrams, random_products
from tilewright.kernels import find_taught
from tilewright.lab.check.sizes import Sizes
from tilewright.lab.plots import plot
from tilewright.lab.trace.catalogue_subject import catalogue_subject
from tilewright.lab.trace.document import document_of
from tilewright.lab.trace.record import record
from tilewright.lab.trace.trace import Selection
from tilewright.lab.watch.pictures import gif_of

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
PLOTTED = ("tile-sizes", "loads-by-level", "loads-by-tile", "roofline", "table-4-2")

ANIMATED = {"matmul-4x4": ("matmul", "tiled", 4, 2), "reduced-8x8": ("reduced_matmul", "tiled", 8, 2)}
"""Seed 002's example, and the thesis's figure 4.3: operation, kernel, size, tile."""


def pictures() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files' names, and what makes them."""
    for name in PLOTTED:
        yield f"{name}-light.svg", partial(plot, name)
        yield f"{name}-dark.svg", partial(plot, name, dark=True)
    yield f"{random_products.NAME}-light.svg", random_products.picture
    yield f"{random_products.NAME}-dark.svg", partial(random_products.picture, dark=True)
    for name in ANIMATED:
        yield f"{name}-light.gif", partial(animation, name)
        yield f"{name}-dark.gif", partial(animation, name, dark=True)


def animation(name: str, *, dark: bool = False) -> bytes:
    """What `tilewright watch --gif` draws."""
    return gif_of(traced(name), dark=dark)


@cache
def traced(name: str) -> dict[str, Any]:
    """The trace that `tilewright watch` records."""
    operation, idea, size, tile = ANIMATED[name]
    subject = catalogue_subject(find_taught(operation, idea), Sizes(size, size, size), tile, "float32", 0, ())
    return document_of(record(subject, Selection(), schedule_seed=None))


def main() -> None:
    """Write all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in pictures():
        (FOLDER / name).write_bytes(make())
    kernel_diagrams.main()


if __name__ == "__main__":
    main()
