"""Options of `tilewright check` for kernels that are no products: arrays, numbers, the expected result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .refusals import Refusal


def other_kind(
    arrays: Sequence[str], scalars: Sequence[str], expected: Sequence[str], reference: str | None
) -> dict[str, Any] | None:
    """Return the options of a kernel that is no product as plain data, paths made absolute; None without any."""
    if not (arrays or scalars or expected or reference):
        return None
    if not arrays:
        raise Refusal(
            "--scalar, --expect and --reference go with --array A=a.npy, which says what the kernel works on."
        )
    if bool(expected) == (reference is not None):
        raise Refusal("A kernel of another kind is judged against --expect C=c.npy or --reference file.py:function.")
    return {
        "arrays": _files(arrays, "--array", "A=a.npy"),
        "scalars": named(scalars, "--scalar", "n=5"),
        "expected": _files(expected, "--expect", "C=c.npy"),
        "reference": _reference(reference),
    }


def watched_arrays(
    arrays: Sequence[str],
    results: Sequence[str],
    scalars: Sequence[str],
    expected: Sequence[str],
    reference: str | None,
) -> dict[str, Any]:
    """Return what `tilewright.watch` takes of a kernel that is no product; nothing without any."""
    if not (arrays or results or scalars or expected or reference):
        return {}
    from tilewright.lab.check.other_inputs import read_array_argument, read_scalar

    return {
        "arrays": {
            name: _shape(text) or read_array_argument(f"{name}={_array_file(text, '--array')}")[1]
            for name, text in named(arrays, "--array", "x=8x8 or x=x.npy").items()
        },
        "results": {name: _shape_of(name, text) for name, text in named(results, "--result", "y=8x8").items()},
        "scalars": dict(read_scalar(text) for text in scalars),
        "expect": {
            name: read_array_argument(f"{name}={path}")[1]
            for name, path in _files(expected, "--expect", "y=y.npy").items()
        },
        "reference": _reference(reference) or None,
    }


def _shape(text: str) -> tuple[int, ...] | None:
    """Return the sides of `8x8`; None for anything else."""
    sides = text.split("x")
    return tuple(map(int, sides)) if all(side.isascii() and side.isdigit() for side in sides) else None


def _shape_of(name: str, text: str) -> tuple[int, ...]:
    shape = _shape(text)
    if shape is None:
        raise Refusal(f"--result takes a shape such as {name}=8x8, not {name}={text}.")
    return shape


def named(texts: Sequence[str], option: str, form: str, *, default: str | None = None) -> dict[str, str]:
    """Split texts of the form NAME=VALUE. default: the value of a text without one; None refuses it."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.strip() or (not equals and default is None):
            raise Refusal(f"{option} takes {form}, not {text!r}.")
        if name in values:
            raise Refusal(f"{option} names {name} twice.")
        values[name] = value if equals else default or ""
    return values


def _files(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    return {name: _array_file(text, option) for name, text in named(texts, option, form).items()}


def _array_file(text: str, option: str) -> str:
    from tilewright.call.files.reading import split_member

    path, member = split_member(text)
    found = str(_existing(path, option))
    return f"{found}:{member}" if member else found


def _reference(text: str | None) -> str:
    if text is None:
        return ""
    path, colon, function = text.rpartition(":")
    if not colon or not function.isidentifier() or not path.endswith(".py"):
        raise Refusal(f"--reference takes file.py:function, not {text!r}.")
    return f"{_existing(Path(path), '--reference')}:{function}"


def _existing(path: Path, option: str) -> Path:
    if not path.is_file():
        raise Refusal(f"{option} names {path}, which is no file.")
    return path.absolute()
