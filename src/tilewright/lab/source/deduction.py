"""The template arguments of a launch that names none: `scale<<<...>>>(d_x, n)` of `template <typename T>`."""

from __future__ import annotations

import re

from tilewright.lab.source.launches import LaunchSite, host_type, resolve_number
from tilewright.lab.source.signatures import KernelSignature, aliases, plain_type

_CAST = re.compile(r"\(\s*(?P<c>[\w:\s]+?\*?)\s*\)|(?:static|reinterpret)_cast\s*<(?P<cpp>[^<>]+)>\s*\(")
_FLOATING = re.compile(r"\d*\.\d*(?:[eE][+-]?\d+)?(?P<float>[fF])?|\d+[eE][+-]?\d+(?P<float2>[fF])?")


def template_arguments_of(site: LaunchSite, signature: KernelSignature) -> list[str] | None:
    """Return a launch's template arguments: as written, the rest deduced or left to their defaults; None if unknown."""
    found = [_in_numbers(site, text) for text in site.template_arguments]
    for parameter in signature.template_parameters[len(found) :]:
        name = re.match(r"(?:typename|class)\s+(\w+)", parameter)
        its_type = deduced(site, signature, name[1]) if name is not None else None
        if its_type is None:
            return found if "=" in parameter else None
        found.append(its_type)
    return found


def _in_numbers(site: LaunchSite, text: str) -> str:
    value = resolve_number(site, text, {})
    return str(value) if isinstance(value, int) else text


def deduced(site: LaunchSite, signature: KernelSignature, name: str) -> str | None:
    """Return what a type parameter is, by the first argument whose type the host says."""
    known = aliases(site.syntax)
    for parameter, argument in zip(signature.parameters, site.arguments, strict=False):
        if parameter.element_type != name:
            continue
        text = _type_of(site, argument)
        if text is None or text.endswith("*") != parameter.is_pointer:
            continue
        plain = plain_type(text.removesuffix("*"), known)
        if plain and not plain.endswith("*") and plain != "auto":
            return plain
    return None


def _type_of(site: LaunchSite, argument: str) -> str | None:
    """Return the type of a launch's argument: a variable, a literal, or what a cast makes of something."""
    if re.fullmatch(r"[A-Za-z_]\w*", argument):
        return host_type(site, argument)
    cast = _CAST.match(argument)
    if cast is not None:
        return " ".join((cast["c"] or cast["cpp"]).split())
    floating = _FLOATING.fullmatch(argument)
    if floating is not None:
        return "float" if floating["float"] or floating["float2"] else "double"
    return "int" if re.fullmatch(r"-?\d+", argument) else None
