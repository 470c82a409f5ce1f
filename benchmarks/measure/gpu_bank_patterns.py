"""Wavefronts of one access to shared memory, pattern by pattern and width by width, with Nsight Compute on a GPU.

    python -m benchmarks.measure.gpu_bank_patterns [RESULT.json]

Each pattern is a launch of one warp, so nothing else keeps the banks busy. The rule of
emulate/observers/banks/rule.py is held against each; what differs is printed.
"""

from __future__ import annotations

import csv
import functools
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy

from benchmarks import record
from benchmarks.measure.caches.cache_launches import KERNELS, CacheCase
from benchmarks.measure.gpu_counters import number
from tests.counters.corpus.case import Array, constant, output
from tests.gpu.run_corpus import Gpu
from tilewright.emulate.observers.banks.rule import counted_conflicts, wavefronts

RESULT = record.RESULTS / "bank_patterns_h200.json"
ENTRY = "bank_patterns"
SOURCE = KERNELS / f"{ENTRY}.cu"
WIDTHS = (1, 2, 4, 8, 16)
RANDOM_PATTERNS = 12
METRICS = {
    "load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}


class BankCase(CacheCase):
    """A pattern's launch; patterns of one kind share a program."""

    def cubin(self) -> bytes:
        """The program of this kind."""
        return cubin_of(*self.macros.values())


@functools.cache
def cubin_of(nbytes: str, loads: str) -> bytes:
    """Compile one kind of access, once."""
    case = CacheCase(ENTRY, (1, 1, 1), (32, 1, 1), {}, nothing, path=SOURCE, macros={"NBYTES": nbytes, "LOADS": loads})
    return case.cubin()


@dataclass(frozen=True)
class Pattern:
    """Where the lanes of a warp are, in elements of `nbytes`; below 0: nowhere."""

    name: str
    nbytes: int
    is_load: bool
    elements: tuple[int, ...]

    @property
    def offsets(self) -> list[int]:
        """In bytes."""
        return [element * self.nbytes if element >= 0 else -1 for element in self.elements]

    @property
    def expected(self) -> dict[str, int]:
        """Wavefronts and bank conflicts, by the rule."""
        lanes = {lane: at for lane, at in enumerate(self.offsets) if at >= 0}
        return {
            "wavefronts": wavefronts(lanes, self.nbytes, is_load=self.is_load)[0],
            "conflicts": counted_conflicts(lanes, self.nbytes, is_load=self.is_load),
        }

    def case(self) -> BankCase:
        """The launch."""
        return BankCase(
            ENTRY,
            grid=(1, 1, 1),
            block=(32, 1, 1),
            arguments={"offsets": constant(self.offsets, numpy.int32), "out": output(32)},
            expected=nothing,
            path=SOURCE,
            macros={"NBYTES": str(self.nbytes), "LOADS": str(int(self.is_load))},
        )


def nothing(_: SimpleNamespace) -> dict[str, Array]:
    """What comes out is nobody's concern."""
    return {}


def elements_by_name() -> dict[str, list[int]]:
    """The patterns: lines, columns, pairs, parts of a warp, and random ones."""
    lanes = numpy.arange(32)
    named = {
        "line": lanes,
        "backwards": 31 - lanes,
        "one": 0 * lanes,
        **{f"stride {step}": step * lanes for step in (2, 3, 4, 5, 8, 16, 17, 32, 33)},
        **{f"groups of {size}": lanes // size for size in (2, 4, 8, 16)},
        **{f"groups of {size}, a row apart": lanes // size * (32 if size > 2 else 16) for size in (2, 4, 8, 16)},
        **{f"turns of {size}": lanes % size for size in (2, 4, 8, 16)},
        "pairs two apart": lanes & ~2,
        "pairs beside below 16, two apart above": numpy.where(lanes < 16, lanes & ~1, lanes & ~2),
        "pairs below 16, a line above": numpy.where(lanes < 16, lanes & ~1, lanes),
        "pairs in each quarter but the last": numpy.where(lanes < 24, lanes & ~1, lanes),
        "rows of 12": lanes // 12 * 12,
        "line in rows of 12": lanes % 12,
        "half": numpy.where(lanes < 16, lanes, -1),
        "even lanes": numpy.where(lanes % 2 == 0, lanes, -1),
        "every fourth lane": numpy.where(lanes % 4 == 0, lanes, -1),
        "one lane": numpy.where(lanes == 7, lanes, -1),
        "pairs, the first of each alone in the upper half": numpy.where(
            (lanes < 16) | (lanes % 2 == 0), lanes & ~1, -1
        ),
    }
    rng = numpy.random.default_rng(2026)
    for index in range(RANDOM_PATTERNS):
        scattered = rng.integers(0, (64, 256, 1024)[index % 3], 32)
        named[f"random {index}"] = numpy.where(rng.random(32) < (1.0, 0.6)[index % 2], scattered, -1)
    return {name: [int(element) for element in elements] for name, elements in named.items()}


def patterns() -> list[Pattern]:
    """All of them, for loads and stores of each width."""
    return [
        Pattern(name, nbytes, is_load, tuple(elements))
        for nbytes in WIDTHS
        for is_load in (True, False)
        for name, elements in elements_by_name().items()
    ]


def launch_all() -> None:
    """Launch every pattern: what ncu profiles."""
    gpu = Gpu()
    for pattern in patterns():
        gpu.run_case(pattern.case())


def profile(ncu: str) -> list[dict[str, str]]:
    """One row of ncu's raw page per launch."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        done = subprocess.run(
            [
                *(ncu, "--clock-control", "none", "--target-processes", "all", "--cache-control", "none"),
                *("--csv", "--page", "raw", "--print-units", "base", "--log-file", str(log)),
                *("--metrics", ",".join(METRICS.values())),
                *(sys.executable, "-m", "benchmarks.measure.gpu_bank_patterns", "--launch"),
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        text = log.read_text(encoding="utf-8") if log.exists() else ""
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    rows = [row for row in rows if (row["Kernel Name"] or "").partition("(")[0] == ENTRY]
    if done.returncode != 0 or len(rows) != len(patterns()):
        sys.exit(
            f"ncu ended with status {done.returncode} and {len(rows)} of {len(patterns())} launches:\n"
            f"{text[:2000]}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
    return rows


def main() -> None:
    """Profile the patterns, write what was counted, and print where the rule says otherwise."""
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    rows, equal = [], 0
    for pattern, measured in zip(patterns(), profile(ncu), strict=True):
        kind = "load" if pattern.is_load else "store"
        counted = {what: number(measured[METRICS[f"{kind}_{what}"]]) for what in ("wavefronts", "conflicts")}
        expected = pattern.expected
        equal += counted == expected
        if counted != expected:
            print(f"{kind} of {pattern.nbytes} bytes, {pattern.name}: counted {counted}, expected {expected}")
        rows.append(
            {
                "pattern": pattern.name,
                "nbytes": pattern.nbytes,
                "access": kind,
                "offsets": pattern.offsets,
                "counted": counted,
                "expected": expected,
            }
        )
    print(f"{equal} of {len(rows)} patterns are as the rule says")
    how = "Nsight Compute, one launch of one warp per row, beside what emulate/observers/banks/rule.py says"
    record.write(Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT, how, rows, metrics=METRICS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        launch_all()
    else:
        main()
