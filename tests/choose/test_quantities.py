"""How quantities are written, at the borders of each unit and number of digits."""

from __future__ import annotations

import math

import pytest

from tilewright.choose.quantities import duration, extent, in_words, magnitude, three_digits


@pytest.mark.parametrize(
    ("write", "value", "written"),
    [
        (duration, None, "-"),
        (duration, 0.9996, "1.00s"),
        (duration, 0.9994, "999ms"),
        (duration, 0.00099955, "1.00ms"),
        (duration, 0.0009994, "999us"),
        (duration, 1.5e-6, "1.50us"),
        (duration, 2e-8, "0.020us"),
        (duration, 1234.0, "1234s"),
        (three_digits, None, "-"),
        (three_digits, 0, "0"),
        (three_digits, 1, "1.00"),
        (three_digits, 0.12345, "0.123"),
        (three_digits, 0.9994, "0.999"),
        (three_digits, 0.9995, "1.00"),
        (three_digits, 9.994, "9.99"),
        (three_digits, 9.996, "10.0"),
        (three_digits, 99.94, "99.9"),
        (three_digits, 99.95, "100"),
        (three_digits, 1234.4, "1234"),
        (magnitude, None, "-"),
        (magnitude, 0, "0"),
        (magnitude, 1, "1"),
        (magnitude, math.inf, "inf"),
        (magnitude, 0.01, "0.01"),
        (magnitude, 0.0099, "9.9e-3"),
        (magnitude, -3.84, "-3.8"),
        (magnitude, 99.4, "99"),
        (magnitude, 100, "1.0e2"),
        (magnitude, 3.14e-6, "3.1e-6"),
        (extent, None, "-"),
        (extent, (4, 4, 2), "4x4x2"),
        (extent, (4, 1, 2), "4x1x2"),
        (extent, (4, 4, 1), "4x4"),
        (extent, (4, 2, 1), "4x2"),
        (extent, (4, 1, 1), "4"),
        (extent, (1, 1, 1), "1"),
        (in_words, 1023, "1023 bytes"),
        (in_words, 1024, "1 KiB"),
        (in_words, 999 * 1024, "999 KiB"),
        (in_words, 1000 * 1024, "1000 KiB"),
        (in_words, 1024**2 - 1, "1024 KiB"),
        (in_words, 1024**2, "1 MiB"),
        (in_words, 37.3 * 1024**3, "37.3 GiB"),
        (in_words, 1024**4, "1 TiB"),
        (in_words, 5 * 1024**5, "5 PiB"),
        (in_words, 1024**6, "1 EiB"),
        (in_words, 3000 * 1024**6, "3,000 EiB"),
    ],
)
def test_quantities_are_written_so(write, value, written):
    """A unit begins where three digits of the smaller one would round to it."""
    assert write(value) == written
