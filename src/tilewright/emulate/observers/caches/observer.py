"""Caches: what a launch would read from L1, L2 and DRAM on a GPU. Modelled, where other observers count.

The replay counts the reads that SMs share, and those that they would share if they kept step better and requests for
different sectors did not block each other. If the two are close, the interval is narrow, else it is wide. Its constants
were fitted to drawn launches (python -m benchmarks.measure.caches.fit_read_interval); docs/silicon.md tells how often
it held on the set held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker, aligned_bytes
from tilewright.emulate.observers.banks.rule import basic_block_of_rows
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.observers.caches.log import LINE_BYTES_SHIFT, log_event
from tilewright.emulate.observers.caches.model import H200, CacheModel, carve_out_kib
from tilewright.emulate.observers.caches.replay import replay
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s

IN_STEP = 0.08
"""Real SMs keep step a little better than the replay's: this part of the way, in logarithms, to the reads in step."""
APART = 0.15
"""The interval is narrow if the reads differ by at most this, in logarithms, from those in step."""
SURE_COVERAGE, UNSURE_COVERAGE = 0.89, 0.97
"""The share of the fitting set that lies inside, narrow and wide: together more than nine in ten, as a margin."""
SURE, UNSURE = 0.14, 0.383
"""Half-widths, in logarithms, that give this coverage."""
MOST_SHARED = 4
"""At most so many SMs share a read, so reads are between a fourth of the misses and all of them."""
MISSES_ERROR = 0.02
"""The error of the modelled misses in most launches."""
LOGGED = (op.LOAD_GLOBAL, op.STORE_GLOBAL, op.LOAD_GENERIC, op.STORE_GENERIC, op.ATOMIC, op.BARRIER)
SHARED_ACCESSES = (op.LOAD_SHARED, op.STORE_SHARED)
FREE = (op.JOIN, op.NOTHING)
CHUNK_BYTES = 8 * w.CHUNK_WORDS
FIRST_RANDOM = 88172645463325252
LONG_AGO = -(1 << 40)


@dataclass(frozen=True)
class ReadInterval:
    """Reads of L2, in sectors: the likeliest, and between which the true count should lie nine times in ten."""

    expected: int
    low: int
    high: int


def l2_reads(misses: int, merged: int, in_step: int, sure: float = SURE, unsure: float = UNSURE) -> ReadInterval:
    """Return the reads of so many misses of L1, when so many are shared (CacheTraffic)."""
    reads = misses - merged
    if not reads:
        return ReadInterval(0, 0, 0)
    apart = reads_apart(misses, merged, in_step)
    expected = reads * exp(-IN_STEP * apart)
    width = unsure if apart > APART else sure
    low = max(expected * exp(-width), misses / MOST_SHARED * (1 - MISSES_ERROR))
    high = min(expected * exp(width), misses * (1 + MISSES_ERROR))
    return ReadInterval(round(expected), min(round(low), round(expected)), max(round(high), round(expected)))


def reads_apart(misses: int, merged: int, in_step: int) -> float:
    """Return how many times fewer reads there would be if SMs kept step, in logarithms."""
    reads = misses - merged
    return log(reads / max(min(misses - in_step, reads), 1)) if reads else 0.0


class CacheLogFullError(MemoryError):
    """The log of the blocks that are resident together does not fit its memory."""


@dataclass(frozen=True)
class CacheTraffic:
    """Sectors of 32 bytes, of global memory, as modelled.

    l1_hits, l1_misses: of loads. merged: misses that shared another SM's read of L2; in_step: as many would if SMs kept
    step better. l2_reads: the likeliest; the true count should lie between l2_reads_low and l2_reads_high nine times in
    ten (docs/silicon.md: how often it did). l2_writes: of stores. dram_reads: with what the device reads for itself.
    microseconds: the replay's own clock, to see whether it is near.
    """

    l1_hits: int
    l1_misses: int
    merged: int
    in_step: int
    l2_reads: int
    l2_reads_low: int
    l2_reads_high: int
    l2_writes: int
    dram_reads: int
    dram_writes: int
    microseconds: float

    @property
    def metrics(self) -> dict[str, int]:
        """The same under Nsight Compute's names."""
        return {
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": self.l1_hits,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": self.l1_misses,
            "lts__t_sectors_srcunit_tex_op_read.sum": self.l2_reads,
            "lts__t_sectors_srcunit_tex_op_write.sum": self.l2_writes,
            "dram__sectors_read.sum": self.dram_reads,
            "dram__sectors_write.sum": self.dram_writes,
        }


class CacheObserver(Observer):
    """Replays what a launch asks of global memory on the SMs and caches of a GPU.

    blocks_per_sm: how many blocks an SM holds (tilewright.choose.occupancy). carve_out: KiB of L1 that are shared
    memory; None: as the driver chooses. model: the GPU. log_bytes: most memory for the log. traffic: what came out.
    Caches are cold at the start. Not modelled: local and constant memory, textures, cache hints.
    """

    unit = log_event
    events = ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC, ev.BARRIER, ev.BLOCK_START, ev.BLOCK_END)
    spaces = ev.mask(GLOBAL)

    def __init__(
        self,
        blocks_per_sm: int,
        carve_out: int | None = None,
        model: CacheModel = H200,
        log_bytes: int = 3 << 30,
    ) -> None:
        super().__init__()
        self.blocks_per_sm, self.carve_out, self.model, self.log_bytes = blocks_per_sm, carve_out, model, log_bytes
        self.traffic: CacheTraffic | None = None

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Lay out the log, the SMs and the caches.

        Raises ValueError: so many blocks do not fit an SM's 64 warps.
        """
        if not 0 < self.blocks_per_sm * launch.warps <= w.MAX_WARPS:
            raise ValueError(
                f"An SM holds 1 to {w.MAX_WARPS // launch.warps} blocks of {launch.threads} threads, "
                f"not {self.blocks_per_sm}."
            )
        self._kept: list[Any] = []
        self.traffic = None
        self._own, self._log = np.zeros(w.REPLAY_WORDS, np.int64), np.zeros(w.LOG_WORDS, np.int64)
        self._lay_out_log(launch)
        self._lay_out_sms(launch)
        shared = launch.shared_bytes
        chosen = self.carve_out
        if chosen is None:
            chosen = carve_out_kib(launch.threads, shared, self.blocks_per_sm)
        self._lay_out_caches(self.model.l1_sets(chosen))
        self._log[w.LOG_REPLAY], self._log[w.LOG_REPLAY_OWN] = replay.address, self._own.ctypes.data
        return int(self._log.ctypes.data)

    def end(self) -> None:
        """Replay what is left, and read the counts; none when the launch stopped at a fault.

        Raises CacheLogFullError: the log was too small.
        """
        own, log = self._own, self._log
        if log[w.LOG_FULL]:
            self._kept = []
            raise CacheLogFullError(
                f"The requests of {self.model.sms * self.blocks_per_sm} resident blocks take more than "
                f"{self.log_bytes:,} bytes: allow more, or launch a smaller problem."
            )
        if replay.call(own.ctypes.data, log.ctypes.data):
            counts = {name: int(own[getattr(w, f"COUNT_{name.upper()}")]) for name in COUNTED}
            counts["dram_reads"] += self.model.dram_overhead_sectors
            reads = l2_reads(*(counts[name] for name in ("l1_misses", "merged", "in_step")))
            counts |= {"l2_reads": reads.expected, "l2_reads_low": reads.low, "l2_reads_high": reads.high}
            self.traffic = CacheTraffic(**counts, microseconds=int(own[w.TIME]) / 4 / self.model.clock_mhz)
        self._kept = []

    def _table(self, size: int, kind: Any = np.int64, fill: int = 0) -> Any:
        """An array that lives as long as the launch."""
        array = np.full(size, fill, kind) if fill else np.zeros(size, kind)
        self._kept.append(array)
        return array

    def _aligned_table(self, words: int) -> Int64s:
        """The same, of zeros, where a line of the processor's cache begins."""
        array = aligned_bytes(8 * words).view(np.int64)
        self._kept.append(array)
        return array

    def _lay_out_log(self, launch: Launch) -> None:
        log, rows = self._log, launch.module.rows
        opcodes = rows[:, row.OPCODE]
        sites = self._table(len(rows), np.int32)
        chosen = np.isin(opcodes, LOGGED)
        sites[chosen] = np.arange(1, chosen.sum() + 1)
        count = int(chosen.sum()) + 1
        basic_blocks = self._table(count, np.int32)
        basic_blocks[1:] = 1 + basic_block_of_rows(rows)[chosen]
        weights = self._table(len(rows), np.int32)
        weights[:] = 1
        weights[np.isin(opcodes, SHARED_ACCESSES)] = self.model.shared_weight
        weights[np.isin(opcodes, FREE)] = 0
        straight = self._table(len(rows), np.int32)
        before = np.cumsum(weights) - weights
        straight[:] = np.maximum(before - before[launch.function.entry], 0)
        places = self.model.sms * self.blocks_per_sm + 2 * launch.resident + 1
        memory = np.empty(self.log_bytes // 8 + 2 * w.CHUNK_WORDS, np.int64)
        self._kept.append(memory)
        first = -(-memory.ctypes.data // CHUNK_BYTES) * CHUNK_BYTES
        lowest = min((allocation.address for allocation in launch.allocations), default=0)
        log[w.LOG_NEXT], log[w.LOG_LIMIT] = first, first + self.log_bytes // CHUNK_BYTES * CHUNK_BYTES
        log[w.LOG_WARPS] = self._table(launch.resident * launch.warps * w.LOGGED_COLUMNS).ctypes.data
        log[w.LOG_HEADS] = self._table(places * launch.warps).ctypes.data
        log[w.LOG_PLACES], log[w.LOG_READY] = places, self._table(places).ctypes.data
        log[w.LOG_SITES], log[w.LOG_SITE_COUNT] = sites.ctypes.data, count
        log[w.LOG_BASIC_BLOCKS] = basic_blocks.ctypes.data
        log[w.LOG_GAPS] = self._table(count * count, np.int32, -1).ctypes.data
        log[w.LOG_WEIGHTS], log[w.LOG_STRAIGHT] = weights.ctypes.data, straight.ctypes.data
        log[w.LOG_WANTED] = self._table(count, np.int32).ctypes.data
        log[w.LOG_LAST_WARP] = log[w.LOG_LAST_SUM] = -1
        log[w.LOG_FIRST_LINE], log[w.LOG_ROWS] = lowest >> LINE_BYTES_SHIFT, len(rows)

    def _lay_out_sms(self, launch: Launch) -> None:
        own, model, per_sm = self._own, self.model, self.blocks_per_sm
        sms = self._table(model.sms * w.SM_COLUMNS).reshape(model.sms, -1)
        sms[:, w.SM_GPC] = model.gpc_of_sms()
        sms[:, w.SM_SOONEST] = w.NEVER
        slots = self._table(model.sms * per_sm * w.SLOT_COLUMNS).reshape(-1, w.SLOT_COLUMNS)
        for turn, (sm, place) in enumerate(model.first_places(launch.blocks, per_sm)):
            slots[sm * per_sm + place, w.SLOT_FREE_AT] = LONG_AGO + turn
        warps = self._aligned_table(model.sms * w.MAX_WARPS * w.WARP_COLUMNS)
        own[w.BLOCKS], own[w.SMS], own[w.SLOTS], own[w.WARPS] = launch.blocks, model.sms, per_sm, launch.warps
        own[w.FREE_SLOTS] = model.sms * per_sm
        own[w.SM_TABLE], own[w.SLOT_TABLE], own[w.WARP_TABLE] = (a.ctypes.data for a in (sms, slots, warps))
        ready = self._aligned_table(model.sms * w.MAX_WARPS)
        ready[:] = w.NEVER
        own[w.READY_TABLE] = ready.ctypes.data
        own[w.LAUNCH_TIME], own[w.SLICE], own[w.QUANTUM] = model.launch_time, model.slice_time, model.quantum
        own[w.CHAIN_FACTOR], own[w.ISSUE_FACTOR] = model.chain_factor, model.issue_factor
        own[w.MOST_UNDER_WAY], own[w.PIPE_QUEUE] = model.most_under_way, model.pipe_queue
        own[w.LAUNCH_GAP] = model.launch_gap
        own[w.QUEUE_TABLE] = self._table(model.sms * model.pipe_queue).ctypes.data
        own[w.MISS_NOISE], own[w.NOISE], own[w.RANDOM] = model.miss_noise, model.noise, FIRST_RANDOM

    def _lay_out_caches(self, l1_sets: int) -> None:
        own, model = self._own, self.model
        lines, l2_sets = model.sms * l1_sets * model.l1_ways, model.l2_lines // model.l2_ways
        l2_lines, gpcs = l2_sets * model.l2_ways, max(model.unit_gpcs) + 1
        entries = gpcs * w.MERGE_ENTRIES * w.MERGE_COLUMNS
        merges, in_step = (self._table(entries, np.int64, LONG_AGO) for _ in range(2))
        own[w.L1_WAYS], own[w.L1_SETS], own[w.L1_TIME] = model.l1_ways, l1_sets, model.l1_time
        own[w.L1_RECIPROCAL] = -(-(1 << w.RECIPROCAL_SHIFT) // l1_sets)
        own[w.L1_LINES] = self._aligned_table(lines * w.HELD_COLUMNS).ctypes.data
        own[w.MERGE_TABLE], own[w.MERGE_TIME], own[w.MERGE_MOST] = (
            merges.ctypes.data,
            model.merge_time,
            model.merge_most,
        )
        own[w.MERGE_BASE], own[w.MERGE_DRAM] = model.merge_base, model.merge_dram
        own[w.IN_STEP_TABLE] = in_step.ctypes.data
        own[w.IN_STEP_TIME] = model.in_step_time
        own[w.PORTS], own[w.PORT_TIME] = self._table(gpcs).ctypes.data, model.port_time
        own[w.L2_WAYS], own[w.L2_SETS] = model.l2_ways, l2_sets
        own[w.L2_TIME], own[w.L2_SPREAD] = model.l2_time, model.l2_spread
        own[w.L2_LINES] = self._aligned_table(l2_lines * w.HELD_COLUMNS).ctypes.data
        own[w.DRAM_TIME], own[w.DRAM_SECTOR_TIME] = model.dram_time, model.dram_sector_time


COUNTED = ("l1_hits", "l1_misses", "merged", "in_step", "l2_writes", "dram_reads", "dram_writes")
