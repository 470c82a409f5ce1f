"""Products of bfloat16 matrices in the host's memory that are larger than a GPU may hold, beside torch's by hand.

    python -m benchmarks.measure.bench_streamed gpu --gigabytes 90 --memory-limit 16GiB --out streamed_gpu.json

Two shapes, each with A, B and C of so many gigabytes together: one that the link bounds (a long k and a small C), one
that computing bounds (square). The bound is the larger of the bytes that have to cross the link once the tiles are
chosen, at the rate of pinned copies measured here, and of the operations, at the rate of torch.matmul of large matrices
on the GPU, measured here. "torch" is the loop over panels below, with the same tiles and steps as the plan's: pinned
double buffers, copies in a stream of their own, C's tile in float32 on the GPU, and a panel kept while it is needed.
"pinned": A, B and C are pinned beforehand, which is not timed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from benchmarks import record
from tilewright.call.streamed.product import explain_streamed, run_streamed
from tilewright.call.streamed.request import check_streamed
from tilewright.choose.streamed import StreamedPlan
from tilewright.launch.cuda.device import cuda_device
from tilewright.launch.cuda.rows import Rows, copy_rows

PROBE = 2**30
OURS, ALL, TORCH = "tilewright", "tilewright on all", "torch"
HOW = (
    "C = A B for bfloat16 in the host's memory, A, B and C of `gigabytes` together, within memory_limit of the GPU's "
    "memory. seconds: until C is whole in the host's memory. bound_seconds: the larger of link_seconds (bytes there "
    "and back, which overlap, at the rates of pinned copies) and compute_seconds (operations at the rate that "
    "torch.matmul of 8192 x 8192 x 8192 keeps for three seconds), rates measured in the same run; the rate there, of "
    "copies of A where the matrices are pinned. attainable_seconds: the same bound at the rate of copies of panels "
    "while torch.matmul runs on the GPU, and from ordinary memory at no more than torch copies into pinned memory. "
    "torch: a loop over the same panels by hand. "
    "error: the greatest difference of 16 x 64 elements from the sums in float64, by the greatest sum of |A||B|."
)


def on_gpu(gigabytes: float, memory_limit: str, out: Path | None, devices: list[str], asked: list[str]) -> None:
    """Measure the shapes asked for by all ways, in turns; the rows as JSON. On the first device, and on all."""
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) - 2))
    rates, rows = measured_rates(), []
    print(rates, flush=True)
    for shape, sizes in shapes(gigabytes * 1e9).items():
        if shape not in asked:
            continue
        for row in of_shape(shape, sizes, rates, memory_limit, devices):
            rows.append(row)
            print(row, flush=True)
    path = out or record.RESULTS / "streamed_gpu.json"
    more = {"gigabytes": gigabytes, "memory_limit": memory_limit, "rates": rates, "torch": torch.__version__}
    record.write(path, HOW, rows, **more, devices=devices)


def of_shape(
    shape: str, sizes: tuple[int, int, int], rates: dict[str, float], memory_limit: str, devices: list[str]
) -> Iterator[dict[str, Any]]:
    """A row for each product of a shape: round by round, from ordinary memory, and then from pinned memory."""
    m, n, k = sizes
    a, b = filled(m, k), filled(k, n)
    c = torch.full((m, n), float("nan"), dtype=torch.bfloat16)
    plan = explain_streamed("matmul", a, b, c, memory_limit=memory_limit, device="gpu")
    print(plan, flush=True)
    there, back = plan.link_bytes
    compute = 2 * m * n * k / rates["tflops"] * 1e-12
    fixed: dict[str, Any] = {"shape": shape, "m": m, "n": n, "k": k, "compute_seconds": compute}
    for memory in ("ordinary", "pinned"):
        with pinned(a, b, c) if memory == "pinned" else nullcontext():
            rate = rates["there_gb_per_s"] if memory == "ordinary" else of_pinned_rows(a)
            busy = rates["there_busy_gb_per_s"] if memory == "ordinary" else of_panels(a, b, plan)
            attained = min(busy, rates["staging_gb_per_s"]) if memory == "ordinary" else busy
            link, attainable = (max(there / each, back / rates["back_gb_per_s"]) * 1e-9 for each in (rate, attained))
            bounds = {"share_of_bound": max(link, compute), "share_of_attainable": max(attainable, compute)}
            fixed |= {"there_gb_per_s": rate, "attainable_gb_per_s": attained, "link_seconds": link}
            fixed |= dict(zip(("bound_seconds", "attainable_seconds"), bounds.values(), strict=True))
            for number, ways in enumerate(turns(len(devices), beside_torch=memory == "ordinary")):
                for who in ways:
                    row = measured(who, a, b, c, plan, memory_limit, devices)
                    shares = {name: seconds / row["seconds"] for name, seconds in bounds.items()}
                    yield {**fixed, "memory": memory, "round": number, **shares, **row}


def measured(
    who: str, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, plan: StreamedPlan, limit: str, devices: list[str]
) -> dict[str, Any]:
    """One product over a poisoned C."""
    c.fill_(float("nan"))
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    started = time.perf_counter()
    more: dict[str, Any] = {}
    if who == TORCH:
        by_hand(a, b, c, plan)
    else:
        device: Any = devices if who == ALL else devices[0]
        timing = run_streamed(check_streamed("matmul", a, b, c, {}), limit, device=device)
        more = {"stalled_seconds": timing.stalled_seconds, "first_seconds": timing.first_seconds}
    seconds = time.perf_counter() - started
    if who == TORCH:
        more = {"gpu_bytes": torch.cuda.max_memory_allocated()}
    elif who == ALL:
        plan = explain_streamed("matmul", a, b, c, memory_limit=limit, device=devices)
    more |= {"tile": plan.tile, "step": plan.step, "link_bytes": plan.link_bytes}
    return {"who": who, "seconds": seconds, **more, "error": error(a, b, c)}


def turns(devices: int, *, beside_torch: bool) -> list[list[str]]:
    """Who runs, round by round."""
    if devices > 1:
        return [[OURS, ALL, TORCH], [ALL, OURS], [OURS, ALL]] if beside_torch else [[OURS, ALL], [ALL, OURS]]
    return [[OURS, TORCH], [TORCH, OURS], [OURS, TORCH]] if beside_torch else [[OURS]] * 3


def shapes(nbytes: float) -> dict[str, tuple[int, int, int]]:
    """One shape with C of about a fiftieth of the bytes, and a square one; sides are multiples of 256."""
    side = int((nbytes / 2 / 3) ** 0.5) // 256 * 256
    short = max(256, int((nbytes / 2 / 100) ** 0.5) // 256 * 256)
    long = int((nbytes / 2 - short * short) / (2 * short)) // 256 * 256
    return {"link": (short, short, max(256, long)), "compute": (side, side, side)}


def filled(rows: int, columns: int) -> torch.Tensor:
    """Random numbers in the host's memory: a block of 2**28, again and again."""
    block = torch.randn(2**28, dtype=torch.bfloat16, device="cuda").cpu()
    result = torch.empty((rows, columns), dtype=torch.bfloat16)
    flat = result.view(-1)
    for first in range(0, flat.numel(), block.numel()):
        part = flat[first : first + block.numel()]
        part.copy_(block[: part.numel()])
    return result


@contextmanager
def pinned(*tensors: torch.Tensor) -> Iterator[None]:
    """Tensors where they are, pinned while the block runs."""
    runtime = torch.cuda.cudart()
    for tensor in tensors:
        torch.cuda.check_error(runtime.cudaHostRegister(tensor.data_ptr(), tensor.nbytes, 0))
    try:
        yield
    finally:
        for tensor in tensors:
            torch.cuda.check_error(runtime.cudaHostUnregister(tensor.data_ptr()))


def measured_rates() -> dict[str, float]:
    """Copies of 1 GiB there and back, pinned, alone and beside products, and into pinned memory; torch.matmul."""
    pinned = torch.empty(PROBE, dtype=torch.uint8, pin_memory=True)
    # One after the other: none is in the processor's caches.
    parts = iter(torch.ones(6 * PROBE, dtype=torch.uint8).split(PROBE))
    there = torch.empty(PROBE, dtype=torch.uint8, device="cuda")
    x = torch.randn((8192, 8192), dtype=torch.bfloat16, device="cuda")
    found = {
        "there_gb_per_s": PROBE * 1e-9 / best(lambda: there.copy_(pinned, non_blocking=True)),
        "there_busy_gb_per_s": beside_products(lambda _: there.copy_(pinned, non_blocking=True), PROBE),
        "staging_gb_per_s": PROBE * 1e-9 / best(lambda: pinned.copy_(next(parts))),
        "back_gb_per_s": PROBE * 1e-9 / best(lambda: pinned.copy_(there, non_blocking=True)),
        "tflops_at_first": 2 * 8192**3 * 1e-12 / best(lambda: torch.matmul(x, x)),
        "tflops": sustained(x),
    }
    torch.cuda.empty_cache()
    return found


def of_panels(a: torch.Tensor, b: torch.Tensor, plan: StreamedPlan) -> float:
    """GB/s of copies of the first panels of A and of B beside products: rows of A are apart, those of B may not be."""
    device = cuda_device(0)
    panels = [
        each.view(torch.int16).numpy() for each in (a[: plan.tile[0], : plan.step], b[: plan.step, : plan.tile[1]])
    ]
    there = [torch.empty(panel.size, dtype=a.dtype, device="cuda") for panel in panels]

    def copy(stream: int) -> None:
        for panel, target in zip(panels, there, strict=True):
            row_bytes = panel.shape[1] * panel.itemsize
            source = Rows(panel.ctypes.data, panel.strides[0], on_host=True)
            copy_rows(device, source, Rows(target.data_ptr(), row_bytes), row_bytes, panel.shape[0], stream)

    with device.entered():
        return beside_products(copy, sum(panel.nbytes for panel in panels), copies=8)


def of_pinned_rows(a: torch.Tensor) -> float:
    """GB/s of copies of 1 GiB of a matrix that was pinned where it is: its pages are small."""
    part = a.view(-1)[: PROBE // a.itemsize]
    there = torch.empty(part.shape, dtype=a.dtype, device="cuda")
    return float(part.nbytes) * 1e-9 / best(lambda: there.copy_(part, non_blocking=True))


def beside_products(copy: Callable[[int], object], nbytes: int, copies: int = 20) -> float:
    """GB/s of copies, queued on the stream that is given, while torch.matmul of 8192 x 8192 x 8192 runs."""
    x, copying = torch.randn((8192, 8192), dtype=torch.bfloat16, device="cuda"), torch.cuda.Stream()
    began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    for _ in range(600):  # a second of work: longer than the copies
        torch.matmul(x, x)
    with torch.cuda.stream(copying):
        copy(copying.cuda_stream)
        began.record()
        for _ in range(copies):
            copy(copying.cuda_stream)
        ended.record()
    torch.cuda.synchronize()
    return float(copies * nbytes * 1e-6 / began.elapsed_time(ended))


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


def best(work: Callable[[], object]) -> float:
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
    given, sizes = (a, b), (rows * step, step * columns)
    pinned = [[torch.empty(size, dtype=a.dtype, pin_memory=True) for size in sizes] for _ in range(2)]
    panels = [[torch.empty(size, dtype=a.dtype, device="cuda") for size in sizes] for _ in range(2)]
    copied = [[torch.cuda.Event() for _ in sizes] for _ in range(2)]
    read = [[torch.cuda.Event() for _ in sizes] for _ in range(2)]
    back = torch.empty((min(rows, c.shape[0]), min(columns, c.shape[1])), dtype=c.dtype, pin_memory=True)
    turn = [0, 0]
    held: list[Any] = [None, None]
    with ThreadPoolExecutor(1) as writer:
        pending = None
        for tile_rows, tile_columns in (plan.tiles()[number] for number in plan.order()):
            extents = tile_rows.stop - tile_rows.start, tile_columns.stop - tile_columns.start
            sums = None
            for along in plan.steps():
                depth = along.stop - along.start
                operands = []
                for at, region, shape in (
                    (0, (tile_rows, along), (extents[0], depth)),
                    (1, (along, tile_columns), (depth, extents[1])),
                ):
                    if held[at] != region:
                        turn[at], held[at] = 1 - turn[at], region
                        copied[turn[at]][at].synchronize()
                        staged, panel = _shaped(pinned[turn[at]][at], shape), _shaped(panels[turn[at]][at], shape)
                        staged.copy_(given[at][region])
                        with torch.cuda.stream(copying):
                            copying.wait_event(read[turn[at]][at])
                            panel.copy_(staged, non_blocking=True)
                            copied[turn[at]][at].record()
                    operands.append(_shaped(panels[turn[at]][at], shape))
                with torch.cuda.stream(working):
                    for at in (0, 1):
                        working.wait_event(copied[turn[at]][at])
                    # torch adds products of bfloat16 to sums in float32 where out_dtype is given (2.8 and newer).
                    product = torch.mm(*operands, out_dtype=torch.float32)
                    sums = product if sums is None else sums.add_(product)
                    for at in (0, 1):
                        read[turn[at]][at].record()
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
