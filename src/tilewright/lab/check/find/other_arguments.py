"""The arguments of a kernel that is not a product, from arrays and numbers given by parameter name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.lab.check.element_types import BFLOAT16, dtype_of, unset
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.run.execution import Argument, Pointer
from tilewright.lab.source import Parameter, resolve_number

from .kernel_file import KernelFile
from .unfillable import why_unfillable

Array = NDArray[Any]
Scalar = int | float
Reference = Callable[[Mapping[str, Any]], Any]


@dataclass
class Bound:
    """A launch's arguments and expected results.

    scalars: by parameter, including those taken from the file's launch. expected: results by parameter. outputs: the
    pointers without initial contents. variables: arrays for the file's `__constant__` and `__device__` variables.
    """

    arguments: list[Argument]
    scalars: dict[str, Scalar]
    expected: dict[str, Array]
    outputs: list[str]
    variables: dict[str, Array] = field(default_factory=dict)


def bind(
    kernel: KernelFile,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, Scalar],
    expect: Mapping[str, Array] | None,
    reference: Reference | None,
) -> Bound:
    """Return the kernel's arguments; raise CheckError if one is missing, unknown or of the wrong type."""
    parameters = kernel.signature.parameters
    types = {p.name: type_of(kernel, p) for p in parameters}
    pointers = [p.name for p in parameters if p.is_pointer]
    numbers = _scalars(kernel, scalars, types)
    variables = {name: array for name, array in arrays.items() if name not in pointers}
    for name, array in arrays.items():
        if name in pointers:
            _check_type(kernel, name, array, types[name])
    expected = _expected(kernel, dict(arrays) | numbers, expect, reference)
    for name in expected:
        if name not in pointers:
            raise CheckError(
                f"{name} is expected, and the pointers of {kernel.signature.name} are {_listed(pointers)}."
            )
        if name in arrays and arrays[name].size != expected[name].size:
            raise CheckError(
                f"{name} is given with {arrays[name].size:,} elements and expected with {expected[name].size:,}."
            )
    outputs = [name for name in pointers if name not in arrays]
    lacking = [name for name in outputs if name not in expected]
    if lacking:
        raise CheckError(
            f"Nothing says what {_listed(lacking)} of {kernel.signature.name} points to: give "
            f"--array {lacking[0]}=FILE.npy, or what is expected in it."
        )
    filled = {name: arrays[name] for name in pointers if name in arrays}
    for name in outputs:
        shape = expected[name].shape
        make = (
            numpy.zeros(shape, types[name]) if kernel.options.zero_output else unset(expected[name].size, types[name])
        )
        filled[name] = make.reshape(shape)
    is_unset = not kernel.options.zero_output
    arguments: list[Argument] = [
        Pointer(p.name, filled[p.name], is_unset=is_unset and p.name in outputs) if p.is_pointer else numbers[p.name]
        for p in parameters
    ]
    return Bound(arguments, numbers, expected, outputs, variables)


def type_of(kernel: KernelFile, parameter: Parameter) -> numpy.dtype[Any]:
    """Return the type of a parameter, or the one it points to; raise CheckError for types without a NumPy type."""
    text = kernel.element_type(parameter.element_type)
    if reason := why_unfillable(parameter, text):
        raise CheckError(f"{kernel.signature.name}: {reason}.")
    found = dtype_of(text)
    if found is None or found == BFLOAT16:
        what = "points to" if parameter.is_pointer else "is"
        raise CheckError(
            f"{parameter.name} of {kernel.signature.name} {what} {text}, and integers, float, double and half "
            "are accepted."
        )
    return found


def _check_type(kernel: KernelFile, name: str, array: Array, wanted: numpy.dtype[Any]) -> None:
    if array.dtype != wanted:
        raise CheckError(
            f"The array for {name} holds {array.dtype}, and {name} of {kernel.signature.name} points to {wanted}: "
            f"save it as .npy with that type."
        )
    if array.size == 0:
        raise CheckError(f"The array for {name} has the shape {array.shape}, and at least one element is accepted.")


def _scalars(
    kernel: KernelFile, given: Mapping[str, Scalar], types: Mapping[str, numpy.dtype[Any]]
) -> dict[str, Scalar]:
    """Return all the kernel's numbers; those not given are taken from the file's own launch."""
    parameters = kernel.signature.parameters
    wanted = [p.name for p in parameters if not p.is_pointer]
    unknown = [name for name in given if name not in wanted]
    if unknown:
        raise CheckError(
            f"{kernel.signature.name} takes the numbers {_listed(wanted) or 'none'}, not {_listed(unknown)}."
        )
    found = {}
    for number, name in enumerate(p.name for p in parameters):
        if name not in wanted:
            continue
        value = given[name] if name in given else _of_launch(kernel, number, given)
        if value is None:
            raise CheckError(f"Nothing says what {name} of {kernel.signature.name} is: give --scalar {name}=NUMBER.")
        found[name] = _as(name, value, types[name])
    return found


def _of_launch(kernel: KernelFile, number: int, given: Mapping[str, Scalar]) -> Scalar | None:
    site = kernel.site
    if site is None or number >= len(site.arguments):
        return None
    value = resolve_number(site, site.arguments[number], names_at_launch(kernel, given))
    return value if isinstance(value, int | float) else None


def names_at_launch(kernel: KernelFile, scalars: Mapping[str, Scalar]) -> dict[str, int]:
    """Return the whole numbers by parameter name, and by the names that the file's launch passes for them."""
    known = {name: value for name, value in scalars.items() if isinstance(value, int)}
    site = kernel.site
    texts: Sequence[str] = site.arguments if site else ()
    passed = {
        text: known[p.name]
        for text, p in zip(texts, kernel.signature.parameters, strict=False)
        if p.name in known and text.isidentifier()
    }
    return known | passed


def _as(name: str, value: Scalar, dtype: numpy.dtype[Any]) -> Scalar:
    if dtype.kind == "f":
        return float(value)
    if not isfinite(value) or value != int(value):
        raise CheckError(f"{name} is {value}, and a whole number is accepted ({dtype}).")
    least, most = (0, 1) if dtype.kind == "b" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
    if not least <= value <= most:
        raise CheckError(f"{name} is {value}, and {dtype} holds {least} to {most}.")
    return int(value)


def _expected(
    kernel: KernelFile, given: Mapping[str, Any], expect: Mapping[str, Array] | None, reference: Reference | None
) -> dict[str, Array]:
    if (expect is None) == (reference is None):
        raise CheckError("A kernel of another kind is judged against an expected array or a reference, one of the two.")
    if reference is None:
        return {name: numpy.asarray(array) for name, array in (expect or {}).items()}
    copies = {name: value.copy() if isinstance(value, numpy.ndarray) else value for name, value in given.items()}
    named = _by_name(kernel, reference(copies), given)
    arrays = {}
    for name, value in named.items():
        try:
            array = numpy.atleast_1d(numpy.asarray(value))
        except ValueError as error:
            raise CheckError(f"The reference returns no array for {name}: {error}.") from error
        if array.dtype.kind not in "biuf" or array.size == 0:
            raise CheckError(
                f"The reference returns {array.dtype} of shape {array.shape} for {name}; numbers are accepted."
            )
        arrays[name] = array
    return arrays


def _by_name(kernel: KernelFile, returned: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return results by parameter name; a tuple holds the outputs in the kernel's order."""
    if isinstance(returned, dict):
        return {str(name): value for name, value in returned.items()}
    if returned is None:
        raise CheckError("The reference returns None, and an array, a tuple of arrays or a dict of arrays is accepted.")
    values = list(returned) if isinstance(returned, tuple) else [returned]
    written = [p.name for p in kernel.signature.parameters if p.is_pointer and not p.is_const]
    for names in ([name for name in written if name not in given], written):
        if len(names) == len(values):
            return dict(zip(names, values, strict=True))
    raise CheckError(
        f"The reference returns {len(values)} arrays, and {kernel.signature.name} can write to "
        f"{_listed(written) or 'none'}: return a dict with their names."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
