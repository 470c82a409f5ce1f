"""Products of bfloat16 matrices in the host's memory that are larger than a GPU may hold, beside torch's by hand.

    python -m benchmarks.measure.bench_streamed gpu --gigabytes 90 --memory-limit 16GiB --out streamed_gpu.json

Two shapes, each with A, B and C of so many gigabytes together: one that the link bounds (a long k and a small C), one
that computing bounds (square). The bound is the larger of the bytes that have to cross the link once the tiles are
chosen, at the rate of pinned copies measured here, and of the operations, at the rate of torch.matmul of large matrices
on the GPU, measured here. "torch" is the loop over panels below, with the same tiles and steps as the plan's: pinned
double buffers, copies in a stream of their own, C's tile in float32 on the GPU.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch

from benchmarks import record
from tilewright.call.streamed.product import explain_streamed, run_streamed
from tilewright.call.streamed.request import check_streamed
from tilewright.choose.streamed import StreamedPlan

PROBE = 2**30
OURS, ALL, TORCH = "tilewright", "tilewright on all", "torch"
HOW = (
    "C = A B for bfloat16 in the host's memory, A, B and C of `gigabytes` together, within memory_limit of the GPU's "
    "memory. seconds: until C is whole in the host's memory. bound_seconds: the larger of link_seconds (bytes there "
    "and back, which overlap, at the rates of pinned copies) and compute_seconds (operations at the rate that "
    "torch.matmul of 8192 x 8192 x 8192 keeps for three seconds), rates measured in the same run. torch: a loop over "
    "the same panels by hand. "
    "error: the greatest difference of 16 x 64 elements from the sums in float64, by the greatest sum of |A||B|."
)


def on_gpu(gigabytes: float, memory_limit: str, out: Path | None, devices: list[str]) -> None:
    """Measure both shapes by all ways, in turns; the rows as JSON. With several devices: on the first, and on all."""
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) - 2))
    rates, rows = measured_rates(), []
    print(rates, flush=True)
    for shape, (m, n, k) in shapes(gigabytes * 1e9).items():
        a, b = filled(m, k), filled(k, n)
        c = torch.full((m, n), float("nan"), dtype=torch.bfloat16)
        plan = explain_streamed("matmul", a, b, c, memory_limit=memory_limit, device="gpu")
        print(plan, flush=True)
        there, back = plan.link_bytes
        link = max(there / rates["there_gb_per_s"], back / rates["back_gb_per_s"]) * 1e-9
        compute = 2 * m * n * k / rates["tflops"] * 1e-12
        for number, ways in enumerate(turns(shape, len(devices))):
            for who in ways:
                c.fill_(float("nan"))
                torch.cuda.synchronize()
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
                started = time.perf_counter()
                more: dict[str, Any] = {}
                if who != TORCH:
                    device: Any = devices if who == ALL else devices[0]
                    timing = run_streamed(check_streamed("matmul", a, b, c, {}), memory_limit, device=device)
                    more = {"stalled_seconds": timing.stalled_seconds, "first_seconds": timing.first_seconds}
                else:
                    by_hand(a, b, c, plan)
                    more = {"gpu_bytes": torch.cuda.max_memory_allocated()}
                seconds = time.perf_counter() - started
                row = {"shape": shape, "m": m, "n": n, "k": k, "who": who, "round": number, "seconds": seconds}
                row |= {"bound_seconds": max(link, compute), "link_seconds": link, "compute_seconds": compute}
                row |= {"share_of_bound": max(link, compute) / seconds, "tile": plan.tile, "step": plan.step, **more}
                row["error"] = error(a, b, c)
                rows.append(row)
                print(row, flush=True)
        del a, b, c
    path = out or record.RESULTS / "streamed_gpu.json"
    more = {"gigabytes": gigabytes, "memory_limit": memory_limit, "rates": rates, "torch": torch.__version__}
    record.write(path, HOW, rows, **more)


def turns(shape: str, devices: int) -> list[list[str]]:
    """Who runs, round by round; the loop by hand takes minutes where computing bounds, and runs once there."""
    if devices > 1:
        return [[OURS, ALL], [ALL, OURS], [OURS, ALL]]
    return [[OURS, TORCH], [TORCH, OURS] if shape == "link" else [OURS], [OURS]]


def shapes(nbytes: float) -> dict[str, tuple[int, int, int]]:
    """One shape with C of about a fiftieth of the bytes, and a square one; sides are multiples of 256."""
    side = int((nbytes / 2 / 3) ** 0.5) // 256 * 256
    short = max(256, int((nbytes / 2 / 100) ** 0.5) // 256 * 256)
    long = int((nbytes / 2 - short * short) / (2 * short)) // 256 * 256
    return {"link": (short, short, max(256, long)), "compute": (side, side, side)}


def filled(rows: int, columns: int) -> torch.Tensor:
    """Random numbers in the host's memory, made on the GPU in parts."""
    result = torch.empty((rows, columns), dtype=torch.bfloat16)
    height = max(1, 2**28 // columns)
    for first in range(0, rows, height):
        part = result[first : first + height]
        part.copy_(torch.randn(part.shape, dtype=torch.bfloat16, device="cuda"))
    return result


def measured_rates() -> dict[str, float]:
    """Pinned copies of 1 GiB there and back, alone, and torch.matmul; the best of five."""
    pinned = torch.empty(PROBE, dtype=torch.uint8, pin_memory=True)
    there = torch.empty(PROBE, dtype=torch.uint8, device="cuda")
    x = torch.randn((8192, 8192), dtype=torch.bfloat16, device="cuda")
    found = {
        "there_gb_per_s": PROBE * 1e-9 / best(lambda: there.copy_(pinned, non_blocking=True)),
        "back_gb_per_s": PROBE * 1e-9 / best(lambda: pinned.copy_(there, non_blocking=True)),
        "tflops_at_first": 2 * 8192**3 * 1e-12 / best(lambda: torch.matmul(x, x)),
        "tflops": sustained(x),
    }
    torch.cuda.empty_cache()
    return found


def sustained(x: torch.Tensor, seconds: float = 3.0) -> float:
    """TFLOP/s of torch.matmul in the last half of so many seconds: a warm GPU's clock is lower."""
    count, ends = 20, [time.perf_counter()]
    while ends[-1] - ends[0] < seconds:
        for _ in range(count):
            torch.matmul(x, x)
        torch.cuda.synchronize()
        ends.append(time.perf_counter())
    late = ends[len(ends) // 2 :]
    return float(count * (len(late) - 1) * 2 * x.shape[0] ** 3 * 1e-12 / (late[-1] - late[0]))


def best(work: Any) -> float:
    """The shortest time of five, in seconds."""
    times = []
    for _ in range(6):
        torch.cuda.synchronize()
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return min(times[1:])


def by_hand(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, plan: StreamedPlan) -> None:
    """The same tiles and panels in torch: what a careful user writes today."""
    (rows, columns), step = plan.tile, min(plan.step, a.shape[1])
    copying, working = torch.cuda.Stream(), torch.cuda.Stream()
    sizes = rows * step, step * columns
    pinned = [[torch.empty(size, dtype=a.dtype, pin_memory=True) for size in sizes] for _ in range(2)]
    panels = [[torch.empty(size, dtype=a.dtype, device="cuda") for size in sizes] for _ in range(2)]
    copied = [torch.cuda.Event() for _ in range(2)]
    read = [torch.cuda.Event() for _ in range(2)]
    back = torch.empty((min(rows, c.shape[0]), min(columns, c.shape[1])), dtype=c.dtype, pin_memory=True)
    turn = 0
    with ThreadPoolExecutor(1) as writer:
        pending = None
        for tile_rows, tile_columns in plan.tiles():
            extents = tile_rows.stop - tile_rows.start, tile_columns.stop - tile_columns.start
            sums = None
            for along in plan.steps():
                depth = along.stop - along.start
                copied[turn].synchronize()
                shapes_of = (extents[0], depth), (depth, extents[1])
                left, right = map(_shaped, pinned[turn], shapes_of)
                left.copy_(a[tile_rows, along])
                right.copy_(b[along, tile_columns])
                x, y = map(_shaped, panels[turn], shapes_of)
                with torch.cuda.stream(copying):
                    copying.wait_event(read[turn])
                    x.copy_(left, non_blocking=True)
                    y.copy_(right, non_blocking=True)
                    copied[turn].record()
                with torch.cuda.stream(working):
                    working.wait_event(copied[turn])
                    # torch adds products of bfloat16 to sums in float32 where out_dtype is given (2.8 and newer).
                    product = torch.mm(x, y, out_dtype=torch.float32)
                    sums = product if sums is None else sums.add_(product)
                    read[turn].record()
                turn = 1 - turn
            with torch.cuda.stream(working):
                rounded = sums.to(c.dtype) if sums is not None else None
                done = torch.cuda.Event()
                done.record()
            if pending is not None:
                pending.result()
            pending = writer.submit(_put, rounded, done, back, c[tile_rows, tile_columns])
        if pending is not None:
            pending.result()
    torch.cuda.synchronize()


def _shaped(buffer: torch.Tensor, shape: tuple[int, int]) -> torch.Tensor:
    return buffer[: shape[0] * shape[1]].view(shape)


def _put(rounded: Any, done: Any, back: torch.Tensor, into: torch.Tensor) -> None:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        stream.wait_event(done)
        target = back.view(-1)[: rounded.numel()].view(rounded.shape)
        target.copy_(rounded, non_blocking=True)
    stream.synchronize()
    into.copy_(target)


def error(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> float:
    """The greatest error of elements of the first, middle and last rows, by the greatest sum of |A||B|."""
    found = 0.0
    for first in (0, a.shape[0] // 2, a.shape[0] - 16):
        left = a[first : first + 16].cuda().double()
        right = b[:, -64:].cuda().double()
        difference = (c[first : first + 16, -64:].cuda().double() - left @ right).abs().max()
        assert torch.isfinite(difference)
        found = max(found, float(difference / (left.abs() @ right.abs()).max()))
    return found
