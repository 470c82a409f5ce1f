"""How quantities are written, on a terminal and in a notebook."""

from __future__ import annotations

import math


def duration(seconds: float | None) -> str:
    """Three digits and a unit, as in "12.3us"; "-" for None."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{three_digits(seconds / size)}{unit}"
    return f"{three_digits(seconds * 1e6)}us"


def three_digits(value: float | None) -> str:
    """Three significant digits without an exponent, as in "0.123", "1.23", "12.3" and "1234"; "-" for None."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    for limit, digits in ((0.9995, 3), (9.995, 2), (99.95, 1)):
        if value < limit:
            return f"{value:.{digits}f}"
    return f"{value:.0f}"


def magnitude(value: float | None) -> str:
    """Two digits, with an exponent where that is shorter, as in "3.1e-6" and "3.8"; "-" for None."""
    if value is None:
        return "-"
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    if 0.01 <= abs(value) < 100:
        return f"{value:.2g}"
    digits, _, exponent = f"{value:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"


def extent(size: tuple[int, int, int] | None) -> str:
    """A grid or block without trailing ones, as in "4x4"; "-" for None."""
    if size is None:
        return "-"
    shown = size if size[2] != 1 else size[:2] if size[1] != 1 else size[:1]
    return "x".join(str(side) for side in shown)


def in_words(count_bytes: float) -> str:
    """A size in bytes with a suitable unit, as in "37.3 GiB"."""
    if count_bytes < 1024:
        return f"{count_bytes:.0f} bytes"
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        count_bytes /= 1024
        if count_bytes < 1024:
            return f"{count_bytes:.{3 if count_bytes < 999.5 else 4}g} {unit}"
    return f"{count_bytes / 1024:,.0f} EiB"
