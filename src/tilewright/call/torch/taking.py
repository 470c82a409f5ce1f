"""Takes over calls that torch compiles, whose gradients it records, or that a tensor subclass overrides."""

from __future__ import annotations

from typing import Any

from tilewright.arrays.places import place_of
from tilewright.arrays.torch_modes import (
    are_distributed,
    by_override,
    is_overridden,
    is_traced,
    is_watched,
    needs_operator,
)
from tilewright.call.door import Call

OPERATORS = ("matmul", "reduced_matmul", "dot")
"""The operations that are torch operators; the others are built from these."""


def take(call: Call) -> Any:
    """The result by torch's operator or by an override; NotImplemented if neither applies.

    Raises:
        DtypeError: the arrays belong to two libraries or devices.
    """
    if call.operation == "explain":
        return _explained(call)
    if is_traced(call.a):
        return _by_operator(call)
    arrays = call.arrays
    if is_overridden(*arrays):
        given = {"out": call.out, "c": call.c, "bias": call.bias}
        given = {name: array for name, array in given.items() if array is not None}
        return by_override(call.function, arrays, call.a, call.b, **given, **call.options)
    if needs_operator(*arrays):
        if call.operation == "matmul" and not is_watched():
            from .recorded import record

            result = record(call)
            if result is not NotImplemented:
                return result
        place_of(**call.named)
        return _by_operator(call)
    return NotImplemented


def _by_operator(call: Call) -> Any:
    if are_distributed(*call.arrays):
        from . import distributed  # noqa: F401  (registers what our operators do with them)
    if call.operation not in OPERATORS:
        return NotImplemented
    if call.operation == "matmul":
        from .operators import matmul_by_operator

        return matmul_by_operator(*call.arrays, **call.options)
    from .operators import by_operator

    return by_operator(call.operation, call.a, call.b, call.out, **call.options)


def _explained(call: Call) -> Any:
    """The plan of a product of DTensors; NotImplemented for others."""
    if not are_distributed(call.a, call.b):
        return NotImplemented
    from .distributed.plan import explain_distributed

    return explain_distributed(call)
