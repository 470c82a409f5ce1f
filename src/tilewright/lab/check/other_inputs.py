"""The user's inputs for a kernel that is not a product: arrays, numbers, and a function that computes the result."""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError
from tilewright.call.files.errors import FileError
from tilewright.call.files.number_text import is_number
from tilewright.call.files.reading import read_matrix

from .options import CheckError

Array = NDArray[Any]
Scalar = int | float

_WHOLE = re.compile(r"[+-]?\d+|0x[0-9a-f]+", re.ASCII | re.IGNORECASE)
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class Reference:
    """A user's function that computes a kernel's expected result. said: `file.py:function`."""

    said: str
    function: Callable[..., Any]

    def __call__(self, given: Mapping[str, Any]) -> Any:
        """Call the function with those of the `given` values that it takes, by name; raise CheckError if it fails."""
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError) as error:
            raise CheckError(f"{self.said} is nothing that takes arguments by name.") from error
        if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
            taken = dict(given)
        else:
            taken = {p.name: given[p.name] for p in parameters if p.kind in _NAMED and p.name in given}
        variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        missing = [
            p.name for p in parameters if p.name not in taken and p.default is p.empty and p.kind not in variadic
        ]
        if missing:
            raise CheckError(
                f"{self.said} takes {', '.join(missing)}, and what is given is {', '.join(given) or 'nothing'}: "
                "its parameters have the names of the kernel's."
            )
        try:
            return self.function(**taken)
        except Exception as error:
            raise CheckError(f"{self.said} failed with {_said(error)}.") from error


def read_array_argument(text: str) -> tuple[str, Array]:
    """Return the name and the array of `A=a.npy` (also `.npz`, `.mtx`, `.csv`); raise CheckError."""
    name, path = _split(text, "A=a.npy")
    try:
        return name, read_matrix(path)
    except (DtypeError, FileError) as error:
        raise CheckError(str(error)) from error


def read_scalar(text: str) -> tuple[str, Scalar]:
    """Return the name and the number of `n=5` or `alpha=0.5`; raise CheckError."""
    name, number = _split(text, "n=5")
    if _WHOLE.fullmatch(number):
        return name, int(number, 16 if "x" in number.lower() else 10)
    if is_number(number):
        return name, float(number)
    raise CheckError(f"{text!r} gives {name} no number such as 5 or 0.5.")


def load_reference(text: str) -> Reference:
    """Return the function of `file.py:function`. The file is run; raise CheckError when that fails."""
    path, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier() or not path.endswith(".py"):
        raise CheckError(f"A reference is given as file.py:function, not {text!r}.")
    said = f"{Path(path).name}:{name}"
    if not Path(path).is_file():
        raise CheckError(f"{path} is no file, and a reference is a function of a Python file.")
    spec = importlib.util.spec_from_file_location("tilewright_reference", path)
    if spec is None or spec.loader is None:
        raise CheckError(f"{path} can't be loaded as Python.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise CheckError(f"{path} can't be loaded: {_said(error)}.") from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise CheckError(f"{path} has no function {name}; it has {', '.join(known) or 'none'}.")
    return Reference(said, function)


def reference_of(given: str | Callable[..., Any]) -> Reference:
    """Return the function of `file.py:function`, or the given function."""
    if isinstance(given, str):
        return load_reference(given)
    return Reference(getattr(given, "__name__", "the reference"), given)


def read_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `check_other` from names and paths.

    request: `arrays` and `expected` (paths by name), `scalars` (texts by name), `reference` (a text, or empty).
    """
    expected = dict(read_array_argument(f"{name}={path}") for name, path in request["expected"].items())
    return {
        "arrays": dict(read_array_argument(f"{name}={path}") for name, path in request["arrays"].items()),
        "scalars": dict(read_scalar(f"{name}={value}") for name, value in request["scalars"].items()),
        "expect": expected or None,
        "reference": load_reference(request["reference"]) if request["reference"] else None,
    }


def _split(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    # A field of a struct is given as `A.elements`.
    if not equals or not all(part.isidentifier() for part in name.strip().split(".")) or not value.strip():
        raise CheckError(f"{text!r} is not of the form {form}.")
    return name.strip(), value.strip()


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
