"""Say how wide the interval of modelled L2 reads must be to hold for nine in ten of the drawn launches fitted to.

    python -m benchmarks.measure.caches.fit_read_interval

Prints caches_interval.LEAST: the smallest one for which so many of the drawn launches lie inside as split-conformal
prediction asks for. The set that is held back is not read.
"""

from __future__ import annotations

from math import ceil

from benchmarks.measure.caches.cache_launches import DRAWN
from benchmarks.tables.write_silicon import launches, mean
from tilewright.emulate.observers.caches.interval import COVERAGE, l2_reads

FINEST = 1000


def main() -> None:
    """Try widths, from narrow to wide."""
    pairs = [(row["counts"], mean(there, "l2_reads")) for row, there in launches(DRAWN)]
    asked = ceil((len(pairs) + 1) * COVERAGE)
    for step in range(FINEST):
        inside = 0
        for here, measured in pairs:
            misses, merged = here["l1_load_misses"], here["l2_merged"]
            interval = l2_reads(misses, merged, here["l2_in_step"], least=step / FINEST)
            inside += interval.low <= measured <= interval.high
        if inside >= asked:
            print(f"least {step / FINEST}: {inside} of {len(pairs)} inside")
            return


if __name__ == "__main__":
    main()
