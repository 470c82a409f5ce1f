"""What the planted and the correct kernels should compute: their arrays, and NumPy's answer.

Inputs are small whole numbers, so that every sum is exact in float32 in any order, and a right result is right in
every bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Array = NDArray[Any]
Sizes = Mapping[str, int]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Wrong:
    """An element that is not what it should be: its array, its index in memory, and the two values in words."""

    name: str
    index: int
    words: str


@dataclass(frozen=True)
class Operation:
    """An operation on arrays.

    arrays: shape of each array by name, from the sizes. given: those that hold values before the launch; `zeros` are
    given as 0, the others are outputs that nobody has set. expected: takes the given arrays and the sizes; returns what
    must come out, by name. total: an output whose elements count only as a sum (partial sums of blocks).
    """

    arrays: Callable[[Sizes], Mapping[str, Shape]]
    given: tuple[str, ...]
    expected: Callable[[Mapping[str, Array], Sizes], Mapping[str, Array]]
    zeros: tuple[str, ...] = ()
    total: str = ""
    variables: tuple[str, ...] = ()
    dtypes: Mapping[str, str] | None = None

    def dtype(self, name: str, default: str) -> numpy.dtype[Any]:
        """The type of an array."""
        return numpy.dtype((self.dtypes or {}).get(name, default))

    def inputs(self, sizes: Sizes, dtype: str, rng: numpy.random.Generator) -> dict[str, Array]:
        """The arrays that hold values before the launch."""
        shapes = self.arrays(sizes)
        values: dict[str, Array] = {}
        for name in self.given:
            kind = self.dtype(name, dtype)
            low, high = (0, 256) if kind == numpy.uint8 else (-9, 10)
            values[name] = rng.integers(low, high, shapes[name]).astype(kind)
        for name in self.zeros:
            values[name] = numpy.zeros(shapes[name], self.dtype(name, dtype))
        return values

    def first_wrong(self, got: Mapping[str, Array], given: Mapping[str, Array], sizes: Sizes) -> Wrong | None:
        """Return the first wrong element: every output must be NumPy's, and every input as it was."""
        expected = {**given, **self.expected(given, sizes)}
        for name, array in got.items():
            if name not in expected:
                continue
            right, found = numpy.atleast_1d(expected[name]), array
            if name == self.total:
                right, found = right.sum(keepdims=True), found.sum(keepdims=True)
            is_wrong = ~(found == right.reshape(found.shape))
            if is_wrong.any():
                index = int(is_wrong.argmax())
                place = ", ".join(str(i) for i in numpy.unravel_index(index, found.shape))
                words = f"{name}[{place}] is {found.flat[index]}, and {right.flat[index]} is right"
                return Wrong(name, index, f"{words}; {is_wrong.sum()} of {found.size} are wrong")
        return None


def matrices(sizes: Sizes) -> dict[str, Shape]:
    """The shapes of A (m, k), B (k, n) and C (m, n)."""
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    return {"A": (m, k), "B": (k, n), "C": (m, n)}


def reduced(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """The reduced product: rows of A and columns of B are added in pairs first."""
    a, b = given["A"], given["B"]
    return {"C": (a[0::2] + a[1::2]) @ (b[:, 0::2] + b[:, 1::2])}


def product(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """A times B, for matrices and vectors."""
    return {"C": given["A"] @ given["B"]}


def vectors(sizes: Sizes) -> dict[str, Shape]:
    """A and B (k), and a partial sum for each block."""
    return {"A": (sizes["k"],), "B": (sizes["k"],), "C": (sizes["blocks"],)}


def elements(*names: str, **others: int | str) -> Callable[[Sizes], dict[str, Shape]]:
    """Arrays of n elements, and others of a fixed length or of a size."""

    def shapes(sizes: Sizes) -> dict[str, Shape]:
        more = {name: (sizes[length] if isinstance(length, str) else length,) for name, length in others.items()}
        return {**dict.fromkeys(names, (sizes["n"],)), **more}

    return shapes


def summed(output: str, **others: float) -> Callable[[Mapping[str, Array], Sizes], dict[str, Array]]:
    """The sum of x."""
    rest = {name: numpy.array([value]) for name, value in others.items()}
    return lambda given, _: {output: numpy.array([given["x"].sum(dtype=numpy.float64)]), **rest}


def smoothed(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """Means of three neighbours; the ends stay as they are."""
    x = given["x"]
    y = x.copy()
    y[1:-1] = ((x[:-2] + x[1:-1]) + x[2:]) / numpy.float32(3)
    return {"y": y}


def smoothed_by_tiles(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """Means of three neighbours, with 0 outside."""
    x = numpy.pad(given["x"], 1)
    return {"y": ((x[:-2] + x[1:-1]) + x[2:]) / numpy.float32(3)}


def red_black(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """Each odd element becomes the sum of its neighbours."""
    x = given["x"].copy()
    last = (len(x) - 1) // 2 * 2
    x[1:last:2] = x[0:last:2] + x[2 : last + 1 : 2]
    return {"x": x}


def convolved(given: Mapping[str, Array], sizes: Sizes) -> dict[str, Array]:
    """Weighted sums of neighbours, with 0 outside."""
    length, n = sizes["length"], sizes["n"]
    x = numpy.pad(given["x"], length // 2)
    return {"y": sum(given["weights"][j] * x[j : j + n] for j in range(length))}


def exchanged(given: Mapping[str, Array], sizes: Sizes) -> dict[str, Array]:
    """Each block's doubled elements and those of the next block, added."""
    y = 2 * given["x"]
    return {"y": y, "z": y + numpy.roll(y, -(sizes["n"] // sizes["blocks"]))}


def shifted_difference(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """Each element's right neighbour minus it, 0 for the last."""
    x = given["x"]
    return {"y": numpy.append(x[1:] - x[:-1], numpy.float32(0))}


def counted(given: Mapping[str, Array], _: Sizes) -> dict[str, Array]:
    """How many bytes fall into each of 64 bins."""
    return {"bins": numpy.bincount(given["x"] // 4, minlength=64)}


OPERATIONS: Mapping[str, Operation] = {
    "matmul": Operation(matrices, ("A", "B"), product),
    "matmul_into_zeros": Operation(matrices, ("A", "B"), product, zeros=("C",)),
    "reduced_matmul": Operation(
        lambda sizes: {**matrices(sizes), "C": (sizes["m"] // 2, sizes["n"] // 2)}, ("A", "B"), reduced
    ),
    "dot": Operation(vectors, ("A", "B"), product, total="C"),
    "dot_into_zero": Operation(
        lambda sizes: {**vectors(sizes), "C": (1,)}, ("A", "B"), product, zeros=("C",), total="C"
    ),
    "sum": Operation(elements("x", result=1), ("x",), summed("result")),
    "sum_into_zero": Operation(elements("x", result=1), ("x",), summed("result"), zeros=("result",)),
    "sum_of_parts": Operation(elements("x", sums="threads"), ("x",), summed("sums"), total="sums"),
    "sum_by_last_block": Operation(
        elements("x", sums="blocks", arrived=1, result=1),
        ("x",),
        summed("result", arrived=0),
        zeros=("arrived",),
        dtypes={"arrived": "uint32"},
    ),
    "sum_under_lock": Operation(
        elements("x", total=1, lock=1),
        ("x",),
        summed("total", lock=0),
        zeros=("total", "lock"),
        dtypes={"lock": "int32"},
    ),
    "difference": Operation(elements("x", "y"), ("x",), shifted_difference),
    "smooth": Operation(elements("x", "y"), ("x",), smoothed),
    "smooth_in_place": Operation(elements("x"), ("x",), lambda given, sizes: {"x": smoothed(given, sizes)["y"]}),
    "smooth_by_tiles": Operation(elements("x", "y"), ("x",), smoothed_by_tiles),
    "red_black": Operation(elements("x"), ("x",), red_black),
    "transpose": Operation(
        lambda sizes: {"x": (sizes["n"], sizes["m"]), "y": (sizes["m"], sizes["n"])},
        ("x",),
        lambda given, _: {"y": given["x"].T},
    ),
    "transpose_in_place": Operation(
        lambda sizes: {"x": (sizes["n"], sizes["n"])}, ("x",), lambda given, _: {"x": given["x"].T}
    ),
    "scan": Operation(elements("x", "y"), ("x",), lambda given, _: {"y": numpy.cumsum(given["x"])}),
    "histogram": Operation(
        elements("x", bins=64), ("x",), counted, zeros=("bins",), dtypes={"x": "uint8", "bins": "uint32"}
    ),
    "any_negative": Operation(
        elements("x", found=1),
        ("x",),
        lambda given, _: {"found": numpy.array([(given["x"] < 0).any()], numpy.int32)},
        zeros=("found",),
        dtypes={"found": "int32"},
    ),
    "hand_over": Operation(
        elements("x", "y", "z", flag=1),
        ("x",),
        lambda given, _: {"y": 2 * given["x"], "z": 2 * given["x"][::-1], "flag": numpy.array([1])},
        zeros=("flag",),
        dtypes={"flag": "int32"},
    ),
    "exchange": Operation(
        elements("x", "y", "z", arrived=1),
        ("x",),
        lambda given, sizes: {**exchanged(given, sizes), "arrived": numpy.array([sizes["blocks"]])},
        zeros=("arrived",),
        dtypes={"arrived": "uint32"},
    ),
    "convolve": Operation(elements("x", "y", weights="length"), ("x", "weights"), convolved, variables=("weights",)),
}
