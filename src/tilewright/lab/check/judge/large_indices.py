"""Indices that leave 32 bits at the largest sizes that a file says, or at its host's own: `row * k + l` in `int`.

Launches here are small, so that no result shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isqrt, prod

from tilewright.emulate.observers import Finding
from tilewright.lab.check.element_types import dtype_of
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile, parameters_of
from tilewright.lab.check.find.own_launch import OwnLaunch
from tilewright.lab.check.find.promises import words_of_sizes
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source import resolve_launch, resolve_number
from tilewright.lab.source.macros import comments_only
from tilewright.lab.source.signatures import Parameter

from .overflowing import KIND
from .said_limits import said_examples, said_limits, said_matrices

TOO_LARGE, TOO_LONG = 1 << 31, 1 << 32
"""Of a product, and of an index: one of up to 4,294,967,295 may be counted without a sign."""
_INDEX = re.compile(r"\b(?:int|unsigned(?:\s+int)?|int32_t|uint32_t)\s+(?P<names>[A-Za-z_]\w*\s*=[^;{}]*?)(?=;)")
_NAMED = re.compile(r"(?:^|,)\s*(?P<name>[A-Za-z_]\w*)\s*=(?!=)")
_CHAIN = re.compile(r"(?<![\w.)*])(?<!\) )\b[A-Za-z_]\w*(?:\s*\*\s*[A-Za-z_]\w*)+\b(?!\s*[(\[.])")

_SLICE = re.compile(r"=\s*(?P<product>blockIdx\s*\.\s*x\s*\*\s*(?P<length>[A-Za-z_]\w*))\b(?!\s*[(\[.])")
"""Where a block's slice of a vector begins: the last one at its end."""


def large_indices(kernel: KernelFile, found: Found) -> Iterator[Finding]:
    """Yield the first index that is too large, or the first product of one and a size, where sizes are large."""
    words = {name: word for name, word in words_of_sizes(kernel, found).items() if word in ("rows", "inner", "cols")}
    if found.roles.is_of_structs or not words:
        return
    comments = comments_only(kernel.opened.file.text)
    for name, most in _indices(kernel.body, said_limits(comments, words)).items():
        if most >= TOO_LONG:
            at = re.search(rf"\b{name}\s*=(?!=)", kernel.body)
            yield _finding(kernel, at.start() if at else 0, f"`{name}`, of 32 bits, would reach {most:,}")
            return
    limits = said_limits(comments, words)
    longest = max((most for name, most in limits.items() if words[name] == "inner"), default=0)
    for start in _SLICE.finditer(kernel.body) if longest >= TOO_LONG and found.roles.operation == "dot" else ():
        if any(each.name == start["length"] and _is_narrow(each) for each in parameters_of(kernel)):
            yield _finding(kernel, start.start("product"), f"`{start['product']}`, in 32 bits, would reach {longest:,}")
            return
    own, elements = _own_numbers(kernel, found, words), said_matrices(comments)
    for name, number in said_examples(comments, words).items():
        own[name] = max(own.get(name, 0), number)
    narrow = {each.name for each in parameters_of(kernel) if _is_narrow(each)}
    said = isqrt(elements - 1) + 1 if elements else 0
    limits = own | {name: max(said, own.get(name, 0)) for name in words if said or name in own}
    indices = _indices(kernel.body, limits)
    known = {name: most for name, most in limits.items() if name in narrow} | indices
    for chain in _CHAIN.finditer(kernel.body):
        factors = [factor.strip() for factor in chain[0].split("*")]
        is_index = set(factors) <= known.keys() and set(factors) & indices.keys()
        if is_index and (product := prod(known[factor] for factor in factors)) >= TOO_LARGE:
            yield _finding(kernel, chain.start(), f"`{chain[0]}`, in 32 bits, would reach {product:,}")
            return


def _is_narrow(parameter: Parameter) -> bool:
    """Return whether a parameter is a number of 32 bits."""
    dtype = dtype_of(parameter.element_type)
    return not parameter.is_pointer and dtype is not None and dtype.itemsize == 4


def _own_numbers(kernel: KernelFile, found: Found, words: Mapping[str, str]) -> dict[str, int]:
    """Return the numbers that the file's own launch passes for sizes, by the kernel's names, and its blocks."""
    rule, parameters = found.rule, parameters_of(kernel)
    if not isinstance(rule, OwnLaunch) or rule.is_guess or len(rule.site.arguments) != len(parameters):
        return {}
    numbers: dict[str, int] = {}
    for parameter, text in zip(parameters, rule.site.arguments, strict=True):
        value = resolve_number(rule.site, text, {}) if parameter.name in words else None
        if isinstance(value, int):
            numbers[parameter.name] = value
    launch = resolve_launch(rule.site, {})
    if not isinstance(launch, str):
        numbers |= {f"blockIdx.{axis}": count for axis, count in zip("xyz", launch.grid, strict=True)}
    return numbers


def _indices(body: str, limits: Mapping[str, int]) -> dict[str, int]:
    """Return variables of 32 bits with the size that they are compared with, or the blocks that they count."""
    indices: dict[str, int] = {}
    for declared in _INDEX.finditer(body):
        for named in _NAMED.finditer(declared["names"]):
            name = named["name"]
            for size, most in limits.items():
                own = rf"(?<![\w.]){name}\s*(?:<|>=)\s*{re.escape(size)}\b(?!\s*[-+*/(])"
                block = rf"\b{name}\s*=\s*{re.escape(size)}\s*[,;]" if "." in size else r"(?!)"
                if re.search(own, body) or re.search(block, body):
                    indices[name] = max(indices.get(name, 0), most)
    return indices


def _finding(kernel: KernelFile, at: int, what: str) -> Finding:
    message = f"{what} at the largest sizes that the file speaks of, and is too small for that."
    place = (kernel.opened.file.name, kernel.line_at(at))
    return Finding(KIND, ERROR, place, message, "Compute it in 64 bits, as in `(size_t)row`.")
