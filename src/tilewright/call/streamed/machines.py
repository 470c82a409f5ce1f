"""Which machine multiplies what streams, the host or GPUs, and the rates that its plan tells times by."""

from __future__ import annotations

from functools import cache
from typing import Any

from tilewright.call import trip_rates
from tilewright.call.arguments import check_precision
from tilewright.call.trip import NO_WAY
from tilewright.choose import PlanError
from tilewright.choose.choice import precision_refusal
from tilewright.choose.sm90.fastest import HOPPER
from tilewright.choose.streamed import Rate, StreamRates
from tilewright.choose.streamed_tiles import usual_rates
from tilewright.choose.trip import LEAST_FLOPS
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.launch import MachineError
from tilewright.launch.cuda.device import cuda_device
from tilewright.launch.cuda.driver import driver_report

from .request import Streamed

IN_MEMORY = Rate(10.0)


def machine_of(asked: Streamed, device: Any, precision: object) -> tuple[str, tuple[int, ...]]:
    """The machine, "host" or "gpu", and the numbers of the GPUs.

    Raises:
        PlanError: there is no such device, or it does not multiply this.
        DeviceUnavailableError: a GPU was asked for, and there is none.
    """
    takes = asked.dtype in DTYPE_BYTES and asked.operation != "dot"
    names = list(device) if isinstance(device, list | tuple) else [device]
    how = precision_of(asked.dtype, check_precision(precision))
    if names == ["auto"]:
        m, n, k = asked.problem("host").sizes
        is_large = takes and 2 * m * n * k >= LEAST_FLOPS and driver_report().problem is None
        names = ["gpu"] if is_large else ["host"]
    if names == ["host"]:
        refused = precision_refusal("The host", how)
        if refused is not None:
            raise PlanError(refused)
        return "host", ()
    ordinals = tuple(_ordinal(name) for name in names)
    if not ordinals or len(set(ordinals)) < len(ordinals):
        raise PlanError(f"device is {device!r}, and different GPUs such as ['cuda:0', 'cuda:1'] are accepted.")
    if not takes:
        raise PlanError(f"{asked.operation} of {asked.dtype} streams on the host alone; leave device out.")
    return "gpu", ordinals


def _ordinal(name: object) -> int:
    if name in ("gpu", "cuda"):
        return 0
    if isinstance(name, str) and name.startswith("cuda:") and name[5:].isdecimal():
        return int(name[5:])
    raise PlanError(
        f"device is {name!r}, and a product that streams takes 'auto', 'host', 'gpu', 'cuda:0' or a list of GPUs."
    )


def rates_of(asked: Streamed, machine: str) -> StreamRates:
    """The rates that a plan tells times by; those of files are assumed.

    The product's and the link's are measured once per process, but on a Hopper GPU: there the probe, which is small
    and crosses by two buffers, says 50 times too little, and what large products reach is assumed.
    """
    if machine == "gpu" and _is_hopper():
        return usual_rates(asked.problem(machine))
    read = IN_MEMORY if asked.a.path is None and asked.b.path is None else StreamRates.read
    write = IN_MEMORY if asked.out.path is None else StreamRates.write
    if machine == "gpu":
        measured = trip_rates.measured_rates("float16" if asked.dtype == "bfloat16" else asked.dtype)
        if measured is not None:
            return StreamRates(
                read,
                write,
                Rate(measured.gpu_gflops, "measured"),
                Rate(1000.0),
                Rate(min(measured.there_gb_per_s, measured.back_gb_per_s), "measured"),
            )
        return StreamRates(read, write, Rate(10_000.0), Rate(1000.0), Rate(20.0))
    return StreamRates(read, write, host_rate(asked.dtype))


def _is_hopper() -> bool:
    try:
        return cuda_device(0).facts.compute_capability == HOPPER
    except (MachineError, *NO_WAY):
        return False


@cache
def host_rate(dtype: str) -> Rate:
    """NumPy's rate: measured for floats, assumed for others, which have no BLAS."""
    return Rate(trip_rates.host_gflops(dtype), "measured") if dtype in DTYPE_BYTES else Rate(0.5)
