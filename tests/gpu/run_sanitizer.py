"""Run the planted mistakes, their twins and the correct kernels under each tool of compute-sanitizer, on this GPU.

    python -m tests.gpu.run_sanitizer [--out FILE] [--seconds 240] [--tools racecheck memcheck ...]

Writes which tool complains about which lines, and whether NumPy agrees with the result without any tool. Kernels that
may hang a GPU are not launched. The tools run side by side, each in a process that launches one kernel after another;
a kernel that faults or takes too long ends its process, and the next process goes on with the next kernel.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import record
from tests.gpu.sanitizer_log import Complaint, complaints
from tests.lab.planted.manifest import PlantedCase, correct, mended, planted
from tilewright.compile import compile_source

RESULT = record.RESULTS / "sanitizer_h200.json"
TOOLS = {
    "none": (),
    "racecheck": ("--tool", "racecheck", "--racecheck-report", "analysis"),
    "memcheck": ("--tool", "memcheck", "--padding", "32", "--destroy-on-device-error", "kernel"),
    "initcheck": ("--tool", "initcheck"),
    "synccheck": ("--tool", "synccheck"),
}
ALWAYS = ("--report-api-errors", "no", "--show-backtrace", "no", "--print-limit", "20000")
SECONDS_TO_START, SECONDS_PER_CASE = 60, 20


@dataclass
class ToolRun:
    """What one tool said: how each case ended, and the complaints about all of them."""

    tool: str
    ended: dict[str, str] = field(default_factory=dict)
    found: Counter[Complaint] = field(default_factory=Counter)
    log_end: str = ""
    options: tuple[str, ...] = ()


def groups() -> dict[str, list[PlantedCase]]:
    """All cases, the mistakes first."""
    return {"planted": planted(), "correct": correct(), "mended": mended()}


def compiled(case: PlantedCase) -> bytes:
    """The cubin; the kernel has the case's name, so that every message of a tool tells its case."""
    nvcc = shutil.which("nvcc")
    include = Path(nvcc).resolve().parents[1] / "include" if nvcc else None
    options = [f"-I{include}", f"-I{include / 'cccl'}"] if include else []
    code = compile_source(
        case.device_part(),
        f"{case.name}.cu",
        architecture="sm_90",
        macros={plain_symbol(case): case.name},
        extra_options=options,
    )
    assert isinstance(code, bytes)
    return code


def plain_symbol(case: PlantedCase) -> str:
    """The kernel's name in the source."""
    mangled = re.match(r"_Z(\d+)", case.symbol)
    return case.symbol[mangled.end() :][: int(mangled[1])] if mangled else case.symbol


def symbol_of(case: PlantedCase) -> str:
    """The kernel's name in the cubin."""
    name = plain_symbol(case)
    return (
        case.symbol.replace(f"{len(name)}{name}", f"{len(case.name)}{case.name}", 1)
        if name != case.symbol
        else case.name
    )


def compile_all(folder: Path) -> dict[str, str]:
    """Write a cubin for each case; which could not be compiled, and why."""

    def one(case: PlantedCase) -> tuple[str, str]:
        try:
            (folder / f"{case.name}.cubin").write_bytes(compiled(case))
        except RuntimeError as error:
            return case.name, " ".join(str(error).split())
        return case.name, ""

    cases = [case for group in groups().values() for case in group]
    with ThreadPoolExecutor(8) as pool:
        return {name: error for name, error in pool.map(one, cases) if error}


def launch_cases(folder: Path, names: list[str], *, poison: bool) -> None:
    """In a process of its own: launch cases one by one, say how each ends, and stop after one that faulted."""
    from tests.gpu.planted_launch import PlantedGpu

    cases = {case.name: case for group in groups().values() for case in group}
    gpu = PlantedGpu(poison=poison)
    for name in names:
        say("begin", name)
        try:
            outcome = gpu.outcome(cases[name], (folder / f"{name}.cubin").read_bytes(), symbol_of(cases[name]))
        except RuntimeError as error:
            say("end", name, f"fault: {error}")
            if not gpu.is_alive():
                os._exit(3)
            continue
        say("end", name, outcome)


def say(*words: str) -> None:
    """Tell the process that watches."""
    sys.stdout.write(f"@@ {json.dumps(words)}\n")
    sys.stdout.flush()


def run_tool(tool: str, folder: Path, names: list[str], deadline: float) -> ToolRun:
    """Launch all cases under a tool, in as many processes as it takes."""
    run = ToolRun(tool, options=(*TOOLS[tool], *ALWAYS))
    todo = list(names)
    while todo and time.monotonic() < deadline:
        log = folder / f"{tool}-{len(todo)}.log"
        before = len(todo)
        _run_process(run, folder, todo, log, deadline)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        run.found += complaints(text.splitlines(), names)
        run.log_end = text[-2000:] or run.log_end
        if len(todo) == before and run.options != TOOLS[tool][:2]:
            run.options = TOOLS[tool][:2]  # an older tool may not know the other options
        elif len(todo) == before:
            run.ended[todo.pop(0)] = "not launched: the process ended before"
    for name in todo:
        run.ended[name] = "not launched: no time left"
    return run


def _run_process(run: ToolRun, folder: Path, todo: list[str], log: Path, deadline: float) -> None:
    """Start one process, and take cases off `todo` as they end; end the process when a case takes too long."""
    own = [sys.executable, "-m", "tests.gpu.run_sanitizer", "--launch", str(folder)]
    own += ["--poison"] if run.tool == "none" else []
    tool = ["compute-sanitizer", *run.options, "--log-file", str(log)] if run.tool != "none" else []
    process = subprocess.Popen(
        [*tool, *own, *todo], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    assert process.stdout is not None
    begun, limit = "", [time.monotonic() + SECONDS_TO_START]
    is_late = threading.Event()

    def watch() -> None:
        while process.poll() is None:
            if time.monotonic() > min(limit[0], deadline + 5):
                is_late.set()
                os.killpg(process.pid, signal.SIGKILL)
                return
            time.sleep(0.2)

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = []
    for line in process.stdout:
        if not line.startswith("@@ "):
            said.append(line)
            continue
        word, name, *rest = json.loads(line[3:])
        limit[0] = time.monotonic() + SECONDS_PER_CASE
        begun = name if word == "begin" else ""
        if word == "end":
            run.ended[name] = rest[0]
            todo.remove(name)
    process.wait()
    watcher.join()
    if begun:
        run.ended[begun] = "ended by the watchdog" if is_late.is_set() else "the process died"
        todo.remove(begun)
    elif todo and not run.ended:
        sys.stdout.write(f"{run.tool}: nothing was launched: {''.join(said)[-3000:]}\n")


def as_row(group: str, case: PlantedCase, runs: dict[str, ToolRun], not_compiled: dict[str, str]) -> dict[str, Any]:
    """One case with what each tool said."""
    row: dict[str, Any] = {"case": case.name, "group": group, "wrong": case.wrong, "finding": list(case.finding)}
    row["launched"] = launchable(case)
    if case.name in not_compiled:
        return row | {"launched": False, "not_compiled": not_compiled[case.name]}
    for tool, run in runs.items():
        said = [(one, times) for one, times in run.found.items() if one.case == case.name]
        row[tool] = {
            "ended": run.ended.get(case.name, "not launched"),
            "complaints": [{"words": one.words, "lines": list(one.lines), "times": times} for one, times in said],
        }
    return row


def launchable(case: PlantedCase) -> bool:
    """Whether a GPU survives the case."""
    return not case.hangs


def main() -> int:
    """Run every tool and write what they said; exit status 1 when there is nothing to write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--seconds", type=int, default=240, help="stop launching after so many")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--logs", type=Path, help="keep what the tools printed in this folder")
    parser.add_argument("--launch", type=Path, help="launch the named cases from the cubins in this folder")
    parser.add_argument("--poison", action="store_true", help="with --launch: fill outputs with NaN first")
    parser.add_argument("names", nargs="*", help="cases; all of them when none is named")
    asked = parser.parse_args()
    if asked.launch:
        launch_cases(asked.launch, asked.names, poison=asked.poison)
        return 0
    if shutil.which("compute-sanitizer") is None:
        sys.exit("compute-sanitizer is not on the path; it comes with the CUDA toolkit.")
    deadline = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        not_compiled = compile_all(folder)
        sys.stdout.write("".join(f"{name} was not compiled: {error}\n" for name, error in not_compiled.items()))
        names = [
            case.name
            for group in groups().values()
            for case in group
            if launchable(case) and case.name not in not_compiled and (not asked.names or case.name in asked.names)
        ]
        with ThreadPoolExecutor(len(asked.tools)) as pool:
            futures = {tool: pool.submit(run_tool, tool, folder, names, deadline) for tool in asked.tools}
            runs = {tool: future.result() for tool, future in futures.items()}
        for log in folder.glob("*.log") if asked.logs else ():
            asked.logs.mkdir(parents=True, exist_ok=True)
            shutil.copy(log, asked.logs)
    for tool, run in runs.items():
        sys.stdout.write(f"{tool}: {len(run.ended)} cases, {sum(run.found.values())} complaints\n")
        if run.ended and not run.found and tool != "none":
            sys.stdout.write(f"the end of its log:\n{run.log_end}\n")
    rows = [as_row(group, case, runs, not_compiled) for group, cases in groups().items() for case in cases]
    said = subprocess.run(["compute-sanitizer", "--version"], check=True, capture_output=True, text=True).stdout
    record.write(
        asked.out,
        "each kernel launched once under each tool of compute-sanitizer; kernels that may hang a GPU are left out",
        rows,
        sanitizer=next((line.strip() for line in said.splitlines() if line.startswith("Version")), said.strip()),
        options={tool: list(run.options) for tool, run in runs.items() if tool != "none"},
    )
    return 0 if any(run.ended for run in runs.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
