"""Fuzz products in 16-bit types on this GPU: shapes, strides, offsets, layouts, batches and epilogues.

    python -m tests.gpu.fuzz_products [--cases 20000] [--seed N] [--out FILE] [--seconds 240]

Every case has fresh random numbers, a poisoned output and guard bands round every buffer; the log says the seed, how
many cases each kernel ran, how near its bound the worst error came, and each case that was wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from random import Random, SystemRandom

import torch

from benchmarks import record
from tests.gpu.guarded_product import Execute, GuardedProduct
from tests.gpu.product_cases import ProductCase, Variant, random_case, random_variant
from tilewright.choose.facts import DeviceFacts
from tilewright.choose.launches import GpuPlan
from tilewright.choose.multiplication_plan import plan_multiplication
from tilewright.compile.planned import compile_launches
from tilewright.launch.cuda_device import CudaDevice, cuda_device
from tilewright.launch.planned import PlannedRun

KERNELS = ("auto", "auto", "auto", "mma_sync", "cuda_cores_16bit")
CASES_PER_VARIANT = 250
PLANS_KEPT = 512


def planned_cases(
    seed: int, count: int, facts: DeviceFacts, kernels: tuple[str, ...]
) -> list[tuple[ProductCase, GpuPlan]]:
    """Return the cases of a seed with their plans."""
    random = Random(seed)
    found: list[tuple[ProductCase, GpuPlan]] = []
    while len(found) < count:
        variant: Variant = random_variant(random, kernels)
        for _ in range(min(CASES_PER_VARIANT, count - len(found))):
            case = random_case(random, variant)
            found.append((case, plan_multiplication(case.multiplication(), facts, variant.kernel)))
    return found


def compile_all(plans: Iterable[GpuPlan], capability: tuple[int, int]) -> int:
    """Compile every program of the plans, on all processors; how many there are."""
    launches = {(launch.source, launch.macros): launch for plan in plans for launch in plan.launches}
    with ThreadPoolExecutor(cpu_count() or 1) as pool:
        list(pool.map(lambda launch: compile_launches([launch], capability), launches.values()))
    return len(launches)


def executor(device: CudaDevice) -> Execute:
    """What runs a plan on torch's current stream; what was loaded stays so."""
    runs: dict[GpuPlan, PlannedRun] = {}

    def execute(plan: GpuPlan, addresses: list[int]) -> None:
        run = runs.get(plan)
        if run is None:
            if len(runs) >= PLANS_KEPT:
                runs.clear()
            run = runs[plan] = PlannedRun(plan, device)
        run.run(addresses, torch.cuda.current_stream().cuda_stream)

    return execute


def main() -> int:
    """Run the cases and write the log; exit status 1 when one was wrong or not all were run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32))
    parser.add_argument("--out", type=Path, default=record.RESULTS / "fuzz_products_h200.json")
    parser.add_argument("--seconds", type=float, default=240, help="begin no case after so many")
    parser.add_argument("--kernels", nargs="+", default=list(KERNELS))
    asked = parser.parse_args()
    started = time.monotonic()
    device = cuda_device(0)
    torch.cuda.init()
    torch.manual_seed(asked.seed)
    cases = planned_cases(asked.seed, asked.cases, device.facts, tuple(asked.kernels))
    planned_at = time.monotonic()
    programs = compile_all((plan for _, plan in cases), device.capability)
    compiled_at = time.monotonic()
    sys.stdout.write(
        f"seed {asked.seed}: {len(cases):,} cases planned in {planned_at - started:.1f} s, {programs} programs "
        f"compiled in {compiled_at - planned_at:.1f} s\n"
    )
    ran: Counter[str] = Counter()
    worst: dict[str, float] = {}
    wrong: list[str] = []
    execute = executor(device)
    for case, plan in cases:
        if time.monotonic() - started > asked.seconds or len(wrong) >= 20:
            break
        outcome = GuardedProduct(case, "cuda").run(plan, execute)
        kernel = " + ".join(dict.fromkeys(launch.kernel for launch in plan.launches)) or "nothing launched"
        ran[kernel] += 1
        worst[kernel] = max(worst.get(kernel, 0.0), outcome.share)
        if outcome.wrong:
            wrong.append(f"{outcome.wrong} (worst error {outcome.share:.3g} of the bound): {case}; {plan.reasons}")
            sys.stdout.write(f"WRONG {wrong[-1]}\n")
    seconds = time.monotonic() - compiled_at
    for kernel, count in ran.most_common():
        sys.stdout.write(f"{count:7,} {kernel}: worst error {worst[kernel]:.3f} of the bound\n")
    sys.stdout.write(f"{sum(ran.values()):,} of {len(cases):,} cases in {seconds:.1f} s, {len(wrong)} wrong\n")
    record.write(
        asked.out,
        "products in 16-bit types, with random shapes, strides, offsets, batches and epilogues, against float64",
        [{"kernel": kernel, "cases": count, "worst_share_of_bound": worst[kernel]} for kernel, count in ran.items()],
        seed=asked.seed,
        cases=sum(ran.values()),
        programs=programs,
        wrong=wrong,
        command=f"python -m tests.gpu.fuzz_products --cases {asked.cases} --seed {asked.seed}",
    )
    return 1 if wrong or sum(ran.values()) < len(cases) else 0


if __name__ == "__main__":
    raise SystemExit(main())
