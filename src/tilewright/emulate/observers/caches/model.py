"""The GPU that the cache observer replays a launch on: its SMs, its caches and their times, as data.

What was measured on an H200 by probes is said where it stands; the rest was fitted, once, to the fitting set of
benchmarks/measure/caches/cache_launches, and frozen. docs/silicon.md tells how well it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tilewright.emulate.state import Int64s

SYSTEM_SHARED_BYTES = 1024
"""Shared memory that a block takes beside its own."""
KIB = 1024
CARVE_OUTS_KIB = (8, 16, 32, 64, 100, 132, 164, 196, 228)
LARGE_BLOCK_THREADS = 1024
SMALLEST_CARVE_OUT_KIB = 32


@dataclass(frozen=True)
class CacheModel:
    """Sizes and times of a GPU. Times are in quarter cycles, the unit in which an SM issues an instruction.

    units: SMs that blocks are handed out to in turn, and unit_gpcs: the GPC of each (one GPC is two units).
    """

    clock_mhz: int = 1980
    units: tuple[int, ...] = (8, 8, 16, 16, 16, 16, 16, 18, 18)
    unit_gpcs: tuple[int, ...] = (0, 0, 1, 2, 3, 4, 5, 6, 7)
    first_unit: int = 1  # after unit 0; under Nsight Compute every launch begins there
    l1_kib: int = 256  # with shared memory
    l1_usable: float = 27 / 28  # 216 of 224 KiB hold what is read again and again
    l1_ways: int = 4  # a footprint 25 % larger than L1 keeps nothing
    l2_lines: int = 360_000  # 44 of 50 MB, from where reads begin to miss
    l2_ways: int = 16
    l1_time: int = 4 * 36
    l2_time: int = 4 * 260
    l2_spread: int = 4 * 60
    dram_time: int = 4 * 600
    dram_sector_time: int = 13  # in 1/256 of a quarter cycle: 4.8 TB/s
    dram_overhead_sectors: int = 128  # what the shortest kernels read beyond their data
    merge_most: int = 4  # SMs that share a read
    merge_base: int = 140  # how long a read is open to others,
    merge_time: int = 90  # and for each of its sectors
    merge_dram: int = 2400  # at least so long one that goes to DRAM
    in_step_time: int = 480  # the same where SMs keep step better than the replay's
    port_time: int = 85  # of a sector through a GPC's port, in 1/256 of a quarter cycle
    launch_time: int = 2000
    launch_gap: int = 2  # between two blocks, whatever their SMs
    slice_time: int = 100
    quantum: int = 16
    issue_factor: int = 20  # sixteenths of a quarter cycle of the SM per instruction
    chain_factor: int = 8  # quarter cycles until the same warp's next instruction
    shared_weight: int = 2  # instructions that a shared access counts for
    most_under_way: int = 8  # words of 4 bytes per lane that a warp asks for before it waits
    pipe_queue: int = 48  # requests that wait before the load-store pipe; beyond that, warps do
    miss_noise: int = 24  # up to so much longer a request that misses holds the pipe
    noise: int = 600  # up to so much is added to the way of each answer

    @property
    def sms(self) -> int:
        """How many SMs there are."""
        return sum(self.units)

    def gpc_of_sms(self) -> Int64s:
        """The GPC of each SM."""
        return np.repeat(np.array(self.unit_gpcs, np.int64), self.units)

    def l1_sets(self, carve_out_kib: int) -> int:
        """Sets of L1 when shared memory has a carve-out of so many KiB."""
        return int((self.l1_kib - carve_out_kib) * KIB // 128 * self.l1_usable) // self.l1_ways

    def first_places(self, blocks: int, per_sm: int) -> list[tuple[int, int]]:
        """(SM, place on it) in the order in which the first blocks get them, then those that are left free.

        As seen on an H200: rounds of a block for every SM, unit after unit, the first unit ahead of its turn; what
        is left for less than a round is spread evenly over the units, and in a unit over pairs of SMs.
        """
        rounds = min(per_sm, blocks // self.sms)
        rest = blocks - rounds * self.sms if rounds < per_sm else 0
        filled = [0] * self.sms
        order: list[tuple[int, int]] = []
        for unit in self._rounds(rounds):
            self._fill(range(*self._bounds(unit)), filled, order)
        if rest:
            shares = self._shares(rest)
            for unit in (0, *self._turns()):
                first, _ = self._bounds(unit)
                pairs = self.units[unit] // 2
                for pair in range(pairs):
                    share = shares[unit]
                    many = 1 + (pair < share - pairs) if share >= pairs else int(pair < share)
                    self._fill(range(first + 2 * pair, first + 2 * pair + many), filled, order)
        return order + [(sm, place) for sm in range(self.sms) for place in range(filled[sm], per_sm)]

    def _bounds(self, unit: int) -> tuple[int, int]:
        return list(pairwise([0, *np.cumsum(self.units).tolist()]))[unit]

    def _turns(self) -> list[int]:
        others = len(self.units) - 1
        return [1 + (self.first_unit - 1 + turn) % others for turn in range(others)]

    def _rounds(self, rounds: int) -> list[int]:
        """Units in the order of their turns: unit 0 again after every six others (five at first)."""
        left = [rounds] * len(self.units)
        turns, order = self._turns(), []
        since, wait = 0, 5 if rounds > 1 else len(self.units)

        def take(unit: int) -> None:
            if left[unit]:
                left[unit] -= 1
                order.append(unit)

        take(0)
        while any(left[1:]):
            take(turns[(len(turns) * rounds - sum(left[1:])) % len(turns)])
            since += 1
            if since == wait:
                take(0)
                since, wait = 0, 6
        while left[0]:
            take(0)
        return order

    def _shares(self, blocks: int) -> list[int]:
        """How many of the last blocks each unit gets: the first unit is filled, others in turns, larger ones first."""
        shares = [min(blocks, self.units[0]), *[0] * (len(self.units) - 1)]
        rank = {unit: turn for turn, unit in enumerate([0, *self._turns()])}
        for _ in range(blocks - shares[0]):
            open_units = [unit for unit, size in enumerate(self.units) if shares[unit] < size]
            shares[min(open_units, key=lambda unit: (shares[unit], -self.units[unit], rank[unit]))] += 1
        return shares

    @staticmethod
    def _fill(sms: range, filled: list[int], order: list[tuple[int, int]]) -> None:
        for sm in sms:
            order.append((sm, filled[sm]))
            filled[sm] += 1


H200 = CacheModel()


def carve_out_kib(threads: int, shared_bytes: int, blocks_per_sm: int) -> int:
    """Return how much of L1 the driver gives to shared memory; the rule that most launches measured on an H200 follow.

    shared_bytes: of a block, its own. Room for the resident blocks, twice that for blocks of less than 1,024 threads
    (at most 32 blocks), and then at least 32 KiB.
    """
    is_large = threads >= LARGE_BLOCK_THREADS
    blocks = blocks_per_sm if is_large else min(2 * blocks_per_sm, 32)
    wanted = blocks * (shared_bytes + SYSTEM_SHARED_BYTES)
    least = 0 if is_large else SMALLEST_CARVE_OUT_KIB
    fitting = [kib for kib in CARVE_OUTS_KIB if kib >= least and kib * KIB >= wanted]
    return fitting[0] if fitting else CARVE_OUTS_KIB[-1]
