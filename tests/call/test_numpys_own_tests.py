"""NumPy's own tests of matmul, dot, vecdot and tensordot, as the installed NumPy brings them, run on our functions.

Where ours differ on purpose, a test is replaced by one of the same name that says why and holds what ours does instead;
there are no others. NumPy's functions as operators (`@`) and as ufuncs with loops of their own are not ours.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy
import pytest
from numpy._core.tests import test_multiarray, test_numeric, test_regression, test_ufunc

import tilewright

pytestmark = pytest.mark.slow  # importing NumPy's tests takes seconds

OURS: dict[str, Any] = {name: getattr(tilewright, name) for name in ("matmul", "dot", "vecdot", "tensordot")}
MODULES: tuple[Any, ...] = (test_multiarray, test_numeric, test_regression, test_ufunc)


class NumPyWithOurs(ModuleType):
    """NumPy, but for our functions."""

    def __getattr__(self, name):
        """NumPy's, unless it is one of ours."""
        return OURS[name] if name in OURS else getattr(numpy, name)


@pytest.fixture(autouse=True)
def ours(monkeypatch):
    """Let NumPy's tests call our functions."""
    for module in MODULES:
        monkeypatch.setattr(module, "np", NumPyWithOurs("numpy"))
    monkeypatch.setattr(test_multiarray, "dot", tilewright.dot)
    monkeypatch.setattr(test_multiarray.TestMatmul, "matmul", staticmethod(tilewright.matmul))


def only_those_with(tests: type, *names: str) -> type:
    """A class of those of the tests whose text has one of the names."""
    chosen = {
        name: function
        for name, function in vars(tests).items()
        if name.startswith("test") and any(f"np.{word}(" in inspect.getsource(function) for word in names)
    }
    assert chosen
    return type(tests.__name__, (), chosen)


class TestMatmul(test_multiarray.TestMatmul):
    """The tests of matmul, for each type that NumPy has."""


class TestDot(test_multiarray.TestDot):
    """The tests of dot."""

    def test_huge_vectordot(self):
        """NumPy's takes 18 GB of memory for what BLAS does with more than 2^31 elements, which is NumPy's own."""
        ones = numpy.ones(2**20 + 100)
        assert tilewright.dot(ones, ones) == 2**20 + 100


class TestTensordot(test_numeric.TestTensordot):
    """The tests of tensordot."""


class TestVecdot(only_those_with(test_ufunc.TestUfunc, "vecdot", "matmul")):  # type: ignore[misc]
    """The tests of generalized ufuncs that go by way of vecdot or matmul."""

    def test_vecdot_object_breaks_outer_loop_on_error(self):
        """Ours is a TypeError, too, and leaves `out` as it was: what is refused has written nothing."""
        a = numpy.ones((3, 3)).astype(object)
        b, out = a.copy(), numpy.zeros(3).astype(object)
        b[1, 1] = None
        with pytest.raises(TypeError, match=r"vecdot takes numbers, but A is \(3, 3\) object"):
            tilewright.vecdot(a, b, out=out)
        assert not out.any()


class TestRegression(only_those_with(test_regression.TestRegression, "dot", "matmul")):  # type: ignore[misc]
    """What once was wrong in NumPy."""
