"""Slips of sums by halves that leave nothing of a product to see: steps too few, or one too many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .pair_slips import PairSlip

_LOOP = re.compile(
    r"\bfor\s*\(\s*(?:(?:const\s+)?(?:unsigned\s+int|unsigned|int|size_t|auto|u?int32_t)\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<start>[^;=]+);"
    r"\s*(?P<test>[^;]+);\s*(?P<step>[^;{})]+)\)"
)
_HALVED = r"{name}\s*(?:/=\s*2|>>=\s*1)|{name}\s*=\s*{name}\s*(?:/\s*2|>>\s*1)"
_DOUBLED = r"{name}\s*(?:\*=\s*2|<<=\s*1|\+=\s*{name})|{name}\s*=\s*(?:{name}\s*(?:\*\s*2|<<\s*1)|2\s*\*\s*{name})"
_EARLY = r"{name}\s*(?:>\s*[1-8]|>=\s*[2-8]|!=\s*[1-8])"
_LATE = r"{name}\s*>=\s*0"
_STEP = re.compile(
    r"\bif\s*\(\s*(?P<thread>[\w.]+)\s*<\s*(?P<half>\d+)\s*\)\s*\{?\s*(?P<array>\w+)\s*\[\s*(?P=thread)\s*\]\s*\+=\s*"
    r"(?P=array)\s*\[\s*(?P=thread)\s*\+\s*(?P=half)\s*\]\s*;\s*\}?(?:\s*__syncthreads\s*\(\s*\)\s*;)?"
)
"""A step that is written out: `if (t < 128) s[t] += s[t + 128];`."""
_FIRST_OF_WARP = re.compile(
    r"(?P<sum>\b\w+)\s*=\s*(?P<array>\w+)\s*\[\s*(?P<thread>[\w.]+)\s*\]\s*;(?=[^{}]{0,120}__shfl_)"
)
_PART = r"(?:[^(),;]|\((?:[^();]|\([^()]*\))*\))+"
_WIDTH = re.compile(
    rf"\b__shfl_(?:down_|up_|xor_)?sync\s*\({_PART},{_PART},{_PART},\s*(?P<width>4|8|16|warpSize\s*/\s*[24])\s*\)"
)
"""A shuffle within parts of a warp."""
BODY, WARP_STEP = 240, 32
"""Characters behind a loop's head in which it adds, and how far apart the last two sums for a warp are."""
_WARPS = {"4": "16", "8": "16", "32": "16", "warpSize": "warpSize / 2", "warpSize/4": "warpSize / 2"}
"""Where a sum over a warp can't begin, and where it does."""
_ENDS = {"8": "32", "16": "32", "warpSize/2": "warpSize", "warpSize/4": "warpSize"}


def halving_slips(code: str) -> Iterator[PairSlip]:
    """Yield each loop over halves that ends before the last one, or begins behind or before the first."""
    for loop in _LOOP.finditer(code):
        name, body = loop["name"], code[loop.end() : loop.end() + BODY]
        own = re.escape(name)
        is_of_warp = re.search(rf"\b__shfl_\w+\s*\([^;]*\b{own}\b", body) is not None
        if not is_of_warp and not re.search(rf"\+\s*{own}\b", body):
            continue
        start, test, step = (" ".join(loop[part].split()) for part in ("start", "test", "step"))
        if re.fullmatch(_HALVED.format(name=own), step):
            if re.fullmatch(rf"{own}\s*>\s*64", test):  # where a warp takes the last 64
                yield _slip(loop, "test", f"{name} > 32")
            if re.fullmatch(_EARLY.format(name=own), test) or re.fullmatch(_LATE.format(name=own), test):
                yield _slip(loop, "test", f"{name} > 0")
            for begin in _begins(start.replace(" ", ""), code, is_of_warp=is_of_warp):
                yield _slip(loop, "start", begin)
        ends = re.fullmatch(rf"{own}\s*(?P<than><=?)\s*(?P<end>[\w /]+)", test)
        if is_of_warp and ends and re.fullmatch(_DOUBLED.format(name=own), step):
            end = ends["end"].replace(" ", "")
            now = _ENDS.get(end) if ends["than"] == "<" else {"32": "32", "warpSize": "warpSize"}.get(end)
            if now:
                yield _slip(loop, "test", f"{name} < {now}")
    for shuffle in _WIDTH.finditer(code):
        yield _slip(shuffle, "width", "32")
    yield from _steps_left_out(code)


def _steps_left_out(code: str) -> Iterator[PairSlip]:
    """Yield the step that is missing between two that are written out, and the last one, which a warp begins with."""
    steps = list(_STEP.finditer(code))
    for one, other in pairwise(steps):
        half = int(one["half"]) // 2
        if one["array"] == other["array"] and half == 2 * int(other["half"]):
            yield _step_behind(one, half)
    if steps and int(steps[-1]["half"]) == 4 * WARP_STEP:
        yield _step_behind(steps[-1], 2 * WARP_STEP)
    for first in _FIRST_OF_WARP.finditer(code):
        now = f"{first['sum']} = {first['array']}[{first['thread']}] + {first['array']}[{first['thread']} + 32];"
        yield PairSlip(first.start(), first.end(), now, f"with `{now}` in place of `{' '.join(first[0].split())}`")


def _step_behind(step: re.Match[str], half: int) -> PairSlip:
    thread, array = step["thread"], step["array"]
    now = f"if ({thread} < {half}) {array}[{thread}] += {array}[{thread} + {half}];"
    return PairSlip(step.end(), step.end(), f" {now} __syncthreads();", f"with `{now}` behind it")


def _begins(start: str, code: str, *, is_of_warp: bool) -> Iterator[str]:
    """Yield where a sum by halves may begin in place of where it does: a group of lanes may be less than a warp.

    `LANES / 2` in place of `LANES`, which takes the sum of the next group, or of `LANES / 4`, which leaves a half.
    """
    is_group = re.search(rf"[%/]\s*{re.escape(start)}\b", code) is not None
    if is_of_warp and start in ("4", "8", "16") and is_group:
        yield str(int(start) // 2)
    if is_of_warp and start in _WARPS:
        yield _WARPS[start]
        return
    named = re.fullmatch(r"(?P<of>[A-Za-z_][\w.]*)(?P<part>/4|>>2)?", start)
    if named and (named["part"] or start == "blockDim.x" or (is_of_warp and is_group)):
        yield f"{named['of']} / 2"


def _slip(found: re.Match[str], part: str, now: str) -> PairSlip:
    says = f"with `{now}` in place of `{' '.join(found[part].split())}`"
    return PairSlip(found.start(part), found.end(part), now, says)
