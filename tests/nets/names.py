"""The public names with their signatures, and the verbs of the command line with their options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer.main

import tilewright
from tilewright.cli.app import app


def names() -> Iterator[tuple[str, str]]:
    """Yield each public name or verb, and how it is called."""
    for name in sorted(tilewright.__all__):
        value = getattr(tilewright, name)
        if inspect.isclass(value):
            public = sorted(each for each in vars(value) if not each.startswith("_"))
            yield name, f"class of {', '.join(base.__name__ for base in value.__mro__[1:-1])}: {' '.join(public)}"
        elif callable(value):
            yield name, str(inspect.signature(value))
        else:
            yield name, type(value).__name__
    group: Any = typer.main.get_command(app)
    for verb, command in sorted(group.commands.items()):
        options = sorted("/".join(parameter.opts + parameter.secondary_opts) for parameter in command.params)
        yield f"tilewright {verb}", " ".join(options)
