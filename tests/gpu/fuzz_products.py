"""Fuzz products in 16-bit types on this GPU: shapes, strides, offsets, layouts, batches and epilogues.

    python -m tests.gpu.fuzz_products [--cases 20000] [--seed N] [--workers 4] [--out FILE] [--seconds 240]

Every case has fresh random numbers, a poisoned output and guard bands round every buffer; the log says the seed, how
many cases each kernel ran, how near its bound the worst error came, and each case that was wrong. Workers are processes
that share the GPU, each with a seed of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import torch

from benchmarks import record
from tests.gpu.guarded_product import Execute, GuardedProduct
from tests.gpu.product_cases import ProductCase, Variant, random_case, random_variant
from tilewright.choose.choice import choose_plan
from tilewright.choose.plan import Plan
from tilewright.compile.planned import compile_launches
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launches
from tilewright.launch.cuda.device import CudaDevice, cuda_device
from tilewright.launch.cuda.planned import PlannedRun

KERNELS = (*("auto",) * 6, "wgmma", "wgmma", "mma_sync", "mma_sync", "mma_direct", "mma_direct", "cuda_cores_16bit")
OF_FLOATS = (*("auto",) * 7, "strided")
DTYPES, FLOATS = ("float16", "bfloat16"), ("float32", "float64")
CASES_PER_VARIANT = 800
PLANS_KEPT = 512
MOST_WRONG = 20


def planned_cases(
    seed: int, count: int, facts: DeviceFacts, kernels: tuple[str, ...], dtypes: tuple[str, ...] = DTYPES
) -> list[tuple[ProductCase, Plan]]:
    """Return the cases of a seed with their plans."""
    random = Random(seed)
    found: list[tuple[ProductCase, Plan]] = []
    while len(found) < count:
        variant: Variant = random_variant(random, kernels, dtypes)
        for _ in range(min(CASES_PER_VARIANT, count - len(found))):
            case = random_case(random, variant)
            found.append((case, choose_plan(case.multiplication(), facts, variant.kernel)))
    return found


def compile_all(plans: Iterable[Plan | Launches], capability: tuple[int, int], threads: int | None = None) -> int:
    """Compile every program of the plans, on all processors or so many; how many programs there are."""
    launches = {(launch.source, launch.macros): launch for plan in plans for launch in plan.launches}
    with ThreadPoolExecutor(threads or cpu_count() or 1) as pool:
        list(pool.map(lambda launch: compile_launches([launch], capability), launches.values()))
    return len(launches)


def executor(device: CudaDevice) -> Execute:
    """What runs a plan on torch's current stream; what was loaded stays so."""
    runs: dict[Plan | Launches, PlannedRun] = {}

    def execute(plan: Plan | Launches, addresses: list[int]) -> None:
        run = runs.get(plan)
        if run is None:
            if len(runs) >= PLANS_KEPT:
                runs.clear()
            run = runs[plan] = PlannedRun(plan, device)
        run.run(addresses, torch.cuda.current_stream().cuda_stream)

    return execute


def fuzz(
    seed: int, count: int, seconds: float, choices: tuple[tuple[str, ...], tuple[str, ...]], threads: int | None
) -> dict[str, Any]:
    """Run the cases of a seed; how many each kernel ran, its worst share of the bound, and what was wrong."""
    started = time.monotonic()
    device = cuda_device(0)
    torch.cuda.init()
    torch.manual_seed(seed)
    cases = planned_cases(seed, count, device.facts, *choices)
    planned_at = time.monotonic()
    programs = compile_all((plan for _, plan in cases), device.capability, threads)
    compiled_at = time.monotonic()
    ran: Counter[str] = Counter()
    worst: dict[str, float] = {}
    wrong: list[str] = []
    execute = executor(device)
    for case, plan in cases:
        if time.monotonic() - compiled_at > seconds or len(wrong) >= MOST_WRONG:
            break
        outcome = GuardedProduct(case, "cuda").run(plan, execute)
        kernel = " + ".join(dict.fromkeys(launch.kernel for launch in plan.launches)) or "nothing launched"
        ran[kernel] += 1
        worst[kernel] = max(worst.get(kernel, 0.0), outcome.share)
        if outcome.wrong:
            wrong.append(f"{outcome.wrong} (worst error {outcome.share:.3g} of the bound): {case}; {plan.reasons}")
            sys.stderr.write(f"WRONG {wrong[-1]}\n")
    sys.stderr.write(
        f"seed {seed}: planned in {planned_at - started:.1f} s, {programs} programs compiled in "
        f"{compiled_at - planned_at:.1f} s, {sum(ran.values()):,} of {count:,} cases in "
        f"{time.monotonic() - compiled_at:.1f} s, {len(wrong)} wrong\n"
    )
    return {"seed": seed, "programs": programs, "ran": ran, "worst": worst, "wrong": wrong}


def in_processes(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Share the cases among worker processes; what each found. One that dies is an error."""
    share, workers = -(-asked.cases // asked.workers), []
    for index in range(asked.workers):
        own = ["--cases", str(share), "--seed", str(asked.seed + index), "--seconds", str(asked.seconds)]
        own += ["--dtypes", *asked.dtypes, "--kernels"]
        threads = ["--worker", str(max(1, (cpu_count() or 1) // asked.workers))]
        command = [sys.executable, "-m", "tests.gpu.fuzz_products", *own, *asked.kernels, *threads]
        workers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    answers = [worker.communicate()[0] for worker in workers]
    if any(worker.returncode for worker in workers):
        raise SystemExit(f"Workers ended with {[worker.returncode for worker in workers]}.")
    return [json.loads(answer) for answer in answers]


def main() -> int:
    """Run the cases and write the log; exit status 1 when one was wrong or not all were run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32))
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--out", type=Path, default=record.RESULTS / "fuzz_products_h200.json")
    parser.add_argument("--seconds", type=float, default=240, help="begin no case so long after all is compiled")
    parser.add_argument("--dtypes", nargs="+", default=list(DTYPES))
    parser.add_argument("--kernels", nargs="+", help="by default those of the types")
    parser.add_argument("--worker", type=int, metavar="THREADS", help="be one of several, and answer in JSON")
    asked = parser.parse_args()
    asked.kernels = asked.kernels or list(OF_FLOATS if set(asked.dtypes) <= set(FLOATS) else KERNELS)
    if asked.worker:
        choices = tuple(asked.kernels), tuple(asked.dtypes)
        json.dump(fuzz(asked.seed, asked.cases, asked.seconds, choices, asked.worker), sys.stdout)
        return 0
    found = in_processes(asked)
    ran: Counter[str] = Counter()
    worst: dict[str, float] = {}
    for each in found:
        ran.update(each["ran"])
        worst |= {kernel: max(share, worst.get(kernel, 0.0)) for kernel, share in each["worst"].items()}
    wrong = [case for each in found for case in each["wrong"]]
    for kernel, count in ran.most_common():
        sys.stdout.write(f"{count:7,} {kernel}: worst error {worst[kernel]:.3f} of the bound\n")
    sys.stdout.write(f"{sum(ran.values()):,} of {asked.cases:,} cases, {len(wrong)} wrong\n")
    record.write(
        asked.out,
        f"products in {' and '.join(asked.dtypes)}, with random shapes, strides, offsets, batches and epilogues, "
        "against float64",
        [{"kernel": kernel, "cases": count, "worst_share_of_bound": worst[kernel]} for kernel, count in ran.items()],
        seeds=[each["seed"] for each in found],
        cases=sum(ran.values()),
        programs=sum(each["programs"] for each in found),
        wrong=wrong,
        command=f"python -m tests.gpu.fuzz_products --cases {asked.cases} --seed {asked.seed} --workers {len(found)}",
    )
    return 1 if wrong or sum(ran.values()) < asked.cases else 0


if __name__ == "__main__":
    raise SystemExit(main())
