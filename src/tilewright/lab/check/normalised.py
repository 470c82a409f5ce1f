"""What makes the numbers of each row alike in size, as data: softmax, layer normalization and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
EXACTLY = 8
"""How often a result of whole numbers may have been rounded: their sums are exact."""
FROM_EXPONENTS = 256
"""The same of powers of e, which the fast ones of a GPU lose digits of, and of sums that are no longer exact."""
EPSILON = 1e-5
_NORMAL = (
    r"norm(?!al(?:ly)?\b)|standardi|\u6b63\u898f\u5316|\u5f52\u4e00|\u0441\u0442\u0430\u043d\u0434\u0430\u0440\u0442"
)


@dataclass(frozen=True)
class Normalised:
    """What is computed of a row's numbers. said: in words. words: a pattern of what files say that do this.

    is_of_exponents: whether powers of e are taken. has_epsilon: whether an epsilon is added before a square root.
    scale: the size of the results where differences make them inexact. is_centred: whether the mean is subtracted.
    is_of_sample: whether the squares are divided by one less than their number; of one number nothing is expected.
    """

    name: str
    said: str
    words: str
    is_of_rows: bool = True
    is_of_exponents: bool = False
    has_epsilon: bool = False
    scale: float = 0.0
    epsilon: float = EPSILON
    is_centred: bool = False
    is_of_sample: bool = False

    def result(self, a: Array) -> Array:
        """Return the result for the rows of A, or for a vector."""
        if self.is_of_exponents:
            apart = a - a.max(-1, keepdims=True)
            powers = numpy.exp(apart)
            total = powers.sum(-1, keepdims=True)
            return numpy.asarray(apart - numpy.log(total) if "log" in self.name else powers / total)
        centred = a - a.mean(-1, keepdims=True) if self.is_centred else a
        squares = centred * centred
        if not self.has_epsilon:
            return numpy.asarray(a / numpy.sqrt(squares.sum(-1, keepdims=True)))
        if self.is_of_sample and a.shape[-1] == 1:
            return numpy.full(a.shape, numpy.nan)
        share = squares.sum(-1, keepdims=True) / (a.shape[-1] - self.is_of_sample)
        return numpy.asarray(centred / numpy.sqrt(share + self.epsilon))


_SOFTMAX = "soft_?max|expsum"
NORMALISED = (
    Normalised("row_softmax", "the softmax of each row", _SOFTMAX, is_of_exponents=True),
    Normalised("softmax", "the softmax of a vector", _SOFTMAX, is_of_rows=False, is_of_exponents=True),
    Normalised(
        "row_log_softmax", "the logarithm of the softmax of each row", _SOFTMAX, is_of_exponents=True, scale=8.0
    ),
    Normalised(
        "layer_norm",
        "each row less its mean, by its standard deviation",
        _NORMAL,
        has_epsilon=True,
        scale=1.0,
        is_centred=True,
    ),
    Normalised(
        "layer_norm_of_sample",
        "each row less its mean, by the standard deviation of a sample",
        _NORMAL,
        has_epsilon=True,
        scale=1.0,
        is_centred=True,
        is_of_sample=True,
    ),
    Normalised(
        "rms_norm",
        "each row by the root of the mean of its squares",
        r"\brms|rms_?norm|root.mean",
        has_epsilon=True,
        scale=1.0,
    ),
    Normalised("row_unit", "each row by its norm", _NORMAL),
)
