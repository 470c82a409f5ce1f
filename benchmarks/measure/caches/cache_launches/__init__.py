"""The launches whose cache traffic is modelled and measured: probes, a set to fit the model, and two to test it.

No kernel is in two of these sets, and no constant is chosen by what the test set measures. Launches drawn at random
(drawn.py) come on top, sets to fit to, and one held back.
"""

from benchmarks.measure.caches.cache_launches.case import (
    DRAWN,
    DRAWN_SECOND,
    FIT,
    HELD_BACK,
    KERNELS,
    LATER,
    PROBE,
    TEST,
    CacheCase,
)
from benchmarks.measure.caches.cache_launches.drawn import drawn_cases
from benchmarks.measure.caches.cache_launches.fitting import fitting_others, fitting_products
from benchmarks.measure.caches.cache_launches.later import later_cases
from benchmarks.measure.caches.cache_launches.probes import read_probes, write_probes
from benchmarks.measure.caches.cache_launches.testing import testing_others, testing_products

__all__ = [
    "DRAWN",
    "DRAWN_SECOND",
    "FIT",
    "HELD_BACK",
    "KERNELS",
    "LATER",
    "PROBE",
    "TEST",
    "CacheCase",
    "cache_cases",
    "drawn_cases",
]


def cache_cases() -> tuple[CacheCase, ...]:
    """All launches that were chosen by hand: probes, the set to fit, the sets to test."""
    return (
        *read_probes(),
        *write_probes(),
        *fitting_products(),
        *fitting_others(),
        *testing_products(),
        *testing_others(),
        *later_cases(),
    )
