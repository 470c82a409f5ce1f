"""docs/silicon.md says what the raw results say."""

from __future__ import annotations

from benchmarks import record
from benchmarks.measure.caches.cache_launches import (
    DRAWN,
    DRAWN_SECOND,
    FIT,
    HELD_BACK,
    LATER,
    PROBE,
    TEST,
    cache_cases,
    drawn_cases,
)
from benchmarks.measure.caches.fit_read_interval import measured_launches, widths_of
from benchmarks.tables.write_silicon import DOCUMENT, EQUAL, errors, launches, with_tables
from tilewright.emulate.observers.caches.observer import SURE, UNSURE

TEXT = DOCUMENT.read_text(encoding="utf-8")
EXECUTED_OTHERWISE = {
    "spmv_csr 60000 rows",
    "drawn_warp_elements 148: 152x85x232 double by 256x1",
    "drawn_warp_elements 502: 1060x96x766 pad 32 float by 64x1 b_transposed",
}
"""Launches that the GPU's compiler gives other loads: it unrolls a loop whose trips differ between lanes."""


def test_tables_are_up_to_date():
    """`python -m benchmarks.tables.write_silicon` would change nothing."""
    assert with_tables(TEXT) == TEXT


def test_every_launch_is_there():
    """Modelled, all but the second test set measured, and no kernel in two sets; what is drawn is what was measured."""
    modelled = [row["case"] for row in record.read(record.RESULTS / "cache_model.json")["rows"]]
    assert modelled == [case.label for case in (*cache_cases(), *drawn_cases())]
    for of_set in (DRAWN, DRAWN_SECOND, HELD_BACK):
        drawn = [(case.label, case.repeats) for case in drawn_cases() if case.of_set == of_set]
        measured_so_far = [(row["case"], len(counts)) for row, counts in launches(of_set)]
        assert measured_so_far == drawn or (of_set == HELD_BACK and not measured_so_far)
    measured = [row["case"] for row, _ in launches() if row["set"] in (PROBE, FIT, TEST)]
    assert measured == [case.label for case in cache_cases() if case.of_set != LATER]
    kernels = {name: {case.name for case in cache_cases() if case.of_set == name} for name in (FIT, TEST, LATER)}
    assert not kernels[FIT] & kernels[TEST]
    assert not kernels[LATER] & (kernels[FIT] | kernels[TEST])


def test_requests_and_sectors_equal_the_hardware():
    """Counts that are no model's."""
    differing = {
        row["case"]
        for row, measured in launches()
        for name in EQUAL
        if {counts[name] for counts in measured} != {row["counts"][name]}
    }
    assert differing == EXECUTED_OTHERWISE


def test_dram_reads_are_as_near_as_was_asked():
    """Median within 15 %, worst within 30 %, on kernels that nothing was fitted to."""
    found = sorted(abs(error) for error in errors(TEST, "dram_reads").values())
    assert (found[len(found) // 2] < 0.15, found[-1] < 0.30) == (True, True)


def test_the_interval_is_as_wide_as_the_launches_fitted_to_ask_for():
    """`python -m benchmarks.measure.caches.fit_read_interval` says nothing else; what is held back it does not read."""
    assert widths_of(measured_launches()) == (SURE, UNSURE)
