"""Write the pictures of docs/: `make pictures`. Each is the same bytes each time; a test compares them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tilewright.lab.plots import plot

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PLOTTED = ("tile-sizes", "loads-by-level", "loads-by-tile", "roofline", "table-4-2")


def pictures() -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files' names, and what makes them."""
    for name in PLOTTED:
        yield f"{name}-light.svg", partial(plot, name)
        yield f"{name}-dark.svg", partial(plot, name, dark=True)


def main() -> None:
    """Write all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in pictures():
        (FOLDER / name).write_bytes(make())


if __name__ == "__main__":
    main()
