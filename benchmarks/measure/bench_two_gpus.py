"""Measure products of DTensors on the GPUs of this host beside torch's own, one process for each GPU.

    python -m benchmarks.measure.bench_two_gpus [--seconds 150] [--rounds 9] [--out FILE]
    python -m benchmarks.measure.bench_two_gpus --backend gloo --processes 2 --sizes small    # a trial on a CPU

In every pair of placements: tilewright.matmul, torch.matmul of the same DTensors, and the operands redistributed as our
plan says, then torch.matmul of what each process has. In turn, in one process group; a sample is the slowest process's.
On a GPU a sample is GPU time, queued behind a kernel that waits, so that no time of the host is in it; what the host
takes for a call is measured apart. Where an operand goes by pieces, the same messages are timed without the products,
and the same products without the messages. Every result is compared with a product of the whole in float64.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.measure.bench_gpu import geometric_mean

RESULT = record.RESULTS / "two_gpus.json"
SIZES = {
    "full": ((8192, 8192, 8192), (8191, 8191, 8191), (4096, 4096, 4096), (4095, 4095, 4095), (16384, 4096, 8192)),
    "small": ((256, 256, 256), (255, 255, 255)),
}
DTYPES = ("bfloat16", "float32")
OURS, TORCH, GATHERED, SAME = "tilewright", "torch", "gathered", "torch to the same placements"
MESSAGES, PRODUCTS = "messages", "products"
ERROR = {"bfloat16": 1e-2, "float32": 1e-5}
"""The most that a result may differ, in the Frobenius norm; a sum of rounded bfloat16 summands stays below it."""
WAIT_CYCLES = 8_000_000
"""Four milliseconds: the host takes up to two for a call."""


class Clock:
    """Times calls that all processes make together, by the slowest of them."""

    def __init__(self, device: Any, rounds: int) -> None:
        self._device, self._rounds = device, rounds

    def time(self, calls: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
        """Samples of each call in us, in turn."""
        for call in calls.values():
            for _ in range(2):
                call()
        names = list(calls)
        samples: dict[str, list[float]] = {name: [] for name in names}
        for number in range(self._rounds):
            first = number % len(names)
            for name in names[first:] + names[:first]:
                samples[name].append(self._sample(calls[name]))
        return {name: self._slowest(each) for name, each in samples.items()}

    def host_us(self, call: Callable[[], Any]) -> float:
        """What the host takes until a call returns: the median of the slowest process."""
        from torch import distributed as dist

        samples = []
        for _ in range(self._rounds):
            self._settle()
            dist.barrier()
            self._settle()
            begun = time.perf_counter()
            call()
            samples.append((time.perf_counter() - begun) * 1e6)
        return median(self._slowest(samples))

    def _sample(self, call: Callable[[], Any]) -> float:
        import torch
        from torch import distributed as dist

        self._settle()
        dist.barrier()
        if self._device.type != "cuda":
            begun = time.perf_counter()
            call()
            return (time.perf_counter() - begun) * 1e6
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(WAIT_CYCLES)  # noqa: SLF001  (torch has no public way)
        start.record()
        call()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end) * 1e3)

    def _settle(self) -> None:
        import torch

        if self._device.type == "cuda":
            torch.cuda.synchronize()

    def _slowest(self, samples: list[float]) -> list[float]:
        import torch
        from torch import distributed as dist

        together = torch.tensor(samples, dtype=torch.float64, device=self._device)
        dist.all_reduce(together, op=dist.ReduceOp.MAX)
        return [round(each, 2) for each in together.tolist()]


def placement_pairs() -> Iterator[tuple[Any, Any]]:
    """Every pair of rows, columns and whole, and pending sums beside a whole operand."""
    from torch.distributed.tensor import Partial, Replicate, Shard

    yield from itertools.product((Shard(0), Shard(1), Replicate()), repeat=2)
    yield from ((Partial(), Replicate()), (Replicate(), Partial()))


def lying(whole: Any, mesh: Any, placement: Any) -> Any:
    """The DTensor of these values; a pending sum is of equal summands."""
    from torch.distributed.tensor import DTensor, Replicate, distribute_tensor

    if placement.is_partial():
        return DTensor.from_local(whole / mesh.size(), mesh, [placement], run_check=False)
    return distribute_tensor(whole, mesh, [Replicate() if placement.is_replicate() else placement])


def contenders(a: Any, b: Any, plan: Any) -> dict[str, Callable[[], Any]]:
    """Ours, torch's, torch's brought to where C is in ours, and what our plan moves followed by torch.matmul.

    The last returns what a process has of C.
    """
    import torch

    import tilewright
    from tilewright.call.torch.distributed.placements import local, torchs

    way = plan.sharding
    return {
        OURS: lambda: tilewright.matmul(a, b),
        TORCH: lambda: torch.matmul(a, b),
        SAME: lambda: torch.matmul(a, b).redistribute(a.device_mesh, torchs(way.c)),
        GATHERED: lambda: torch.matmul(local(a, way.a), local(b, way.b)),
    }


class Idle:
    """In the place of memory that all GPUs reach: nothing is laid there, and nothing fetched."""

    def __init__(self, peer_memory: Callable[..., Any]) -> None:
        self._peer_memory = peer_memory

    def instead(self, *given: Any) -> Any:
        """This, if there were such memory."""
        real = self._peer_memory(*given)
        if real is None:
            return None
        self.rank, self.others = real.rank, real.others
        return self

    def share(self, _matrix: Any) -> None:
        """Nothing."""

    def fetch(self, *_given: Any) -> None:
        """Nothing."""

    def ready(self) -> None:
        """Nothing to wait for."""

    def wait_for(self, _event: None) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


def halves_of_ours(clock: Clock, a: Any, b: Any) -> dict[str, list[float]]:
    """Samples of ours, of its messages without products, and of its products without messages, in turn."""
    import tilewright
    from tilewright.call.torch.distributed import peers, pieces

    def without(*replaced: tuple[Any, str, Any]) -> Callable[[], Any]:
        def call() -> Any:
            kept = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
            for owner, name, nothing in replaced:
                setattr(owner, name, nothing)
            try:
                return tilewright.matmul(a, b)
            finally:
                for owner, name, before in kept:
                    setattr(owner, name, before)

        return call

    memory = Idle(peers.peer_memory) if a.device_mesh.device_type == "cuda" else None

    return clock.time(
        {
            OURS: lambda: tilewright.matmul(a, b),
            MESSAGES: without((pieces.Product, "compute", lambda *_given, **_more: None)),
            PRODUCTS: without(
                (pieces.Group, "exchange", lambda *_given: []),
                (pieces, "peer_memory", lambda *given: memory.instead(*given) if memory is not None else None),
            ),
        }
    )


def measured(clock: Clock, mesh: Any, sizes: tuple[int, int, int], dtype: str) -> Iterator[dict[str, Any]]:
    """A row for each pair of placements. Raises RuntimeError for a result that is not right."""
    import torch

    import tilewright

    m, k, n = sizes
    torch.manual_seed(1)  # the same numbers in every process
    device = torch.device(mesh.device_type)
    whole = [torch.randn(shape, device=device).to(getattr(torch, dtype)) for shape in ((m, k), (k, n))]
    exact = whole[0].double() @ whole[1].double()
    for placements in placement_pairs():
        a, b = (lying(each, mesh, placement) for each, placement in zip(whole, placements, strict=True))
        plan: Any = tilewright.explain(a, b)
        calls = contenders(a, b, plan)
        row: dict[str, Any] = {
            "m": m,
            "k": k,
            "n": n,
            "dtype": dtype,
            "a": str(placements[0]),
            "b": str(placements[1]),
            "moved_bytes": plan.sharding.bytes,
            "pieces": plan.sharding.pieces is not None,
        }
        for name in (OURS, TORCH):
            found = calls[name]()
            row[f"c_of_{name}"] = str(found.placements[0])
            apart = float((found.full_tensor().double() - exact).norm() / exact.norm())
            row[f"error_of_{name}"] = float(f"{apart:.2e}")
            if name == OURS and not apart <= ERROR[dtype]:
                raise RuntimeError(f"{row}: the result differs by {apart:.2g} of the norm.")
            del found
        row["us"] = clock.time(calls)
        row["median_us"] = {name: median(each) for name, each in row["us"].items()}
        row["host_us"] = {name: round(clock.host_us(call), 1) for name, call in calls.items()}
        for name in (TORCH, SAME, GATHERED):
            row[f"ratio_to_{name}"] = round(row["median_us"][name] / row["median_us"][OURS], 3)
        if row["pieces"]:
            halves = halves_of_ours(clock, a, b)
            both, messages, products = (median(halves[name]) for name in (OURS, MESSAGES, PRODUCTS))
            row["overlap_us"] = halves
            row["hidden"] = round((messages + products - both) / messages, 3)
        yield row


def work(rank: int, processes: int, backend: str, asked: argparse.Namespace, folder: str) -> None:
    """One process: measure all cases that there is time for; the first one prints and writes."""
    import torch
    from torch import distributed as dist
    from torch.distributed.tensor import init_device_mesh

    kind = "cuda" if backend == "nccl" else "cpu"
    device = torch.device(kind, rank) if kind == "cuda" else torch.device(kind)
    if kind == "cuda":
        torch.cuda.set_device(rank)
        torch.backends.cuda.matmul.allow_tf32 = False
    else:
        torch.set_num_threads(1)
    dist.init_process_group(backend, init_method=f"file://{folder}/rendezvous", rank=rank, world_size=processes)
    mesh = init_device_mesh(kind, (processes,))
    clock, rows, left, begun = Clock(device, asked.rounds), [], [], time.monotonic()
    for sizes, dtype in itertools.product(SIZES[asked.sizes], DTYPES):
        spent = torch.tensor([time.monotonic() - begun], device=device)
        dist.all_reduce(spent, op=dist.ReduceOp.MAX)
        if float(spent) > asked.seconds:
            left.append(f"{' x '.join(map(str, sizes))} {dtype}")
            continue
        for row in measured(clock, mesh, sizes, dtype):
            rows.append(row)
            if rank == 0:
                sys.stdout.write(f"{said(row)}\n")
                sys.stdout.flush()
        if kind == "cuda":
            torch.cuda.empty_cache()
    if rank == 0:
        finished(rows, left, processes, backend, asked.out)
    dist.barrier()
    dist.destroy_process_group()


def said(row: dict[str, Any]) -> str:
    """A row in a line."""
    times = " ".join(f"{name} {us:.0f}" for name, us in row["median_us"].items())
    hidden = f", hidden {row['hidden']:.2f}" if "hidden" in row else ""
    ratios = f"{row[f'ratio_to_{TORCH}']:.2f} {row[f'ratio_to_{GATHERED}']:.2f}"
    where = f"{row['a']} {row['b']} -> {row[f'c_of_{OURS}']} (torch: {row[f'c_of_{TORCH}']})"
    return f"{row['m']}x{row['k']}x{row['n']} {row['dtype']} {where}: us {times}; times as fast {ratios}{hidden}"


def groups_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Means and the least of the ratios, by type, parity of the sizes and rival; and what is hidden."""
    found = {}
    for dtype, is_even, rival in itertools.product(DTYPES, (True, False), (TORCH, SAME, GATHERED)):
        own = [row for row in rows if row["dtype"] == dtype and (row["m"] % 8 == 0) == is_even]
        ratios = [row[f"ratio_to_{rival}"] for row in own]
        if ratios:
            name = f"{dtype}, {'multiples of 8' if is_even else 'odd'}, {rival}"
            found[name] = {"mean": round(geometric_mean(ratios), 3), "least": min(ratios), "cases": len(ratios)}
    hidden = [row["hidden"] for row in rows if "hidden" in row]
    if hidden:
        found["hidden"] = {"mean": round(sum(hidden) / len(hidden), 3), "least": min(hidden), "cases": len(hidden)}
    return found


def finished(rows: list[dict[str, Any]], left: list[str], processes: int, backend: str, out: Path | None) -> None:
    """Print the groups and write the result."""
    import torch

    groups = groups_of(rows)
    for name, group in groups.items():
        sys.stdout.write(f"{name}: mean {group['mean']:.3f}, least {group['least']:.3f}, {group['cases']} cases\n")
    sys.stdout.write(f"not measured for want of time: {left or 'nothing'}\n")
    path = RESULT if out is None and backend == "nccl" else out
    if path is None:
        return
    record.write(
        path,
        "us of a product of DTensors by the slowest process: tilewright.matmul, torch.matmul as it is, torch.matmul "
        "and its result brought to our placement (torch leaves sums pending more often), and operands moved as our "
        "plan says, then torch.matmul, in turn in one process group, random normal inputs; on GPUs GPU time, queued "
        "beforehand",
        rows,
        torch=torch.__version__,
        cuda_of_torch=torch.version.cuda,
        backend=backend,
        processes=processes,
        devices=[torch.cuda.get_device_name(each) for each in range(torch.cuda.device_count())],
        not_measured=left,
        groups=groups,
    )


def main() -> int:
    """Start a process for each GPU and wait for them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("nccl", "gloo"), default="nccl")
    parser.add_argument("--processes", type=int, help="by default as many as GPUs, and 2 with gloo")
    parser.add_argument("--sizes", choices=tuple(SIZES), default="full")
    parser.add_argument("--rounds", type=int, default=9, help="samples of each call")
    parser.add_argument("--seconds", type=float, default=120, help="no case begins later")
    parser.add_argument("--out", type=Path, help="two_gpus.json in benchmarks/results; none with gloo")
    asked = parser.parse_args()
    import torch

    count = torch.cuda.device_count() if asked.backend == "nccl" else 2
    processes = asked.processes or count
    if processes < 2:
        sys.stdout.write("This takes two GPUs or more; --backend gloo tries it on a CPU.\n")
        return 1
    if asked.backend == "gloo":  # the processes share the cores, which the BLAS behind NumPy does not know
        os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, args=(processes, asked.backend, asked, folder), nprocs=processes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
