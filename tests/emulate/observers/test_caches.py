"""The cache observer: traffic that can be told by hand, the H200's order of blocks, and limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import record
from tests.emulate.observers.watched import watch
from tilewright.emulate.observers.caches.model import H200, carve_out_kib
from tilewright.emulate.observers.caches.observer import CacheLogFullError, CacheObserver

OVERHEAD = H200.dram_overhead_sectors
COPY = r"""
extern "C" __global__ void kernel(const int *from, int *to, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i * stride];
}
"""
AGAIN = r"""
extern "C" __global__ void kernel(const int *from, int *to, int lines, int passes) {
    int sum = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (int line = 0; line < lines; ++line) sum += from[line * 32 + threadIdx.x];
    to[blockIdx.x * 32 + threadIdx.x] = sum;
}
"""
BARRIERS = r"""
extern "C" __global__ void kernel(const int *from, int *to) {
    if (threadIdx.x >= 64) return;
    int i = blockIdx.x * 64 + threadIdx.x;
    int sum = from[i];
    __syncthreads();
    if (threadIdx.x < 32) sum += from[i + 1];
    __syncthreads();
    atomicAdd(&to[i], sum);
}
"""


def traffic(source, arguments, blocks_per_sm=8, carve_out=None, **launch):
    """Launch with a cache observer; what it says."""
    observer = CacheObserver(blocks_per_sm, carve_out)
    watch(source, arguments, [observer], **launch)
    return observer.traffic


def copy(stride, threads=4096):
    """Copy every stride-th element."""
    arrays = {"from": np.zeros(threads * stride, np.int32), "to": np.zeros(threads, np.int32)}
    return traffic(COPY, {**arrays, "stride": np.int32(stride)}, grid=threads // 128, block=128)


def again(lines, passes, blocks=1, carve_out=8):
    """Read the same lines several times."""
    arrays = {"from": np.zeros(lines * 32, np.int32), "to": np.zeros(32 * blocks, np.int32)}
    sizes = {"lines": np.int32(lines), "passes": np.int32(passes)}
    return traffic(AGAIN, {**arrays, **sizes}, carve_out=carve_out, grid=blocks)


@pytest.mark.slow
def test_a_copy_reads_and_writes_each_sector_once():
    """4,096 elements of 4 bytes are 512 sectors."""
    read = copy(1)
    assert (read.l1_hits, read.l1_misses, read.l2_reads, read.l2_writes) == (0, 512, 512, 512)
    assert (read.dram_reads, read.dram_writes) == (512 + OVERHEAD, 0)


@pytest.mark.parametrize(("stride", "factor"), [(2, 2), (8, 8), (16, 16), (64, 16)])
def test_dram_is_read_64_bytes_at_a_time(stride, factor):
    """Elements 32 bytes apart read all; further apart, two sectors for each."""
    assert copy(stride).dram_reads == 512 * factor + OVERHEAD


def test_l1_keeps_what_fits_and_nothing_of_a_footprint_a_quarter_larger():
    """With 228 KiB for shared memory, 28 of the 256 are left, 27 of them used: four ways, least recently used."""
    lines = H200.l1_sets(228) * H200.l1_ways
    assert again(lines, 3, carve_out=228).l1_hits == 2 * 4 * lines
    assert again(lines * 5 // 4 + 8, 3, carve_out=228).l1_hits < 4 * lines // 10


def test_sms_of_a_gpc_share_reads():
    """Every SM misses; at most four of one GPC share a read of L2, so 34 reads serve 132 SMs, and DRAM is read once."""
    read = again(16, 1, blocks=H200.sms)
    assert read.l1_misses == 132 * 64
    assert 34 * 64 <= read.l2_reads == read.l1_misses - read.merged < 45 * 64
    assert read.dram_reads == 64 + OVERHEAD


def test_barriers_ended_warps_and_atomics():
    """The replay ends; atomics are fetched by L2 and are no reads of L1's."""
    arrays = {"from": np.zeros(64 * 300 + 1, np.int32), "to": np.zeros(64 * 300, np.int32)}
    read = traffic(BARRIERS, arrays, grid=300, block=128)
    assert read.l1_hits + read.l1_misses == 300 * (8 + 5)
    assert read.dram_reads >= 2 * 300 * 8 + OVERHEAD


@pytest.mark.parametrize(("words", "reads_that_wait"), [(1, 400), (2, 200), (4, 100), (100, 100)])
def test_a_warp_waits_once_per_basic_block_or_when_enough_is_under_way(words, reads_that_wait):
    """The loop is unrolled by four: a trip's four loads go out together, however many more may be under way."""
    model = replace(H200, most_under_way=words, noise=1, miss_noise=1)
    arrays = {"from": np.zeros(400 * 32, np.int32), "to": np.zeros(32, np.int32)}
    observer = CacheObserver(8, 8, model)
    watch(AGAIN, {**arrays, "lines": np.int32(400), "passes": np.int32(1)}, [observer])
    assert observer.traffic is not None
    cycles = observer.traffic.microseconds * model.clock_mhz
    assert 1 <= cycles / reads_that_wait / (model.dram_time / 4) < 1.4


def test_the_same_launch_gives_the_same_traffic():
    """Nothing depends on the host."""
    assert copy(4) == copy(4)


def test_a_fault_leaves_no_traffic():
    """The launch did not end, so nothing is said."""
    observer = CacheObserver(8)
    arrays = {"from": np.zeros(64, np.int32), "to": np.zeros(4096, np.int32), "stride": np.int32(1)}
    watch(COPY, arrays, [observer], grid=32, block=128, may_fault=True)
    assert observer.traffic is None


def test_limits_are_named():
    """More warps than an SM has, and a log that is too small."""
    with pytest.raises(ValueError, match=r"1 to 16 blocks of 128 threads, not 17"):
        traffic(COPY, {"from": np.zeros(128, np.int32), "to": np.zeros(128, np.int32), "stride": 1}, 17, block=128)
    observer = CacheObserver(8, log_bytes=4096)
    arrays = {"from": np.zeros(32 * 2000, np.int32), "to": np.zeros(64, np.int32)}
    with pytest.raises(CacheLogFullError, match="4,096 bytes"):
        watch(AGAIN, {**arrays, "lines": np.int32(2000), "passes": np.int32(1)}, [observer], grid=2)


@pytest.mark.parametrize(("case", "per_sm"), [("reduced_matmul_tiled 1024", 8), ("sgemm_register_tile 1024", 5)])
def test_blocks_go_where_the_h200_put_them(case, per_sm):
    """The first blocks are spread over SMs exactly as seen there, but for the unit of SMs that comes first."""
    rows = record.read(record.RESULTS / "block_places_h200.json")["rows"]
    places = np.array(next(row["places"] for row in rows if row["case"].startswith(case)))
    on_gpu = places[:, 0]
    for first_unit in range(1, len(H200.units)):
        model = type(H200)(first_unit=first_unit)
        planned = np.array([sm for sm, _ in model.first_places(len(on_gpu), per_sm)[: len(on_gpu)]])
        # Names of SMs are a matter of counting: the same blocks must be together.
        pairs = set(zip(planned.tolist(), on_gpu.tolist(), strict=True))
        if len(pairs) == 132:
            return
    pytest.fail("no first unit gives the order of the H200")


def test_carve_out_is_the_drivers():
    """The rule gives what the H200's driver chose, but for softmax, whose 36 KiB it gave 32."""
    rows = record.read(record.RESULTS / "cache_counters_h200.json")["rows"]
    wrong = set()
    for row in rows:
        counts = row["counts"]
        limits = [counts[f"limit_{name}"] for name in ("blocks", "registers", "warps")]
        threads = row["block"][0] * row["block"][1]
        chosen = carve_out_kib(threads, counts["shared_bytes_per_block"] - 1024, min(limits))
        if chosen * 1024 != counts["shared_bytes_config"]:
            wrong.add(row["case"])
    assert {case for case in wrong if not case.startswith("probe")} == {"softmax 512x3000"}
