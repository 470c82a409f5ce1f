"""A build of the compiled extra that another version of ours was made for: said once, and left aside."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import pytest

from tilewright.launch.cuda import native


@pytest.fixture(autouse=True)
def _looked_for_anew():
    native.extra.cache_clear()
    yield
    native.extra.cache_clear()


def test_another_interface_is_said_once(monkeypatch):
    """What is installed, what is needed, and what helps; then the way of Python alone."""
    monkeypatch.setitem(sys.modules, "tilewright_native", SimpleNamespace(INTERFACE=native.INTERFACE - 1))
    sentence = (
        rf"interface {native.INTERFACE - 1}, .* interface {native.INTERFACE}: .* in Python .*pip install \./native"
    )
    with pytest.warns(RuntimeWarning, match=sentence) as said:
        assert native.extra() is None
    assert len(said) == 1
    assert native.extra() is None  # and a second warning would be an error


def test_its_own_interface_and_one_that_is_switched_off_say_nothing(monkeypatch):
    """Neither the right build, nor one that nobody wants."""
    module = SimpleNamespace(INTERFACE=native.INTERFACE)
    monkeypatch.setitem(sys.modules, "tilewright_native", module)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert native.extra() is module
        module.INTERFACE += 1
        native.extra.cache_clear()
        monkeypatch.setenv(native.SWITCH, "0")
        assert native.extra() is None
