"""Probes: kernels that read or write in a known order, to find the sizes and rules of a GPU's caches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace

from benchmarks.measure.caches.cache_launches.case import KERNELS, PROBE, CacheCase
from tests.counters.corpus.case import Array, zeros

KIB, MIB = 1 << 10, 1 << 20
LINE_BYTES = 128
FOOTPRINTS_KIB = (64, 128, 160, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256, 288)
FOOTPRINTS_BESIDE_SHARED_KIB = (64, 96, 112, 128, 144, 160, 176, 192, 208)
EVERY_SM_FULL = 264
"""Blocks of 1,024 threads that fill the 132 SMs."""


def read_probes() -> Iterator[CacheCase]:
    """Capacity, sets, policy and what a fill brings, of L1 (one warp, one read at a time) and of L2 (a full device)."""
    for shared_bytes, footprints in ((0, FOOTPRINTS_KIB), (48 * KIB, FOOTPRINTS_BESIDE_SHARED_KIB)):
        for kib in footprints:
            lines = kib * KIB // LINE_BYTES
            yield probe(f"L1 {kib} KiB, shared {shared_bytes}", lines, LINE_BYTES, 4, 4, shared_bytes=shared_bytes)
    for lines in (512, 1024, 1536, 1792, 2048, 3072, 4096, 6144):
        yield probe(f"L1 {lines} lines, a sector each", lines, LINE_BYTES, 0, 4)
    for kib, counts in ((4, (16, 32, 48, 56, 64, 96)), (32, (4, 6, 8, 16, 32, 64)), (512, (2, 4, 8, 16))):
        for count in counts:
            yield probe(f"L1 {count} lines {kib} KiB apart", count, kib * KIB, 4, 4)
    for name, macros in (("one by one", {"TOGETHER": "1", "CHAIN": "1"}), ("at once", {"TOGETHER": "1"})):
        yield probe(f"the same 256 lines by all warps, {name}", 256, LINE_BYTES, 4, 1, grid=132, macros=macros)
    for apart in (32, 64, 128, 256, 4096):
        yield probe(f"L2 a sector every {apart} bytes", min(65536, 64 * MIB // apart), apart, 0, 1, grid=EVERY_SM_FULL)
    for mib in (8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96):
        lines = mib * MIB // LINE_BYTES
        yield probe(f"L2 {mib} MiB", lines, LINE_BYTES, 4, 3, grid=EVERY_SM_FULL, repeats=2 if mib in (8, 32) else 1)
    for mib in (16, 32):
        yield probe(f"L2 {mib} MiB by one block", mib * MIB // LINE_BYTES, LINE_BYTES, 4, 2, grid=1)


def probe(
    title: str,
    count: int,
    stride_bytes: int,
    spread_bytes: int,
    passes: int,
    *,
    grid: int = 0,
    shared_bytes: int = 0,
    macros: Mapping[str, str] | None = None,
    repeats: int = 1,
) -> CacheCase:
    """A probe of reads; a grid of 0 is one warp that waits for each read."""
    stride, spread = stride_bytes // 4, spread_bytes // 4
    return CacheCase(
        "probe_reads",
        grid=(max(grid, 1), 1, 1),
        block=(1024 if grid else 32, 1, 1),
        arguments={
            "source": zeros(count * stride + 32, "i4"),
            "target": zeros(1, "i4"),
            "count": count,
            "stride": stride,
            "spread": spread,
            "passes": passes,
        },
        expected=unchanged,
        dynamic_shared_bytes=shared_bytes,
        path=KERNELS / "probe_reads.cu",
        macros=({} if grid else {"CHAIN": "1"}) if macros is None else macros,
        of_set=PROBE,
        title=title,
        repeats=repeats,
    )


def write_probes() -> Iterator[CacheCase]:
    """What a write leaves in L1, and what writes of lines and of single words cost in L2 and DRAM."""
    for macros in ({}, {"READ_FIRST": "1"}, {"READ_AFTER": "1"}, {"READ_FIRST": "1", "READ_AFTER": "1"}):
        name = " ".join(macros).lower() or "write only"
        for spread, kind in ((4, "lines"), (0, "words")):
            yield write_probe(f"L1 512 {kind}, {name}", 512, LINE_BYTES, spread, 1, macros)
    for mib in (8, 64, 128):
        yield write_probe(f"L2 {mib} MiB in lines", mib * MIB // LINE_BYTES, LINE_BYTES, 4, EVERY_SM_FULL, {})
    for mib in (8, 64):
        yield write_probe(f"L2 {mib} MiB in words", mib * MIB // 32, 32, 0, EVERY_SM_FULL, {})


def write_probe(
    title: str, count: int, stride_bytes: int, spread_bytes: int, grid: int, macros: Mapping[str, str]
) -> CacheCase:
    """A probe of writes by one warp (grid 1) or by full SMs."""
    stride, spread = stride_bytes // 4, spread_bytes // 4
    return CacheCase(
        "probe_writes",
        grid=(grid, 1, 1),
        block=(1024 if grid > 1 else 32, 1, 1),
        arguments={
            "target": zeros(1, "i4"),
            "values": zeros(count * stride + 32, "i4"),
            "count": count,
            "stride": stride,
            "spread": spread,
        },
        expected=unchanged,
        path=KERNELS / "probe_writes.cu",
        macros=macros,
        of_set=PROBE,
        title=title,
    )


def unchanged(_: SimpleNamespace) -> dict[str, Array]:
    """What a probe leaves: everything as it was."""
    return {}
