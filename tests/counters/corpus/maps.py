"""Kernels whose threads each compute elements of their own."""

from __future__ import annotations

import numpy

from tests.counters.corpus.case import Array, Case, constant, integers, output, reals, zeros

REGION = numpy.array(
    ((-1.5, -1.0, -0.5), 0.25, (12, 8, 4), False),
    numpy.dtype(
        [("origin", "<f4", 3), ("spacing", "<f4"), ("cells", "<i4", 3), ("is_closed", "?")],
    ),
)
ON = [1, 1, 0, 1, 0, 1]


def fma(x: Array, y: Array, z: Array) -> Array:
    """float32 x * y + z; float64 holds the product exactly."""
    return (x.astype(float) * y + z).astype(numpy.float32)


def mandelbrot(given):
    """The kernel's steps, all pixels at once."""
    y, x = numpy.indices((given.height, given.width)).astype(numpy.float32)
    c_real, c_imaginary = fma(x, given.spacing, given.left), fma(-y, given.spacing, given.top)
    real, imaginary = numpy.zeros_like(x), numpy.zeros_like(x)
    steps = numpy.zeros((given.height, given.width), numpy.int32)
    for _ in range(given.limit):
        inside = fma(real, real, imaginary * imaginary) <= 4
        steps += inside
        following = fma(real, real, fma(-imaginary, imaginary, c_real))
        imaginary = numpy.where(inside, fma(2 * real, imaginary, c_imaginary), imaginary)
        real = numpy.where(inside, following, real)
    return {"steps": steps}


def monte_carlo(given):
    """Xorshift in 32-bit integers."""
    state = (given.seed ^ numpy.arange(3 * 64, dtype=numpy.uint32) * numpy.uint32(2654435761)) | numpy.uint32(1)
    total = 0
    for _ in range(given.throws):
        half_squares = []
        for _axis in range(2):
            state ^= state << numpy.uint32(13)
            state ^= state >> numpy.uint32(17)
            state ^= state << numpy.uint32(5)
            half_squares.append((state >> numpy.uint32(16)) ** 2 // 2)
        total += int((half_squares[0] + half_squares[1] < 2**31).sum())
    return {"hits": numpy.array([total], numpy.uint32)}


def run(program: Array, value: int) -> int:
    """One program of switch_interpreter in Python's integers."""
    memory, word = 1, 2**32
    for instruction in program:
        signed = value - word if value >= word // 2 else value
        if instruction == 4:
            memory = value
        elif instruction == 8:
            memory = value.bit_count()
        results = (
            value + memory,
            value - memory,
            value * memory,
            value ^ memory << 3,
            value,
            ~signed if signed < 0 else signed,
            value // (memory % 7 + 1),
            signed >> (memory & 7),
            max(value, memory),
            max(value, memory),
            min(value, 1000),
            int(f"{value:032b}"[::-1], 2),
        )
        value = results[instruction] % word
    return value


def struct_parameter(given):
    """The cell of each point, in float32 as the kernel divides."""
    x, y, z = numpy.floor((given.points - REGION["origin"]) / REGION["spacing"]).astype(int).T
    width, height, depth = REGION["cells"]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height) & (z >= 0) & (z < depth)
    return {"cells": numpy.where(inside, (z * height + y) * width + x, -1)}


def days_int64(given):
    """NumPy's calendar, and the hash in unsigned integers."""
    hashed = given.seconds.astype(numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    hashed ^= hashed >> numpy.uint64(29)
    roots = (numpy.sqrt((hashed >> numpy.uint64(40)).astype(float)) * 16).astype(numpy.uint64)
    return {
        "years": given.seconds.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970,
        "fractions": given.seconds % 86400 / 86400,
        "hashes": hashed % numpy.uint64(1000003) << numpy.uint64(32) | roots,
    }


def grid_stride(given):
    """How many values each thread meets before a negative one."""
    threads = given.counts.size
    for thread in range(threads):
        if given.is_on[thread // 64]:
            met = given.values[thread::threads] < 0
            given.counts[thread] = met.argmax() if met.any() else met.size
    return {"counts": given.counts}


CASES = (
    Case(
        "vector_add",
        grid=(4, 1, 1),
        block=(256, 1, 1),
        arguments={"a": reals(1000), "b": reals(1000), "c": output(1000), "count": 1000},
        expected=lambda given: {"c": given.a + given.b},
    ),
    Case(
        "saxpy_float4",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"x": reals(1203), "y": reals(1203), "alpha": 1.7, "count": 1203},
        expected=lambda given: {"y": fma(given.x, given.alpha, given.y)},
    ),
    Case(
        "strided_copy",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={"source": reals(1500, float), "target": output(300, float), "count": 300, "stride": 5},
        expected=lambda given: {"target": given.source[::5]},
    ),
    Case(
        "transpose_naive",
        grid=(5, 4, 1),
        block=(16, 16, 1),
        arguments={"source": reals((50, 70)), "target": output((70, 50)), "rows": 50, "columns": 70},
        expected=lambda given: {"target": given.source.T},
    ),
    Case(
        "transpose_shared",
        grid=(3, 2, 1),
        block=(32, 8, 1),
        arguments={"source": reals((50, 70)), "target": output((70, 50)), "rows": 50, "columns": 70},
        expected=lambda given: {"target": given.source.T},
    ),
    Case(
        "half_saxpy",
        grid=(2, 1, 1),
        block=(96, 1, 1),
        arguments={"x": reals(301, "f2"), "y": reals(301, "f2"), "alpha": 0.3, "count": 301},
        expected=lambda given: {"y": given.x.astype(float) * numpy.float16(given.alpha) + given.y},
    ),
    Case(
        "template_scale",
        entry="_Z5scaleIfLi2EEvPKT_PS0_S0_i",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        arguments={"values": reals(333), "out": output(333), "factor": 0.7, "count": 333},
        expected=lambda given: {"out": given.values * given.factor},
    ),
    Case(
        "template_scale",
        entry="_Z5scaleIsLi4EEvPKT_PS0_S0_i",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments={
            "values": integers(-30000, 30000, 333, "i2"),
            "out": output(333, "i2"),
            "factor": numpy.int16(7),
            "count": 333,
        },
        expected=lambda given: {"out": given.values * given.factor},
    ),
    Case(
        "struct_parameter",
        grid=(3, 1, 1),
        block=(96, 1, 1),
        arguments={
            "region": REGION.tobytes().ljust(32, b"\0"),
            "points": reals((250, 3)),
            "cells": output(250, "i4"),
            "count": 250,
        },
        expected=struct_parameter,
    ),
    Case(
        "function_pointers",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        arguments={"kinds": integers(0, 4, 200), "x": reals(200), "out": output(200), "count": 200},
        expected=lambda given: {
            "out": numpy.choose(
                given.kinds,
                [given.x, relu := numpy.maximum(given.x, 0), relu + (given.x - relu) / 8, given.x * given.x],
            )
        },
    ),
    Case(
        "polynomial_noinline",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        arguments={
            "coefficients": reals(7, float),
            "degree": 6,
            "x": reals(100, float),
            "out": output(100, float),
            "count": 100,
        },
        expected=lambda given: {"out": numpy.polyval(given.coefficients[::-1], given.x)},
        tolerance=1e-14,
    ),
    Case(
        "days_int64",
        grid=(2, 1, 1),
        block=(128, 1, 1),
        arguments={
            "seconds": integers(-(10**11), 10**11, 250, "i8"),
            "years": output(250, "i4"),
            "fractions": output(250, float),
            "hashes": output(250, "u8"),
            "count": 250,
        },
        expected=days_int64,
    ),
    Case(
        "switch_interpreter",
        grid=(3, 1, 1),
        block=(128, 1, 1),
        arguments={
            "programs": integers(0, 12, (300, 8), "u1"),
            "inputs": integers(0, 2**32, 300, "u4"),
            "results": output(300, "u4"),
            "count": 300,
        },
        expected=lambda given: {
            "results": numpy.array([run(*each) for each in zip(given.programs, given.inputs.tolist(), strict=True)])
        },
    ),
    Case(
        "mandelbrot",
        grid=(4, 5, 1),
        block=(16, 8, 1),
        arguments={
            "steps": output((37, 60), "i4"),
            "height": 37,
            "width": 60,
            "left": -2.1,
            "top": 1.2,
            "spacing": 0.06,
            "limit": 100,
        },
        expected=mandelbrot,
    ),
    Case(
        "monte_carlo",
        grid=(3, 1, 1),
        block=(64, 1, 1),
        arguments={"seed": numpy.uint32(12345), "throws": 25, "hits": zeros(1, "u4")},
        expected=monte_carlo,
    ),
    Case(
        "grid_stride",
        grid=(6, 1, 1),
        block=(64, 1, 1),
        arguments={
            "is_on": constant(ON, "u1"),
            "values": integers(-1, 8, 1500),
            "counts": output(384, "i4"),
            "count": 1500,
        },
        expected=grid_stride,
    ),
)
