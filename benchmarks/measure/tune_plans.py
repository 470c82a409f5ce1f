"""Time the plans among which a cost model chooses, beside one another and torch's ways: raw data for fitting models.

    python -m benchmarks.measure.tune_plans --out FILE [--rounds 9] [--kernels float64 float32 reduced bfloat16]
        [--count 24] [--seed SEED]

float64 and float32: every tile of the kernel with every number of splits worth a try, and stream-K; the products of the
benchmarks, and random ones of every regime. reduced: every division of reduced_matmul/fused, and pair_sums.
bfloat16: random products of every regime (benchmarks/random_products.py), by every tile of matmul/mma_sync worth a try
and by the first that the model of matmul/wgmma finds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import record
from benchmarks.measure import bench_floats, reduced_cases
from benchmarks.random_products import RandomProduct, drawn
from tilewright.choose import choose_plan, find_chip
from tilewright.choose.sm90.rule import described, ranked_tiles
from tilewright.compile.planned import compile_launches
from tilewright.kernels.batches import BatchSlice, slices
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import BUFFERS, Launches
from tilewright.kernels.matmul import cuda_cores_float32, mma_sync, mma_sync_float64
from tilewright.kernels.matmul.multistage import Multistage
from tilewright.kernels.matmul.wgmma import part_launches, repacking
from tilewright.kernels.operand import packed
from tilewright.kernels.problem import Problem
from tilewright.kernels.refusals import PlanError

SEED = 20261125
MOST_DRAWN_FLOPS = 1.5e11
MOST_FUSED_OVER_BEST = 2.0
"""Divisions that the model finds so much slower than its best are not timed."""
MOST_US_OF_MODEL = 1.6
MOST_WASTE, MOST_DIRECT_FLOPS, HOPPER_TILES = 2.5, 6e10, 10
"""Of plans for random products: what tiles may cover more than others, the most operations, how many tiles of wgmma."""
FLUSH_BYTES = 256 * 2**20
AGREES_WITHIN = {"float64": 1e-12, "float32": 2e-5, "float16": 5e-3, "bfloat16": 4e-2}
FLOATS = {"float32": cuda_cores_float32.KERNEL, "float64": mma_sync_float64.KERNEL}


@dataclass(frozen=True)
class Job:
    """A problem of packed matrices, its group, and the plans to be timed by name."""

    group: str
    problem: Problem
    plans: dict[str, Launches]
    product: RandomProduct | None = None
    """Which random product it is, whose operands may be views; else matrices are packed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Batch, rows of A, inner size, columns of B."""
        problem = self.problem
        return (*problem.batch, problem.m, problem.k, problem.n)


def float_jobs(dtype: str, seed: str, count: int, facts: DeviceFacts) -> Iterator[Job]:
    """Yield the products of float32 or float64 of the benchmark, and random ones."""
    kernel = FLOATS[dtype]
    for group, shapes in bench_floats.GROUPS.items():
        for *batch, m, k, n in shapes:
            lead = tuple(batch)
            problem = Problem(packed((*lead, m, k)), packed((*lead, k, n)), packed((*lead, m, n)), dtype, dtype)
            yield Job(group, problem, dict(divided_plans(kernel, problem, facts)))
    for product in drawn(seed, count, (dtype,), MOST_DRAWN_FLOPS):
        yield Job(product.regime, product.problem, dict(divided_plans(kernel, product.problem, facts)), product)


def divided_plans(kernel: Multistage, problem: Problem, facts: DeviceFacts) -> Iterator[tuple[str, Launches]]:
    """Yield tiles and splits by name, without those that are slower by far by the model."""
    (part,) = slices(problem)
    sms = facts.sm_count or 1
    product = part.transposed.part if problem.n <= 16 and problem.n < problem.m else part.part
    tried = [
        (each.us(product, shares, facts), index, each, shares)
        for index, each in enumerate(kernel.tiles)
        for shares in dict.fromkeys(each.shares(product, sms))
    ]
    least = min(us for us, *_ in tried)
    for us, index, each, shares in tried:
        if us <= MOST_US_OF_MODEL * least:
            name = f"tile {index} {'stream-K' if shares.blocks else f'splits {shares.splits}'}"
            yield name, kernel.divided(part, facts, each, shares)


def reduced_jobs(facts: DeviceFacts) -> Iterator[Job]:
    """Yield reduced products of every type."""
    for dtype in reduced_cases.DTYPES:
        for case in reduced_cases.cases(dtype):
            problem = Problem.of("reduced_matmul", case.rows, case.columns, case.inner, dtype)
            summed = choose_plan(problem, facts, "pair_sums")
            plans = {"pair_sums": Launches(summed.launches, summed.workspace_bytes)}
            ways = list(reduced_cases.fused_ways(problem, facts))
            least = min(us for _, us, _ in ways)
            plans |= {f"fused {name}": make() for name, us, make in ways if us <= MOST_FUSED_OVER_BEST * least}
            yield Job(case.group, problem, plans)


def random_jobs(seed: str, count: int, facts: DeviceFacts) -> Iterator[Job]:
    """Yield random products in bfloat16."""
    for drawn_product in drawn(seed, count):
        product = replace(drawn_product, dtype="bfloat16")
        (part,) = slices(product.problem)
        yield Job(product.regime, product.problem, {**direct_plans(part, facts), **hopper_plans(part, facts)}, product)


def direct_plans(part: BatchSlice, facts: DeviceFacts) -> dict[str, Launches]:
    """Return the plans of matmul/mma_sync by name, without those whose tiles are mostly outside of C."""
    product, sms = part.part, facts.sm_count or 1
    found: dict[str, Launches] = {}
    least = min(_computed(product, tile) for tile in mma_sync.WARP_TILES)
    paths = mma_sync.load_paths(product)
    for tile in mma_sync.WARP_TILES:
        if not tile.takes(paths) or _computed(product, tile) > MOST_WASTE * least or product.flops > MOST_DIRECT_FLOPS:
            continue
        for splits in dict.fromkeys(tile.splits(product, sms)):
            name = f"direct {tile.block_m}x{tile.block_n}x{tile.block_k}x{tile.blocks_per_sm} splits {splits}"
            found[name] = mma_sync.divided(part, facts, tile, splits)
    return found


def _computed(product: Problem, tile: mma_sync.WarpTile) -> int:
    return tile.tiles(product) * tile.block_m * tile.block_n


def hopper_plans(part: BatchSlice, facts: DeviceFacts) -> dict[str, Launches]:
    """Return the first plans of matmul/wgmma by the model, and that of the choice."""
    product, sms = part.part, facts.sm_count or 1
    found: dict[str, Launches] = {}
    repacked = any(repacking(product))
    tried = [tile for tile, _ in ranked_tiles(product, sms, repacked=repacked, bandwidth=facts.bandwidth_gb_per_s)]
    for tile in tried:
        try:
            plan = part_launches(part, tile, sms)
        except PlanError:
            continue
        found.setdefault(f"wgmma {described(tile)}", plan)
        if len(found) == HOPPER_TILES:
            break
    chosen = choose_plan(product, facts)
    return {**found, "auto": Launches(chosen.launches, chosen.workspace_bytes)}


class Timer:
    """The GPU, and what flushes its L2 cache."""

    def __init__(self) -> None:
        import torch

        from tilewright.launch.cuda.device import cuda_device

        self.device = cuda_device(0)
        self.flush = torch.zeros(FLUSH_BYTES // 4, device="cuda")
        self.total = torch.zeros((), device="cuda")

    def measured(self, job: Job, rounds: int) -> dict[str, Any]:
        """Return a row: medians in us by plan, torch's ways among them, and the largest error of a plan."""
        import torch

        from tilewright.launch.cuda.planned import PlannedRun

        problem, dtype = job.problem, getattr(torch, job.problem.dtype)
        operands = (problem.a, problem.b)
        a, b = (
            job.product.operands()
            if job.product is not None
            else (torch.randn((*each.batch, each.rows, each.columns), dtype=dtype, device="cuda") for each in operands)
        )
        c = torch.empty(problem.c_shape, dtype=dtype, device="cuda")
        workspace = torch.full(
            (max(plan.workspace_bytes for plan in job.plans.values()) + 256,), 255, dtype=torch.uint8, device="cuda"
        )
        held = {"A": a, "B": b, "C": c, "workspace": workspace}
        addresses = [held[name].data_ptr() if name in held else 0 for name in BUFFERS]
        stream = torch.cuda.current_stream().cuda_stream
        ways: dict[str, Callable[[], Any]] = {}
        if problem.operation == "matmul":
            ways["torch"] = lambda: torch.matmul(a, b)
        else:
            ways["torch summed"] = lambda: reduced_cases.summed_before(a, b)
            if min(problem.m, problem.n) <= reduced_cases.MOST_POOLED:
                ways["torch pooled"] = lambda: reduced_cases.pooled(a, b)
        expected = next(iter(ways.values()))()
        worst = {}
        for name, plan in job.plans.items():
            run = PlannedRun(plan, self.device)
            ways[name] = lambda run=run: run.run(addresses, stream)  # type: ignore[misc]
            c.fill_(float("nan"))
            ways[name]()
            apart = float((c.double() - expected.double()).norm() / expected.double().norm().clamp_min(1e-30))
            if not apart <= AGREES_WITHIN[problem.dtype]:
                worst[name] = apart
        samples: dict[str, list[float]] = {name: [] for name in ways}
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for number in range(rounds + 1):
            for name, way in ways.items():
                torch.sum(self.flush, dim=0, out=self.total)
                torch.sum(self.flush, dim=0, out=self.total)
                start.record()
                way()
                end.record()
                end.synchronize()
                if number:
                    samples[name].append(1e3 * start.elapsed_time(end))
        return {
            **({"product": vars(job.product)} if job.product is not None else {}),
            "group": job.group,
            "operation": problem.operation,
            "dtype": problem.dtype,
            "shape": list(job.shape),
            "us": {name: round(median(each), 2) for name, each in samples.items()},
            "wrong": worst,
        }


def main() -> int:
    """Time all, print the best of each, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--kernels", nargs="+", default=["float64", "float32", "reduced"])
    parser.add_argument("--count", type=int, default=24, help="random products of each regime")
    parser.add_argument("--seed", default=str(SEED), help="of the random products")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    facts = replace(find_chip("h100"), machine="gpu")
    jobs = [
        job
        for kernel in asked.kernels
        for job in (
            reduced_jobs(facts)
            if kernel == "reduced"
            else random_jobs(asked.seed, asked.count, facts)
            if kernel == "bfloat16"
            else float_jobs(kernel, asked.seed, asked.count, facts)
        )
    ]
    launches = {
        (each.kernel, each.macros): each for job in jobs for plan in job.plans.values() for each in plan.launches
    }
    sys.stdout.write(f"{len(jobs)} jobs, {sum(len(job.plans) for job in jobs)} plans, {len(launches)} programs\n")
    compile_launches(list(launches.values()), (9, 0))
    sys.stdout.write("compiled\n")
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    timer, rows = Timer(), []
    for job in jobs:
        try:
            rows.append(timer.measured(job, asked.rounds))
        except RuntimeError as error:
            sys.stdout.write(f"{job.problem}: {error}\n")
            torch.cuda.empty_cache()
            continue
        row = rows[-1]
        theirs = min(us for name, us in row["us"].items() if name.startswith("torch"))
        best = min((us, name) for name, us in row["us"].items() if not name.startswith("torch"))
        first = next((us for name, us in row["us"].items() if name == "pair_sums"), best[0])
        sys.stdout.write(
            f"{row['dtype']:8} {'x'.join(map(str, row['shape'])):18} {best[0]:9.1f} {best[1]:24} torch {theirs:9.1f} "
            f"{theirs / best[0]:.3f} {theirs / first:.3f} {'WRONG ' + str(row['wrong']) if row['wrong'] else ''}\n"
        )
        sys.stdout.flush()
    record.write(
        asked.out, "medians in us of plans timed in turn, L2 flushed before each", rows, torch=torch.__version__
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
