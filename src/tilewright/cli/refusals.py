"""Errors of the user's input or of the machine, told in one sentence.

Typer's usage errors name what was given, the same with all of its versions.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

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


def usage_sentence(error: Any, arguments: Sequence[str]) -> str:
    """The text of one of Typer's usage errors, for the command's `arguments`."""
    text = str(error.format_message())
    details = getattr(error.__cause__, "errors", None)  # newer versions check values with pydantic
    if callable(details):
        return text.replace(str(error.message), _fault(details()[0]))
    commands = getattr(getattr(getattr(error, "ctx", None), "command", None), "commands", {})
    if text.startswith("No such command") and commands:
        known = ", ".join(commands)
        return f"{text} There are {known}." if text.endswith("?") else f"{text.rstrip('.')}; there are {known}."
    option = getattr(error, "option_name", None)
    if "requires" in text and option is not None:
        return f"{text.rstrip('.')}; {_followers(option, arguments)}."
    return text


def _fault(detail: Mapping[str, Any]) -> str:
    given, limits = detail["input"], detail.get("ctx", {})
    if detail["type"] == "int_parsing":
        return f"{given!r} is not a valid integer."
    if detail["type"] == "greater_than_equal":
        return f"{given} is not in the range x>={limits['ge']}."
    if detail["type"] == "less_than_equal":
        return f"{given} is not in the range x<={limits['le']}."
    if detail["type"] == "value_error":
        return str(limits.get("error", detail["msg"]))
    return f"{given!r} does not do. {detail['msg']}"


def _followers(option: str, arguments: Sequence[str]) -> str:
    """What stands behind an option, after a space or an equals sign."""
    words: list[str] = []
    for number, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == option:
            words = [*([value] if value else []), *arguments[number + 1 :]]
    if not words:
        return "nothing follows it"
    return f"{' '.join(words)!r} {'follow' if len(words) > 1 else 'follows'} it"
