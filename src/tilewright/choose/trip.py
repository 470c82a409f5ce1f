"""Whether host arrays are multiplied on a GPU: the time of the copies and the product against the time on the host.

Seed 001's structure of a program (copy in, launch, copy out) pays if each copied byte is used often enough.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_FLOPS = 2**31
"""Smaller products take any host a few hundredths of a second: they stay there, and no GPU is looked for."""

LEAST_HOST_SECONDS = 0.02
"""Products that take the host less time stay there: opening and measuring a GPU takes longer than many of them."""

LEAST_GAIN = 2
"""The speedup that the GPU must promise, because rates measured once are not exact."""


@dataclass(frozen=True)
class Rates:
    """Rates measured on this machine for one type. ``fixed_seconds``: the smallest product, copies included."""

    host_gflops: float
    gpu_gflops: float
    there_gb_per_s: float
    back_gb_per_s: float
    fixed_seconds: float


@dataclass(frozen=True)
class Verdict:
    """Whether the arrays go to the GPU, and why, in a sentence."""

    goes: bool
    reason: str


def judge(flops: int, bytes_there: int, bytes_back: int, rates: Rates) -> Verdict:
    """Compare host and GPU for a product of ``flops`` operations with ``bytes_there`` in and ``bytes_back`` out."""
    host_seconds = flops / rates.host_gflops * 1e-9
    way_seconds = bytes_there / rates.there_gb_per_s * 1e-9 + bytes_back / rates.back_gb_per_s * 1e-9
    gpu_seconds = rates.fixed_seconds + way_seconds + flops / rates.gpu_gflops * 1e-9
    goes = host_seconds >= LEAST_HOST_SECONDS and host_seconds >= LEAST_GAIN * gpu_seconds
    reason = (
        f"{'The arrays go to the GPU and back' if goes else 'The arrays stay on the host'}: here it takes some "
        f"{host_seconds:.2g} s ({flops:,} operations at {rates.host_gflops:,.0f} GFLOP/s), by way of the GPU "
        f"{gpu_seconds:.2g} s, of which {way_seconds:.2g} s are the way ({bytes_there:,} bytes there at "
        f"{rates.there_gb_per_s:.3g} GB/s, {bytes_back:,} back at {rates.back_gb_per_s:.3g}); rates measured here, and "
        f"{LEAST_GAIN} times as fast is asked for."
    )
    return Verdict(goes, reason)
