"""Run jobs one after another on the GPU: check each, time it beside torch.matmul, print a line of JSON.

Reads jobs as lines of JSON from standard input. The supervisor watches: a kernel that hangs takes only this process.
"""

from __future__ import annotations

import json
import sys
import time
from random import Random
from statistics import median, quantiles
from typing import Any

from benchmarks.measure.hopper_tuning.case import Case, Job, short
from benchmarks.measure.hopper_tuning.operands import Arrays
from tilewright.kernels.batches import slices
from tilewright.kernels.launch import Launches
from tilewright.kernels.matmul.wgmma import part_launches
from tilewright.lab.bench.timing import LAUNCHES_IN_TURN

FLUSH_BYTES = 256 * 2**20
"""Written and then read: lines left dirty would be written back while the timed kernel runs."""
MOST_ROUNDS, FEWEST_ROUNDS = 40, 7
BUDGET_SECONDS = 0.12


class Worker:
    """The GPU with one case's arrays at a time."""

    def __init__(self) -> None:
        import torch

        from tilewright.launch.cuda.device import cuda_device

        self.device = cuda_device(0)
        self.written, self.read = torch.zeros((2, FLUSH_BYTES // 4), dtype=torch.float32, device="cuda")
        self.random = Random(1)  # noqa: S311  (nothing secret)
        self.total = torch.zeros((), dtype=torch.float32, device="cuda")
        self.case: Case | None = None
        self.arrays: Arrays | None = None

    def run(self, job: Job) -> dict[str, Any]:
        """Check and time one job."""
        import torch

        from tilewright.launch.cuda.planned import PlannedRun

        started = time.perf_counter()
        if job.case != self.case or self.arrays is None:
            self.arrays = None
            torch.cuda.empty_cache()
            self.arrays, self.case = Arrays(job.case), job.case
        arrays = self.arrays
        (part,) = slices(arrays.multiplication())
        made = part_launches(part, job.tile)
        planned = PlannedRun(Launches(made.launches, made.workspace_bytes, made.reasons), self.device)
        workspace = torch.empty(max(made.workspace_bytes, 256), dtype=torch.uint8, device="cuda")
        workspace.fill_(255)
        addresses = arrays.addresses(workspace)
        stream = torch.cuda.current_stream().cuda_stream

        def ours() -> None:
            planned.run(addresses, stream)

        arrays.poison()
        ours()
        torch.cuda.synchronize()
        error = arrays.worst_error()
        first = arrays.c.clone()
        arrays.poison()
        ours()
        same = bool((first == arrays.c).all().item())
        setup_seconds = time.perf_counter() - started
        functions = [ours, arrays.by_torch]
        if len(made.launches) > 1:
            first_alone = PlannedRun(Launches(made.launches[:1], made.workspace_bytes, ()), self.device)
            functions.append(lambda: first_alone.run(addresses, stream))
        samples = self.time(functions)
        times = [median(each) for each in samples]
        return {
            **job.as_json(),
            "error": error,
            "same_bits": same,
            "ours_us": round(times[0], 2),
            "ours_low_us": round(quantiles(samples[0], n=4)[0], 2),
            "torch_us": round(times[1], 2),
            "ratio": round(times[1] / times[0], 4),
            "spread": [[round(min(each), 2), round(max(each), 2)] for each in samples],
            "tflops": round(job.case.flops / times[0] / 1e6, 1),
            "first_launch_us": round(times[2], 2) if len(times) > 2 else None,
            "launches": [launch.kernel for launch in made.launches],
            "setup_seconds": round(setup_seconds, 2),
        }

    def time(self, functions: list[Any]) -> list[list[float]]:
        """Microseconds of each function, in rounds of one call each, behind a write that flushes the L2 cache."""
        import torch

        samples: list[list[float]] = [[] for _ in functions]
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        spent = 0.0
        rounds = 0
        while rounds < FEWEST_ROUNDS or (rounds < MOST_ROUNDS and spent < BUDGET_SECONDS):
            started = time.perf_counter()
            for function, kept in zip(functions, samples, strict=True):
                for _ in range(self.random.randrange(LAUNCHES_IN_TURN)):
                    self.total.zero_()
                self.written.fill_(rounds)
                torch.sum(self.read, dim=0, out=self.total)
                begin.record()
                function()
                end.record()
                end.synchronize()
                kept.append(1e3 * begin.elapsed_time(end))
            rounds += 1
            spent += time.perf_counter() - started
        return samples


def main() -> None:
    """Serve until standard input ends."""
    worker = Worker()
    print("ready", flush=True)
    for line in sys.stdin:
        job = Job.of_json(json.loads(line))
        try:
            result = worker.run(job)
        except Exception as error:  # noqa: BLE001  (any failure is that job's result)
            result = {**job.as_json(), "failure": f"{type(error).__name__}: {error}"[:500]}
        result["name"] = f"{job.case} | {short(job.tile)}"
        print(json.dumps(result), flush=True)
        if "failure" in result and "CUDA" in result["failure"]:
            return


if __name__ == "__main__":
    main()
