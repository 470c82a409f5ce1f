"""Parameters that check cannot fill: pointers to pointers, and structs and small vectors by value."""

from __future__ import annotations

import re

from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.source import Parameter

_VECTOR = re.compile(r"\b\w+[1-4]$")


def why_unfillable(parameter: Parameter, element_type: str = "") -> str:
    """Return what a parameter is and what to write instead; empty if check can fill it.

    element_type: with the template's arguments substituted; empty for the parameter's own.
    """
    element, text = element_type or parameter.element_type, parameter.type_text
    if parameter.is_pointer:
        levels = text.count("*") + ("[" in text and "(*" not in text)
        if levels > 1:
            return (
                f"{parameter.name} is a pointer to pointers, which check can't fill: let the kernel take all rows in "
                f"one array, as in {parameter.name}[i * n + j]"
            )
        return ""
    if dtype_of(element) is None:
        what = f"of type {text}" if not element.startswith("{") else f"the struct {text}"
        return f"{parameter.name} is {what}, which check can't fill: let the kernel take its pointers and numbers apart"
    if _VECTOR.search(element) and "_t" not in element:
        return f"{parameter.name} is an {text}, which check can't fill: let the kernel take its numbers apart"
    return ""
