"""The rest behind the last whole vector as a cause: `n / 4` vectors are taken, and up to three elements are left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tilewright.emulate.observers import Finding
from tilewright.lab.check.find.candidate import Found
from tilewright.lab.check.find.kernel_file import KernelFile
from tilewright.lab.check.find.promises import Promise, words_of_sizes
from tilewright.lab.check.kinds import KINDS
from tilewright.lab.check.run.watching import ERROR
from tilewright.lab.source.macros import closing

from .causes import CAUSE
from .verdicts import Held, Judgement

_QUOTIENT = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*(?:/\s*(?P<by>[248])\b|>>\s*(?P<shift>[123])\b)")
PRODUCTS = ("matvec", "transposed_matvec")
"""The other kinds that are products."""
_Judge = Callable[[Promise], Held]


def rest_of_vectors(kernel: KernelFile, found: Found, judgement: Judgement, held_to: _Judge) -> Finding | None:
    """Return the finding that names the quotient, if exactly the sizes that it does not divide come out wrong.

    held_to: judges the kernel at sizes that keep a promise. A kernel of another kind than a product, or a matrix times
    a vector, may be meant so.
    """
    roles = found.roles
    is_product = roles.operation not in KINDS or roles.operation in PRODUCTS
    if not (judgement.failing and found.fits and is_product) or roles.fixed:
        return None
    for name, word, by, line in _quotients(kernel, found):
        rests = [int(sizes.values()[word]) % by for sizes, _ in judgement.launched]
        failed = [number in judgement.failing for number in range(len(rests))]
        last = _line_of_last(kernel, name)
        taken = 0 if last is None or failed == [rest > 0 for rest in rests] else 1
        if failed != [rest > taken for rest in rests] or all(failed):
            continue
        if roles.operation in PRODUCTS and _has_loop_to(kernel, name):
            continue  # the rest is taken, but not rightly
        held, findings, _ = held_to(Promise(by, f"multiples of {by}"))
        if not held.failing and not any(each.severity == ERROR for each in findings):
            left = "one element" if by == 2 else f"up to {by - 1 - taken} elements"
            than = f"a multiple of {by}{', or one more' if taken else ''}"
            message = (
                f"Every problem comes out right whose {word} is {than}, and no other: `{name}` counts the "
                f"whole vectors of {by}, and {left} behind the last one are left out."
            )
            advice = f"Take the rest one by one, or say that {name.split()[0]} is a multiple of {by}."
            end = _end_of_loop(kernel, name)
            file = kernel.opened.file.name
            at, also = (last, line) if taken and last is not None else (line, end)
            other = (file, also) if also not in (None, at) else None
            return Finding(CAUSE, ERROR, (file, at), message, advice, other=other, details={"change": name})
    return None


def _line_of_last(kernel: KernelFile, quotient: str) -> int | None:
    """Return the line behind a quotient `n / 8` where the last one of an odd number is taken: `n & 1`, or None."""
    name = re.escape(re.split(r"\s*(?:/|>>)", quotient)[0])
    odd = re.compile(rf"\b{name}\s*(?:&|%\s*2\s*==)\s*1\b|\b{name}\s*%\s*2\b").search(
        kernel.body, kernel.body.index(quotient)
    )
    return kernel.line_at(odd.start()) if odd is not None else None


def _end_of_loop(kernel: KernelFile, quotient: str) -> int | None:
    """Return the line where the loop over whole vectors ends, behind which the rest is to be taken, or None."""
    body, own = kernel.body, re.escape(quotient)
    named = re.search(rf"\b([A-Za-z_]\w*)\s*=\s*(?:\(\s*\w+\s*\)\s*)?{own}\s*[;,]", body)
    bound = rf"(?:{own}|{named[1]})" if named else own
    loop = re.search(rf"\bfor\s*\([^;]*;[^;]*<\s*{bound}\s*;[^;{{]*\)\s*(?=\{{)", body)
    end = closing(body, loop.end()) if loop else -1
    return kernel.line_at(end) if end >= 0 else None


def _has_loop_to(kernel: KernelFile, quotient: str) -> bool:
    """Return whether the kernel has a loop up to the size of a quotient itself."""
    size = re.escape(re.split(r"\s*(?:/|>>)", quotient)[0])
    return re.search(rf"\bfor\s*\([^;]*;[^;]*<=?\s*{size}\s*[;&|]", kernel.body) is not None


def _quotients(kernel: KernelFile, found: Found) -> Iterator[tuple[str, str, int, int]]:
    """Yield quotients of sizes in the kernel, each with the size that it is of, the divisor and its line."""
    words = words_of_sizes(kernel, found)
    for match in _QUOTIENT.finditer(kernel.body):
        word = words.get(match["name"], "")
        if word in ("rows", "inner", "cols"):
            by = int(match["by"]) if match["by"] else 1 << int(match["shift"])
            yield match[0], word, by, kernel.line_at(match.start())
