"""Measure products of DTensors in 1, 2 and 4 processes of this machine by gloo, and the rates that their model takes.

    python -m benchmarks.measure.bench_processes [--rounds 7] [--out FILE]

The model is choose/many/nodes.py; the tables compare it with these times. Each process computes with one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_two_gpus import Clock

RESULT = record.RESULTS / "processes.json"
SIZES = ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 512, 2048))
GRIDS = ((1, 1, 1), (2, 1, 1), (1, 1, 2), (4, 1, 1), (2, 2, 1), (2, 1, 2))
"""Rows x columns x layers."""
EXCHANGED_BYTES = 2**25


def operands(sizes: tuple[int, int, int], grid: tuple[int, int, int]) -> tuple[Any, Any, Any]:
    """A and B shared out over a grid, and where C belongs: rows of A and of C over the grid's rows, and so on."""
    import torch
    from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh

    m, k, n = sizes
    names = [name for name, size in zip(("rows", "columns", "layers"), grid, strict=True) if size > 1] or ["rows"]
    extents = [dict(zip(("rows", "columns", "layers"), grid, strict=True))[name] for name in names]
    mesh = init_device_mesh("cpu", tuple(extents), mesh_dim_names=tuple(names))
    of_a = {"rows": Shard(0), "columns": Shard(1), "layers": Shard(1)}
    of_b = {"rows": Shard(1) if "layers" in names else Shard(0), "columns": Shard(1), "layers": Shard(0)}
    of_c = {"rows": Shard(0), "columns": Shard(1), "layers": Shard(1)}
    torch.manual_seed(1)
    a, b = torch.randn(m, k), torch.randn(k, n)
    return (
        distribute_tensor(a, mesh, [of_a[name] for name in names]),
        distribute_tensor(b, mesh, [of_b[name] for name in names]),
        [of_c[name] for name in names],
    )


def measured(clock: Clock, processes: int) -> Iterator[dict[str, Any]]:
    """A row for each size and each grid of so many processes."""
    import torch

    import tilewright

    for grid in GRIDS:
        if grid[0] * grid[1] * grid[2] != processes:
            continue
        for sizes in SIZES:
            a, b, of_c = operands(sizes, grid)
            whole = a.full_tensor() @ b.full_tensor()

            def multiply(a: Any = a, b: Any = b, of_c: Any = of_c) -> Any:
                return tilewright.matmul(a, b).redistribute(placements=of_c)

            torch.testing.assert_close(multiply().full_tensor(), whole, rtol=1e-4, atol=1e-3)
            samples = clock.time({"tilewright": multiply})["tilewright"]
            plan: Any = tilewright.explain(a, b)
            yield {
                **dict(zip(("m", "k", "n"), sizes, strict=True)),
                "grid": grid,
                "processes": processes,
                "c": [str(each) for each in plan.sharding.c],
                "moved_bytes": plan.sharding.bytes,
                "us": samples,
                "median_us": median(samples),
            }


def rates(clock: Clock, processes: int) -> dict[str, Any]:
    """Rates with so many processes, by the fastest sample: of a product in each, and of messages both ways at once."""
    import torch
    from torch import distributed as dist

    import tilewright
    from tilewright.call.torch.distributed.pieces import Group

    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    product_us = min(clock.time({"product": lambda: tilewright.matmul(a, b)})["product"])
    found: dict[str, Any] = {"processes": processes, "flops_per_s": 2 * 1024**3 / product_us * 1e6}
    if processes == 1:
        return found
    group = Group(dist.group.WORLD)
    source, target = (group.rank + 1) % processes, (group.rank - 1) % processes

    def exchange(size: int) -> Any:
        sent, received = torch.zeros(size, dtype=torch.uint8), torch.empty(size, dtype=torch.uint8)
        return lambda: group.wait(group.exchange([(sent, target)], [(received, source)]))

    times = clock.time({"large": exchange(EXCHANGED_BYTES), "small": exchange(8)})
    large, small = min(times["large"]), min(times["small"])
    return found | {"bytes_per_s": EXCHANGED_BYTES / (large - small) * 1e6, "latency_s": small / 1e6}


def work(rank: int, processes: int, rounds: int, folder: str) -> None:
    """One process; the first writes what was measured."""
    import torch
    from torch import distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous-{processes}", rank=rank, world_size=processes
    )
    clock = Clock(torch.device("cpu"), rounds)
    found = {"rates": rates(clock, processes), "rows": list(measured(clock, processes))}
    if rank == 0:
        Path(folder, f"{processes}.json").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


def main() -> int:
    """Measure with 1, 2 and 4 processes, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="samples of each product")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # before NumPy is imported in a process
    import torch

    rows, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        for processes in (1, 2, 4):
            torch.multiprocessing.spawn(work, args=(processes, asked.rounds, folder), nprocs=processes)
            result = json.loads(Path(folder, f"{processes}.json").read_text())
            found.append(result["rates"])
            rows += result["rows"]
    for row in (*found, *rows):
        sys.stdout.write(f"{row}\n")
    record.write(
        asked.out,
        "us of tilewright.matmul of float32 DTensors, C brought to the grid's placement, by the slowest process; gloo, "
        "one thread in each process",
        rows,
        torch=torch.__version__,
        rates=found,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
