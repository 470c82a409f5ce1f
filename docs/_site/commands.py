"""The command line as a page, from the functions that are its verbs."""

from __future__ import annotations

import inspect
import typing
from enum import Enum
from types import NoneType, UnionType
from typing import Any

from tilewright.cli.app import VERBS

METAVARS = {str: "TEXT", int: "NUMBER", float: "NUMBER"}


def commands_page() -> str:
    """Return a section for each verb: what it does, its arguments and options."""
    return "\n".join(_section(verb) for verb in VERBS)


def _section(verb: Any) -> str:
    hints = typing.get_type_hints(verb, include_extras=True)
    lines = [f"## tilewright {verb.__name__}", "", verb.__doc__ or "", ""]
    rows = []
    for name, parameter in inspect.signature(verb).parameters.items():
        kind, about = typing.get_args(hints[name])[:2]
        rows.append(f"| {_shown(name, kind, about)} | {_cell(about.help or '')}{_default(parameter.default)} |")
    if rows:
        lines += ["| option | says |", "| --- | --- |", *rows, ""]
    return "\n".join(lines)


def _shown(name: str, kind: Any, about: Any) -> str:
    """The option as it is written, and what it takes."""
    plain = next((part for part in typing.get_args(kind) if part is not NoneType), kind)
    plain = plain if isinstance(kind, UnionType) or typing.get_origin(kind) is typing.Union else kind
    if type(about).__name__ == "ArgumentInfo":
        return f"`{_cell(about.metavar or name.upper())}`"
    given = (about.default, *(about.param_decls or ()))  # typer takes the first name of an annotation for the default
    declared = [each for each in given if isinstance(each, str) and each.startswith("-")]
    names = ", ".join(f"`{each}`" for each in declared or ("--" + name.replace("_", "-"),))
    if plain is bool:
        return names
    if isinstance(plain, type) and issubclass(plain, Enum):
        return f"{names} {' '.join(f'`{each.value}`' for each in plain)}"
    inner = typing.get_args(plain)[0] if typing.get_origin(plain) is list else plain
    return f"{names} `{_cell(about.metavar or METAVARS.get(inner, 'VALUE'))}`"


def _default(value: object) -> str:
    if value is None or value is False or value is inspect.Parameter.empty:
        return ""
    shown = value.value if isinstance(value, Enum) else value
    return f" Default: `{' '.join(map(str, shown)) if isinstance(shown, tuple) else shown}`."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
