"""Whether a product of the host's arrays goes to a GPU and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilewright.choose.trip import Rates, judge

RATES = Rates(host_gflops=1000, gpu_gflops=40_000, there_gb_per_s=10, back_gb_per_s=20, fixed_seconds=1e-4)


def judged(m, n, k, rates=RATES):
    """The verdict for a product of float32."""
    return judge(2 * m * n * k, 4 * (m * k + k * n), 4 * m * n, rates)


@pytest.mark.parametrize(
    ("sizes", "goes"),
    [
        ((8192, 8192, 8192), True),
        ((4096, 4096, 4096), True),
        ((1024, 1024, 1024), False),  # 2 ms on the host
        ((64, 64, 2**24), False),  # each byte is used 32 times, 8 GB cross
        ((2**20, 64, 64), False),
    ],
)
def test_what_goes(sizes, goes):
    """What uses each byte often, and takes the host long."""
    assert judged(*sizes).goes == goes


def test_a_fast_host_or_a_slow_way_keeps_them():
    """The same product, by other rates."""
    for change in ({"host_gflops": 40_000}, {"there_gb_per_s": 0.3}, {"gpu_gflops": 1500}, {"fixed_seconds": 1.0}):
        assert not judged(4096, 4096, 4096, replace(RATES, **change)).goes


def test_the_reason_has_both_times_and_what_they_are_made_of():
    """One sentence: 137 GFLOP at 1000 GFLOP/s; 134 MB there and 67 MB back; what it comes to."""
    reason = judged(4096, 4096, 4096).reason

    assert reason.startswith("The arrays go to the GPU and back: here it takes some 0.14 s (137,438,953,472 operations")
    assert "134,217,728 bytes there at 10 GB/s, 67,108,864 back at 20" in reason
    assert "by way of the GPU 0.02 s, of which 0.017 s are the way" in reason
    assert judged(64, 64, 64).reason.startswith("The arrays stay on the host")
