"""The launches whose cache traffic is modelled and measured: probes, a set to fit the model, and two to test it.

No kernel is in two sets. No constant is chosen by what the test set measures.
"""

from benchmarks.cache_launches.case import FIT, KERNELS, LATER, PROBE, TEST, CacheCase
from benchmarks.cache_launches.fitting import fitting_others, fitting_products
from benchmarks.cache_launches.later import later_cases
from benchmarks.cache_launches.probes import read_probes, write_probes
from benchmarks.cache_launches.testing import testing_others, testing_products

__all__ = ["FIT", "KERNELS", "LATER", "PROBE", "TEST", "CacheCase", "cache_cases"]


def cache_cases() -> tuple[CacheCase, ...]:
    """All launches: probes, the set to fit, the sets to test."""
    return (
        *read_probes(),
        *write_probes(),
        *fitting_products(),
        *fitting_others(),
        *testing_products(),
        *testing_others(),
        *later_cases(),
    )
