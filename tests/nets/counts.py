"""What each taught kernel counts on the emulator: two shapes, whole tiles and awkward ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tests.emulate.catalogue_runs import run_kernel
from tilewright.kernels import TAUGHT

SHAPES = ((32, 64, 48), (34, 38, 45))


def counts() -> Iterator[tuple[str, str]]:
    """Yield each launch's name and its counts that are not 0, but those of instructions, which NVRTC decides."""
    for kernel in TAUGHT:
        if "host" in kernel.runs_on:
            continue
        for m, n, k in SHAPES[:1] if kernel.multiples_of_tile_only else SHAPES:
            for dtype in kernel.dtypes:
                run = run_kernel(kernel.name, m, n, k, dtype=dtype)
                run.check(kernel.operation)
                counted = {
                    name: count
                    for name, count in asdict(run.result.counts).items()
                    if count and "instructions" not in name
                }
                yield f"{kernel.name} {m}x{n}x{k} {dtype}", " ".join(f"{n}={v}" for n, v in counted.items())
