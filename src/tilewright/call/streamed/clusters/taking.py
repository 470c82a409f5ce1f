"""Takes over calls with Dask's arrays, whose products are Dask arrays."""

from __future__ import annotations

from typing import Any

from tilewright.call.door import Call
from tilewright.choose import PlanError

OPERATIONS = ("matmul", "reduced_matmul", "dot", "explain")


def take(call: Call) -> Any:
    """The product of Dask's arrays, which nothing has computed yet; NotImplemented for others.

    Raises:
        PlanError: it would have to be computed, and there is no engine.
        ShapeError, DtypeError: the arrays do not fit.
    """
    from .dask_arrays import is_dask, lazy_product

    if not (is_dask(call.a) or is_dask(call.b) or is_dask(call.out)) or call.operation not in OPERATIONS:
        return NotImplemented
    if call.operation == "explain":
        raise PlanError("The plan of a product of Dask arrays is that of an engine; give engine= and out=.")
    if call.out is not None:
        raise PlanError("A product of Dask arrays is a Dask array, or goes to a stored out by an engine; give engine=.")
    return lazy_product(call.operation, call.a, call.b, {**call.options, "c": call.c, "bias": call.bias})
