"""Redirects moved names to their new modules, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module


def renamed(module: str, names: dict[str, str]) -> Callable[[str], object]:
    """Return a module's ``__getattr__`` for moved names, each given as ``package.module.Name``."""

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{module}.{name} is {names[name]} now.", DeprecationWarning, stacklevel=2)
        where, _, new = names[name].rpartition(".")
        return getattr(import_module(where), new)

    return find
