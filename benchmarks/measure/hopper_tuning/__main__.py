"""Run a file's jobs, in a worker that may be killed.

    python -m benchmarks.measure.hopper_tuning JOBS.py OUT.json [SECONDS]

JOBS.py defines `JOBS`, a list of `Job`. Kernels are compiled beforehand in several processes. No job is begun after so
many seconds.
"""

from __future__ import annotations

import json
import runpy
import select
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.measure.hopper_tuning.case import Job

SECONDS_PER_JOB = 25
COMPILERS = 10


class Supervisor:
    """A worker, started anew when it hangs or ends."""

    def __init__(self) -> None:
        self.worker: subprocess.Popen[str] | None = None

    def ask(self, job: Job) -> dict[str, Any]:
        """Return the worker's answer, or what became of the worker."""
        if self.worker is None or self.worker.poll() is not None:
            self.start()
        assert self.worker is not None
        assert self.worker.stdin is not None
        try:
            self.worker.stdin.write(json.dumps(job.as_json()) + "\n")
            self.worker.stdin.flush()
            line = self.line(SECONDS_PER_JOB)
        except BrokenPipeError:
            line = ""
        if not line:
            self.worker.kill()
            self.worker.wait()
            return {**job.as_json(), "name": f"{job.case} | {job.tile}", "failure": "hung, or the worker ended"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def start(self) -> None:
        """Start a worker and wait until it has opened the GPU."""
        command = [sys.executable, "-u", "-m", "benchmarks.measure.hopper_tuning.worker"]
        self.worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.line(90)

    def line(self, seconds: float) -> str:
        """Read a line of the worker's, or nothing when it takes too long."""
        assert self.worker is not None
        assert self.worker.stdout is not None
        ready, _, _ = select.select([self.worker.stdout], [], [], seconds)
        return self.worker.stdout.readline() if ready else ""


def compile_job(data: dict[str, Any]) -> str:
    """Compile a job's kernels, so that the worker finds them on disk; what went wrong, if anything did."""
    from benchmarks.measure.hopper_tuning.planned import planned_launches
    from tilewright.compile.planned import compile_launches

    job = Job.of_json(data)
    try:
        compile_launches(planned_launches(job), (9, 0))
    except Exception as error:  # noqa: BLE001  (reported with the job's name)
        return f"{job.case} {job.tile}: {type(error).__name__}: {error}"[:600]
    return ""


def main() -> None:
    """Compile, run, write."""
    jobs: list[Job] = runpy.run_path(sys.argv[1])["JOBS"]
    limit = time.monotonic() + float(sys.argv[3]) if len(sys.argv) > 3 else None
    supervisor = Supervisor()
    started = time.monotonic()
    with ProcessPoolExecutor(COMPILERS) as pool:
        compiling = pool.map(compile_job, [job.as_json() for job in jobs])
        supervisor.start()
        for problem in compiling:
            if problem:
                print("COMPILE", problem, flush=True)
    print(f"compiled in {time.monotonic() - started:.1f} s", flush=True)
    results: list[dict[str, Any]] = []
    for job in jobs:
        if limit is not None and time.monotonic() > limit:
            print("out of time", flush=True)
            break
        result = supervisor.ask(job)
        results.append(result)
        print(line_of(result), flush=True)
        Path(sys.argv[2]).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if supervisor.worker is not None:
        supervisor.worker.kill()


def line_of(result: dict[str, Any]) -> str:
    """Return a result as a line of text."""
    if "failure" in result:
        return f"{result['name']}: FAILED {result['failure']}"
    wrong = (
        "" if result["error"] < 2 and result["same_bits"] else f"  WRONG {result['error']:.3g} {result['same_bits']}"
    )
    first = f", first launch {result['first_launch_us']:.1f}" if result["first_launch_us"] else ""
    return (
        f"{result['name']}: {result['ratio']:.3f}  {result['ours_us']:.1f} us ({result['tflops']:.0f} TF), "
        f"torch {result['torch_us']:.1f}{first}{wrong}"
    )


if __name__ == "__main__":
    main()
