"""Errors of the user's input or of the machine, told in one sentence."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from .usage import usage_sentence

# Newer versions of Typer contain a copy of Click, whose exceptions are reached only through these base classes.
_ClickException = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")


class Refusal(Exception):
    """An input of the command line that cannot be used; the message is the sentence to print."""


def expected_errors() -> tuple[type[BaseException], ...]:
    """The errors that end a command with a sentence and status 2."""
    from tilewright.arrays.errors import DtypeError, ShapeError
    from tilewright.call.files.errors import FileError
    from tilewright.choose import PlanError
    from tilewright.compile import CompileError, CompilerMissingError
    from tilewright.kernels import UnknownKernelError, UnknownOperationError
    from tilewright.lab.source.cuda_file import SourceError
    from tilewright.launch import DeviceUnavailableError, MachineError

    errors: list[type[BaseException]] = [
        Refusal,
        _ClickException,
        CompileError,
        CompilerMissingError,
        DeviceUnavailableError,
        DtypeError,
        FileError,
        MachineError,
        MemoryError,
        OSError,
        PlanError,
        ShapeError,
        SourceError,
        UnknownKernelError,
        UnknownOperationError,
    ]
    emulate = sys.modules.get("tilewright.emulate")  # importing it imports Numba; what was not imported did not raise
    if emulate is not None:
        errors.append(emulate.EmulationError)
    return tuple(errors)


def sentence(error: BaseException, arguments: Sequence[str] = ()) -> str:
    """The error in one line, with a period at its end. arguments: those of the command, which usage errors quote."""
    if isinstance(error, _ClickException):
        text = usage_sentence(error, arguments)
    elif isinstance(error, MemoryError):
        text = "the matrices do not fit in memory"
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    text = " ".join(text.split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
