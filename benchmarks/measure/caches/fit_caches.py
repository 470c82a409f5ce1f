"""Replay the drawn launches with several models of the caches, from one log each: what constants are chosen by.

    python -m benchmarks.measure.caches.fit_caches MODELS.json OUT.json [PROCESSES] [SET]

MODELS.json: a list of objects, each with fields of CacheModel that differ from H200's. Only launches of the set
fitted to are run, unless another is named.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

from benchmarks.measure.caches.cache_launches import DRAWN, drawn_cases
from benchmarks.measure.caches.compare_caches import observed
from tilewright.emulate.compiled import Unit
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.caches import words as w
from tilewright.emulate.observers.caches.model import H200, carve_out_kib
from tilewright.emulate.observers.caches.observer import COUNTED, CacheObserver
from tilewright.emulate.observers.caches.replay import replay

LOG_BYTES = 3 << 29


@Unit
def postpone(own: int, log: int) -> int:
    """Replay nothing yet."""
    return own & log & 0


class KeptLog(CacheObserver):
    """Keeps the whole log, and replays it as often as asked."""

    def begin(self, launch: Launch, worker: Worker) -> int:
        """As the cache observer, with room for all blocks."""
        self._launch = launch
        address = super().begin(launch, worker)
        places = launch.blocks + 1
        self._log[w.LOG_HEADS] = self._table(places * launch.warps).ctypes.data
        self._log[w.LOG_PLACES], self._log[w.LOG_READY] = places, self._table(places).ctypes.data
        self._log[w.LOG_REPLAY] = postpone.address
        self._first = int(self._log[w.LOG_NEXT])
        return address

    def end(self) -> None:
        """Keep what was logged."""
        assert not self._log[w.LOG_FULL], "the log is full"
        memory = next(array for array in self._kept if array.nbytes > LOG_BYTES)
        start = (self._first - memory.ctypes.data) // 8
        self._words = memory[start : start + (int(self._log[w.LOG_NEXT]) - self._first) // 8]
        self._saved = self._words.copy()
        self._log[w.LOG_REPLAY] = replay.address

    def replayed(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The counts with a model."""
        self.model = replace(H200, **changes)
        self._words[:] = self._saved
        self._log[w.LOG_FREE] = 0
        kept = len(self._kept)
        self._own[:] = 0
        self._lay_out_sms(self._launch)
        chosen = carve_out_kib(self._launch.threads, self._launch.shared_bytes, self.blocks_per_sm)
        self._lay_out_caches(self.model.l1_sets(chosen))
        started = time.process_time()
        assert replay.call(self._own.ctypes.data, self._log.ctypes.data)
        counts: dict[str, Any] = {name: int(self._own[getattr(w, f"COUNT_{name.upper()}")]) for name in COUNTED}
        counts["cycles"] = int(self._own[w.TIME]) // 4
        counts["seconds"] = round(time.process_time() - started, 2)
        del self._kept[kept:]
        return counts


def fitted(number: int, models: list[dict[str, Any]]) -> dict[str, Any]:
    """What each model says of a launch."""
    case = drawn_cases()[number]
    observer, result = observed(case, lambda blocks: KeptLog(blocks, log_bytes=LOG_BYTES))
    assert isinstance(observer, KeptLog)
    counts = result.counts
    return {
        "number": number,
        "case": case.label,
        "set": case.of_set,
        "grid": case.grid,
        "block": case.block,
        "blocks_per_sm": observer.blocks_per_sm,
        "requests": counts.global_load_requests,
        "sectors": counts.global_load_sectors,
        "modelled": [observer.replayed(model) for model in models],
    }


def main() -> None:
    """Replay all, and write a row per launch."""
    models = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    processes = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    of_set = sys.argv[4] if len(sys.argv) > 4 else DRAWN
    numbers = [number for number, case in enumerate(drawn_cases()) if case.of_set == of_set]
    fitted(numbers[0], models[:1])  # compiled once, before the processes part
    with ProcessPoolExecutor(processes) as pool:
        rows = list(pool.map(fitted, numbers, repeat(models)))
    Path(sys.argv[2]).write_text(json.dumps({"models": models, "rows": rows}), encoding="utf-8")


if __name__ == "__main__":
    main()
