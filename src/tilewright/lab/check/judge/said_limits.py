"""How large comments say that sizes may be: `n up to 5 000 000 000`, `1 <= m, n, k <= 100000`."""

from __future__ import annotations

import re
from collections.abc import Collection

_COUNT = (
    r"(?:million\w*|mio|milion\w*|millones|milh\w+|milioni|миллион\w*|млн|miljo\w*|milyon|juta|triệu"
    r"|billions?|milliard\w*|milliarde\w*|miliard\w*|mld|mrd|млрд|миллиард\w*|mil\s+millones|bilh\w+|miljard\w*|milyar)"
)
_NUMBER = rf"(?:\d{{1,3}}(?:[ .,'_]\d{{3}})+|\d+(?![.,]\d))(?:\s*{_COUNT}\b)?|(?:2|10)\^\d+|1e\d+"
_BILLIONS = re.compile(
    r"billions?|milliard|miliard|mld|mrd|млрд|миллиард|mil\s+millones|bilh|miljard|milyar", re.IGNORECASE
)
_UP_TO = (
    r"(?:\bup\s+to|\bat\s+most|\bmax(?:imum|imal\w*)?\.?(?:\s+of)?|<=|\u2264|\bbis(?:\s+zu)?|\bhöchstens|\bjusqu['\u2019]?\s*(?:à|a)|\bau\s+plus"
    r"|\bhasta|\bcomo\s+máximo|\baté|\bno\s+máximo|\bfino\s+a|\bal\s+massimo|\bdo|\bnajwyżej|\bnejvýše|\baž|\btot|\bhoogstens"
    r"|\bupp?\s+til[l]?|\bhögst|\bopptil|\b\u0434\u043e|\b\u043d\u0435\s+бол\w+|\ben\s+fazla|\bsampai|\bhingga|\blegfeljebb|\benintään|\bέως|最大|\b\u03bc\u03ad\u03c7\w+"
    r"|\b[012]\s*(?:to|bis|y|e|et|und|and|do|\u0434\u043e|tot|a|à|i|\u2013|-|\.\.+|ve|és|ja|og|och))"
)
_LIMIT = re.compile(rf"{_UP_TO}\s*(?:about|etwa|ca\.?|environ|unos|cerca\s+de)?\s*(?P<most>{_NUMBER})", re.IGNORECASE)
_PLANE = re.compile(rf"(?<![\w.])(?P<one>{_NUMBER})\s*[x\u00d7*\u0445]\s*(?P<two>{_NUMBER})(?![\w.])", re.IGNORECASE)
_SENTENCE = re.compile(r"[;\n](?!\s*[a-z])|\.(?=\s)")
_GIVEN = rf"\s*=\s*(?P<number>{_NUMBER})(?![\w.])"
MOST_EXPONENT = 64
LEAST_SIDE = 1000
"""What is less beside an x is a block or a tile."""


def said_limits(comments: str, names: Collection[str]) -> dict[str, int]:
    """Return the largest values that comments say for sizes that they name, as the kernel names them.

    Of several sizes, not all may be so large at once: they say nothing about a product.
    """
    limits: dict[str, int] = {}
    for sentence in _SENTENCE.split(comments):
        named = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)]
        for match in _LIMIT.finditer(sentence) if len(named) == 1 else ():
            limits[named[0]] = max(limits.get(named[0], 0), number_of(match["most"]))
    return limits


def said_examples(comments: str, names: Collection[str]) -> dict[str, int]:
    """Return the largest numbers that comments give sizes by name, `m = 100000 and n = 80000`."""
    found = {name: re.finditer(rf"(?<![\w.]){re.escape(name)}{_GIVEN}", comments) for name in names}
    numbers = {name: [number_of(match["number"]) for match in given] for name, given in found.items()}
    return {name: max(given) for name, given in numbers.items() if given}


def said_matrices(comments: str) -> int:
    """Return the elements of the largest matrix that comments say there is, `60000 x 50000`, or 0."""
    sides = [(number_of(plane["one"]), number_of(plane["two"])) for plane in _PLANE.finditer(comments)]
    return max((one * two for one, two in sides if min(one, two) >= LEAST_SIDE), default=0)


def number_of(text: str) -> int:
    """Return the value of a number in words and digits: `5 000 000 000`, `100 million`, `2^31`, `1e9`."""
    power = re.fullmatch(r"(?P<base>2|10)\^(?P<exponent>\d+)|1e(?P<tens>\d+)", text.strip())
    if power:
        value: int = int(power["base"] or 10) ** min(int(power["exponent"] or power["tens"]), MOST_EXPONENT)
        return value
    digits = re.match(r"\d{1,3}(?:[ .,'_]\d{3})+|\d+", text.strip())
    assert digits is not None
    count, rest = int(re.sub(r"\D", "", digits[0])), text.strip()[digits.end() :]
    return count * (10**9 if _BILLIONS.search(rest) else 10**6 if rest.strip() else 1)
