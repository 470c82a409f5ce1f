"""Kernels whose threads read what lies around their element: stencils, filters, all pairs, butterflies."""

from __future__ import annotations

import numpy

from tests.counters.corpus.case import Array, Case, integers, output, reals


def windows(image: Array, radius: int, mode: str) -> Array:
    """The neighborhood of every element of a matrix: height x width x side x side."""
    padded = numpy.pad(image, radius, mode=mode)  # type: ignore[call-overload]
    return numpy.lib.stride_tricks.sliding_window_view(padded, (2 * radius + 1, 2 * radius + 1))


def stencil_2d(given):
    """Heat flow in float64."""
    after = given.old.astype(float)
    around = after[1:-1, :-2] + after[1:-1, 2:] + after[:-2, 1:-1] + after[2:, 1:-1]
    after[1:-1, 1:-1] += given.rate * (around - 4 * after[1:-1, 1:-1])
    return {"next": after}


def game_of_life(given):
    """Shifted copies of the torus."""
    turns = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
    alive = sum(numpy.roll(given.old, turn, (0, 1)) for turn in turns)
    return {"next": (alive == 3) | ((alive == 2) & (given.old == 1))}


def median_noinline(given):
    """Medians inside, the border as it is."""
    given.image[1:-1, 1:-1] = numpy.median(windows(given.image, 1, "edge"), (2, 3))[1:-1, 1:-1]
    return {"out": given.image}


def gradient_3d(given):
    """Central differences by slices, in float64."""
    field = given.field.astype(float)
    squares = numpy.zeros_like(field)
    inside = (slice(1, -1),) * 3
    for axis in range(3):
        before, after = list(inside), list(inside)
        before[axis], after[axis] = slice(None, -2), slice(2, None)
        squares[inside] += (field[tuple(after)] - field[tuple(before)]) ** 2
    return {"out": squares}


def nbody(given):
    """All pairs in float64."""
    places, masses = given.bodies[:, :3].astype(float), given.bodies[:, 3].astype(float)
    apart = places[None] - places[:, None]
    pulls = masses * ((apart**2).sum(2) + given.softening) ** -1.5
    return {"accelerations": numpy.pad((apart * pulls[..., None]).sum(1), ((0, 0), (0, 1)))}


CASES = (
    Case(
        "stencil_1d",
        grid=(4, 1, 1),
        block=(128, 1, 1),
        arguments={"values": integers(-1000, 1000, 500), "out": output(500, "i4"), "count": 500},
        expected=lambda given: {"out": numpy.convolve(given.values, numpy.ones(7, int), "same")},
    ),
    Case(
        "stencil_2d",
        grid=(3, 3, 1),
        block=(16, 16, 1),
        arguments={"old": reals((37, 45)), "next": output((37, 45)), "height": 37, "width": 45, "rate": 0.2},
        expected=stencil_2d,
        tolerance=1e-6,
    ),
    Case(
        "convolution_2d",
        grid=(3, 4, 1),
        block=(16, 8, 1),
        arguments={"image": reals((30, 41)), "out": output((30, 41)), "height": 30, "width": 41},
        variables={"weights": reals((5, 5))},
        expected=lambda given: {
            "out": numpy.einsum("yxij,ij->yx", windows(given.image.astype(float), 2, "edge"), given.weights)
        },
        tolerance=1e-6,
    ),
    Case(
        "game_of_life",
        grid=(2, 5, 1),
        block=(32, 8, 1),
        arguments={"old": integers(0, 2, (37, 53), "u1"), "next": output((37, 53), "u1"), "height": 37, "width": 53},
        expected=game_of_life,
    ),
    Case(
        "median_noinline",
        grid=(2, 3, 1),
        block=(16, 8, 1),
        arguments={"image": integers(0, 256, (19, 27)), "out": output((19, 27), "i4"), "height": 19, "width": 27},
        expected=median_noinline,
    ),
    Case(
        "gradient_3d",
        grid=(3, 3, 3),
        block=(8, 4, 4),
        arguments={"field": reals((9, 11, 21)), "out": output((9, 11, 21)), "depth": 9, "height": 11, "width": 21},
        expected=gradient_3d,
        tolerance=1e-6,
    ),
    Case(
        "nbody",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        arguments={"bodies": reals((200, 4)), "accelerations": output((200, 4)), "count": 200, "softening": 0.01},
        expected=nbody,
        tolerance=1e-5,
    ),
    Case(
        "fft_shared",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"signal": reals((3, 256), "c8"), "spectrum": output((3, 256), "c8")},
        expected=lambda given: {"spectrum": numpy.fft.fft(given.signal.astype("c16"))},
        tolerance=1e-6,
    ),
)
