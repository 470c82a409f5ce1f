"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def loader(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return a package's ``__getattr__``, which also knows its ``__all__``. names: by module within the package."""
    modules = {name: f"{package}.{module}" for module, of_module in names.items() for name in of_module}

    def load(name: str) -> object:
        if name == "__all__":
            return list(modules)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
