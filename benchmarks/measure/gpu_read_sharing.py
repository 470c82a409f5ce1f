"""Measure which SMs share reads of L2 and for how long a read is open to others, and which warps of an SM go first.

    python -m benchmarks.measure.gpu_read_sharing [OUTDIR]

Writes read_sharing_h200.json: reads of L2 per line (Nsight Compute), by which SMs ask for it, for which sectors, and
how far apart in time; and warp_progress_h200.json: the clocks of the blocks of some SMs on their way.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy

from benchmarks import record
from benchmarks.measure.caches.cache_launches.case import KERNELS, PROBE, CacheCase
from benchmarks.measure.caches.cache_launches.probes import unchanged
from benchmarks.measure.caches.gpu_caches import profile_command
from benchmarks.measure.gpu_counters import number
from tests.counters.corpus.case import output, reals, zeros
from tests.gpu.run_corpus import Gpu

METRICS = {
    "l2_reads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_read_requests": "lts__t_requests_srcunit_tex_op_read.sum",
    "l1_fill_sectors": "l1tex__m_xbar2l1tex_read_sectors.sum",
}
SMS, LINES, SIZE = 132, 256, 1024
GPC_1 = (2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107)
"""SMs of one GPC, as benchmarks/results/block_places_h200.json shows them."""
FULL_LINE = 15
NOTED_SMS = (0, 1, 37, 100)


def sharing(
    title: str,
    masks: Mapping[int, int],
    delays: Mapping[int, int] = MappingProxyType({}),
    *,
    period: int = 1500,
    warm: bool = True,
) -> CacheCase:
    """A launch of read_sharing.cu; masks and delays by SM."""
    return CacheCase(
        "read_sharing",
        grid=(SMS, 1, 1),
        block=(32, 1, 1),
        arguments={
            "source": zeros(LINES * 32 + 64, "i4"),
            "delays": lambda _: numpy.array([delays.get(sm, 0) for sm in range(SMS)], "i4"),
            "masks": lambda _: numpy.array([masks.get(sm, 0) for sm in range(SMS)], "i4"),
            "board": zeros(16, "u8"),
            "target": zeros(1, "i4"),
            "count": LINES,
            "period": period,
            "warm": int(warm),
        },
        expected=unchanged,
        path=KERNELS / "read_sharing.cu",
        of_set=PROBE,
        title=title,
    )


def sharing_cases() -> tuple[CacheCase, ...]:
    """All launches of read_sharing.cu."""
    return (*at_once(), *apart())


def at_once() -> Iterator[CacheCase]:
    """Nobody (what the rest of the kernel reads), all, pairs, SMs of a GPC, and different sectors of a line."""
    yield sharing("nobody", {})
    for mask in (1, FULL_LINE):
        yield sharing(f"all SMs, mask {mask}", dict.fromkeys(range(SMS), mask))
    for other in range(SMS):
        if other != 2:
            yield sharing(f"SMs 2 and {other}", {2: FULL_LINE, other: FULL_LINE})
            yield sharing(f"SMs 2 and {other}, from DRAM", {2: FULL_LINE, other: FULL_LINE}, warm=False)
    for many in (2, 3, 4, 5, 6, 8, 9, 12, 16):
        yield sharing(f"{many} SMs of a GPC", dict.fromkeys(GPC_1[:many], FULL_LINE))
    for first, second in ((1, 2), (1, FULL_LINE), (FULL_LINE, 1), (3, 12), (3, FULL_LINE)):
        yield sharing(f"masks {first} and {second}", {2: first, 3: second})


def apart() -> Iterator[CacheCase]:
    """Pairs that ask one after the other, of L2 and of DRAM, and GPCs whose SMs do."""
    for mask in (1, 3, FULL_LINE):
        for delay in (20, 40, 80, 120, 160, 240, 400, 600):
            yield sharing(f"masks {mask}, {delay} cycles apart", {2: mask, 3: mask}, {3: delay})
    for delay in (20, 80, 160, 300, 600):
        yield sharing(f"from DRAM, {delay} cycles apart", {2: FULL_LINE, 3: FULL_LINE}, {3: delay}, warm=False)
    for mask in (1, FULL_LINE):
        for spread in (50, 100, 200, 400, 800):
            delays = {sm: spread * turn // len(GPC_1) for turn, sm in enumerate(GPC_1)}
            for period in (50, 1500):
                title = f"a GPC, mask {mask}, over {spread} cycles, a line every {period}"
                yield sharing(title, dict.fromkeys(GPC_1, mask), delays, period=period)


def progress_case() -> CacheCase:
    """The launch of warp_progress.cu."""
    blocks = SIZE // 32
    return CacheCase(
        "warp_progress",
        grid=(blocks, blocks, 1),
        block=(32, 32, 1),
        arguments={
            "A": reals((SIZE, SIZE)),
            "B": reals((SIZE, SIZE)),
            "C": output((SIZE, SIZE)),
            "noted": output((blocks * blocks, 32, 18), "i8"),
            "n": SIZE,
        },
        expected=unchanged,
        path=KERNELS / "warp_progress.cu",
        of_set=PROBE,
    )


def progress_rows() -> list[dict[str, object]]:
    """By SM and block, in the order in which they began: the mean clock of its warps at 17 places, the first at 0."""
    gpu, case = Gpu(), progress_case()
    gpu.run_case(case)
    noted = gpu.run_case(case)["noted"]
    rows: list[dict[str, object]] = []
    for sm in NOTED_SMS:
        clocks = noted[noted[:, 0, 17] == sm][:, :, :17]
        clocks = clocks[numpy.argsort(clocks[:, :, 0].min(1))] - clocks.min()
        rows += [{"sm": sm, "clocks": block.mean(0).round().astype(int).tolist()} for block in clocks]
    return rows


def sharing_rows(ncu: str, cases: Sequence[CacheCase]) -> list[dict[str, object]]:
    """What each launch read."""
    command = [sys.executable, "-m", "benchmarks.measure.gpu_read_sharing", "--launch"]
    measured = profile_command(ncu, METRICS, command, {"read_sharing"})
    return [
        {"case": case.title, "counts": {name: number(row[metric]) for name, metric in METRICS.items()}}
        for case, row in zip(cases, measured, strict=True)
    ]


def main() -> int:
    """Measure, and write both files."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else record.RESULTS
    ncu = shutil.which("ncu")
    if ncu is None:
        sys.exit("ncu (Nsight Compute) is not on the path; it comes with the CUDA toolkit.")
    how = "Clocks of warps on their way through a naive product of 1,024, in cycles; the second of two launches"
    record.write(out / "warp_progress_h200.json", how, progress_rows())
    how = (
        f"Nsight Compute, one launch per row: {LINES} lines, in L2 unless it says DRAM, read by a warp on each SM named"
    )
    record.write(out / "read_sharing_h200.json", how, sharing_rows(ncu, sharing_cases()), lines=LINES)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--launch"]:
        gpu = Gpu()
        for sharing_case in sharing_cases():
            gpu.run_case(sharing_case)
    else:
        raise SystemExit(main())
