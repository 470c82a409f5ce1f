"""Arrays that compute NumPy's functions themselves, by `__array_ufunc__` or `__array_function__`, are asked first.

They are NumPy's to ask: its own function is called with them, and passes the call on, as it does for its users.
"""

from __future__ import annotations

from typing import Any

import numpy

from tilewright.arrays.cuda_array import is_on_gpu
from tilewright.arrays.errors import DtypeError
from tilewright.arrays.places import library_of

PROTOCOLS = {
    "matmul": "__array_ufunc__",
    "vecdot": "__array_ufunc__" if hasattr(numpy, "vecdot") else "",  # which NumPy 1 has not
    "dot": "__array_function__",
    "tensordot": "__array_function__",
}
PLAIN = frozenset({numpy.ndarray, list, tuple, int, float, complex, type(None)})
"""Types of arguments that have no say of their own."""


def asked_first(operation: str, a: object, b: object, out: object = None, **options: object) -> Any:
    """The result of an array that overrides NumPy's function; NotImplemented if none does.

    Raises:
        DtypeError: an array refuses NumPy's function, as with ``__array_ufunc__ = None``.
    """
    protocol = PROTOCOLS[operation]
    given = a, b, out
    if not protocol or PLAIN.issuperset(map(type, given)) or not any(_overrides(x, protocol) for x in given):
        return NotImplemented
    if out is not None:
        options["out"] = out
    try:
        return getattr(numpy, operation)(a, b, **options)
    except TypeError as error:
        raise DtypeError(f"{operation} is not for such arrays: {' '.join(str(error).split())}") from error


def _overrides(given: object, protocol: str) -> bool:
    """Whether its type has a protocol of its own, and it is none of the arrays that are multiplied here."""
    method = getattr(type(given), protocol, NotImplemented)
    if method is NotImplemented or method is getattr(numpy.ndarray, protocol):
        return False
    if isinstance(given, numpy.generic | numpy.ma.MaskedArray):  # the latter would lose its mask, and is refused
        return False
    return library_of(given) is None and not is_on_gpu(given)
