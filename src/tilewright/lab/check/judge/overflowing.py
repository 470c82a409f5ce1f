"""Products of sizes that leave 32 bits at the largest sizes that the host lets through: `batch * m * n` in `int`.

Launches here are small, so that no result shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source import resolve_launch, resolve_number
from tilewright.lab.source.syntax import descend, function_around

KIND = "integer overflow"
_LIMIT = re.compile(r"\b(?P<name>\w+)\s*(?P<sign>>=?)\s*(?P<most>\d+)\s*(?:$|\|\||\))")
_LEAVES = re.compile(r"\b(?:return|throw|exit|abort)\b")
_BLOCK = re.compile(
    r"\b(?P<type>int|unsigned(?: int)?)\s+(?P<name>\w+)\s*=\s*(?:\(\s*\w+\s*\)\s*)?blockIdx\s*\.\s*(?P<axis>[xyz])\s*;"
)
_CHAIN = re.compile(r"(?<![\w.)*])(?<!\) )\b[A-Za-z_]\w*(?:\s*\*\s*[A-Za-z_]\w*)+\b(?!\s*[(\[.])")


def overflows(kernel: KernelFile, found: Found) -> Iterator[Finding]:
    """Yield the products of a block's number and sizes that are too large at the host's own limits."""
    rule = found.rule
    if not isinstance(rule, OwnLaunch) or rule.site.syntax.text != kernel.opened.file.text:
        return
    limits = _limits(rule)
    values = dict(rule.unknown) | limits
    launch = resolve_launch(rule.site, values) if set(rule.roots) <= set(limits) else ""
    if isinstance(launch, str):
        return
    known: dict[str, int] = {}
    for parameter, text in zip(parameters_of(kernel), rule.site.arguments, strict=True):
        dtype = None if parameter.is_pointer else dtype_of(parameter.element_type)
        value = resolve_number(rule.site, text, values)
        if dtype is not None and dtype.kind in "iu" and dtype.itemsize == 4 and isinstance(value, int):
            known[parameter.name] = value
    blocks = {match["name"]: launch.grid["xyz".index(match["axis"])] - 1 for match in _BLOCK.finditer(kernel.body)}
    said = ", ".join(f"{name} {most:,}" for name, most in limits.items())
    for chain in _CHAIN.finditer(kernel.body):
        factors = [factor.strip() for factor in chain[0].split("*")]
        if not set(factors) & set(blocks) or not set(factors) <= {*known, *blocks}:
            continue
        product = prod(blocks.get(factor, known.get(factor, 0)) for factor in factors)
        if product >= 1 << 31:
            line = kernel.line_at(chain.start())
            message = (
                f"`{chain[0]}`, in 32 bits, would be {product:,} at the largest sizes that the host takes ({said})."
            )
            advice = f"Compute it in 64 bits: `(size_t){chain[0]}`."
            yield Finding(KIND, ERROR, (kernel.opened.file.name, line), message, advice)


def _limits(rule: OwnLaunch) -> dict[str, int]:
    """Return the largest values that the function around a launch lets through: `if (n > 1024) return ...`."""
    function, limits = function_around(rule.site.node), dict[str, int]()
    for branch in descend(function, "if_statement") if function is not None else ():
        condition, inner = (branch.child_by_field_name(field) for field in ("condition", "consequence"))
        text = rule.site.syntax.source(condition)
        if branch.start_byte > rule.site.node.start_byte or "&&" in text:
            continue
        if _LEAVES.search(rule.site.syntax.source(inner)):
            found = {match["name"]: int(match["most"]) - (match["sign"] == ">=") for match in _LIMIT.finditer(text)}
            limits |= found
    return limits
