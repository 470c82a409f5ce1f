"""What the public kernels that are no products are given, by file and symbol, and what should come out."""

from __future__ import annotations

from typing import Any

import numpy

_GENERATOR = numpy.random.default_rng(2026)
ROWS, COLS, N = 37, 50, 1000


def _floats(*shape: int) -> Any:
    return _GENERATOR.standard_normal(shape).astype(numpy.float32)


def _doubles(*shape: int) -> Any:
    return _GENERATOR.standard_normal(shape)


def _matrix(
    source: str, target: str, block: str, grid: str, scalars: dict[str, int], dtype: Any = None
) -> dict[str, Any]:
    a = _floats(ROWS, COLS) if dtype is None else _GENERATOR.integers(-99, 99, (ROWS, COLS)).astype(dtype)
    return {
        "arrays": {source: a},
        "expect": {target: a.T.copy()},
        "scalars": scalars,
        "block": block,
        "grid": grid,
    }


def _plain(source: str, target: str, result: Any, a: Any, **more: Any) -> dict[str, Any]:
    return {"arrays": {source: a}, "expect": {target: result}, **more}


def _softmax(a: Any) -> Any:
    raised = numpy.exp(a.astype(numpy.float64) - a.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def _leaky(a: Any) -> Any:
    return numpy.where(a > 0, a, 0.01 * a)


_x, _y = _floats(N), _floats(N)
_m = _floats(ROWS, COLS)
_bytes = _GENERATOR.integers(0, 256, N).astype(numpy.uint8)
_bins = _GENERATOR.integers(0, 64, N)
_ints = _GENERATOR.integers(-9, 9, 1024).astype(numpy.int32)
_counts = numpy.bincount(_bytes, minlength=256)
_dx, _dy, _flags = _doubles(2048), _doubles(2048), _GENERATOR.integers(0, 2, 2048).astype(numpy.int32)
_cube = _doubles(9, 8, 7)
_laplacian = _cube.copy()
_laplacian[1:-1, 1:-1, 1:-1] = -6 * _cube[1:-1, 1:-1, 1:-1] + sum(
    numpy.roll(_cube, step, axis)[1:-1, 1:-1, 1:-1] for axis in range(3) for step in (1, -1)
)
_warp = _floats(100)
_sum2 = {"block": "256", "grid": "4"}

GIVEN: dict[str, dict[str, Any]] = {
    "wrec_trans:matrix_transpose_kernel": _matrix(
        "input", "output", "16,16", '"ceil(cols/16),ceil(rows/16)"'.strip('"'), {"rows": ROWS, "cols": COLS}
    ),
    "wrec_conv:convolution_1d_kernel": {
        "arrays": {"input": _x, "kernel": _y[:7]},
        "expect": {"output": numpy.correlate(_x.astype(float), _y[:7].astype(float), "valid")},
        "scalars": {"input_size": N, "kernel_size": 7},
        "block": "256",
        "grid": "4",
    },
    "rishi_softmax:softmax_kernel": _plain("input", "output", _softmax(_x), _x, scalars={"N": N}),
    "rishi_dot:reduce": {
        "arrays": {"A": _x, "B": _y},
        "expect": {"store": numpy.concatenate([[_x.astype(float) @ _y], numpy.zeros(1023)])},
        "scalars": {"N": N},
        "block": "1024",
        "grid": "1",
    },
    "rishi_hist:histogram_kernel": {
        "arrays": {"input": _bins.astype(numpy.int32), "histogram": numpy.zeros(64, numpy.int32)},
        "expect": {"histogram": numpy.bincount(_bins, minlength=64)},
        "scalars": {"N": N, "num_bins": 64},
    },
    "zihaomu_vadd:vector_add": {"arrays": {"A": _x, "B": _y}, "expect": {"C": _x + _y}, "scalars": {"N": N}},
    "lscat_4938:histo_kernel": {
        "arrays": {"buffer": _bytes, "histo": numpy.zeros(256, numpy.int32)},
        "expect": {"histo": _counts},
        "scalars": {"size": N},
        "block": "256",
        "grid": "2",
    },
    "lscat_10874:histo_kernel": {
        "arrays": {"buffer": _bytes, "histo": numpy.zeros(256, numpy.uint32)},
        "expect": {"histo": _counts},
        "scalars": {"size": N},
        "block": "256",
        "grid": "2",
    },
    "r100001_hist:simple_histogram": {
        "arrays": {"input": _bins.astype(numpy.uint32)},
        "expect": {"bins": numpy.bincount(_bins, minlength=64)},
        "scalars": {"num_elements": N, "num_bins": 64},
        "block": "128",
        "grid": "4",
    },
    "r100001_hist:histogram_shared": {
        "arrays": {"input": _bins.astype(numpy.uint32), "bins": numpy.zeros(64, numpy.uint32)},
        "expect": {"bins": numpy.bincount(_bins, minlength=64)},
        "scalars": {"num_elements": N, "num_bins": 64},
        "block": "128",
        "grid": "4",
        "shared_bytes": "256",
    },
    "zwr17_warpsum:kernel": {
        "arrays": {"a": numpy.ones(2047, numpy.float32)},
        "expect": {"a": numpy.concatenate([[2048.0], numpy.ones(2046)])},
        "scalars": {"n": 2047},
    },
    "id26424609331:TransposeKernel": _matrix("input", "output", "256", "8", {"rows": ROWS, "cols": COLS}),
    "id61127875966:copy_kernel": _plain(
        "in", "out", _m, _m, scalars={"width": COLS, "height": ROWS}, block="32,8", grid="2,2"
    ),
    "id61127875966:transpose_naive_kernel": _matrix("in", "out", "32,8", "2,2", {"width": COLS, "height": ROWS}),
    "id71523451336:transpose_naive": _matrix("a", "b", "32,8", "2,2", {"h": ROWS, "w": COLS, "ldi": COLS, "ldo": ROWS}),
    "id6729987541:addKernel": {
        "arrays": {"A": _m, "B": _y[:COLS]},
        "expect": {"A": _m + _y[:COLS]},
        "scalars": {"A_size": ROWS, "AB_size": COLS},
        "block": "16,16",
        "grid": "4,3",
    },
    "id16259881486:transpose_naive_kernel": {
        key: value
        for key, value in _matrix("input", "output", "", "", {"row": ROWS, "col": COLS}, numpy.int64).items()
        if key not in ("block", "grid")
    },
    "id56136430966:TransposeKernel": _matrix("src", "dst", "32,32", "2,2", {"rows": ROWS, "cols": COLS})
    | {"template_arguments": ("float", "32")},
    "id36972944401:transposeMatrixGPUKernel": {
        "arrays": {"B": _floats(50, 50)},
        "reference": lambda B, size: {"B_T": B.T.copy()},  # noqa: ARG005
        "scalars": {"size": 50},
    },
    "id60302231750:reduce_Q_scmp_kernel": {
        "arrays": {"ux": _dx, "flag": _flags, "sumQ": numpy.zeros(1)},
        "expect": {"sumQ": numpy.array([_dx[_flags > 0].sum()])},
        "scalars": {"nTot": 2048},
        "block": "128",
        "grid": "4",
    },
    "id28320035240:reduceShuffle": {
        "arrays": {"g_idata": _ints},
        "expect": {"g_odata": numpy.array([_ints.sum()])},
        "scalars": {"n": 1024},
        "block": "1024",
        "grid": "1",
    },
    "id49063179485:reduce2": {
        "arrays": {"data": _floats(1024), "out": numpy.zeros(1, numpy.float32)},
        "reference": lambda data, out: {"out": numpy.array([data.sum(dtype=float)])},  # noqa: ARG005
        "template_arguments": ("float",),
        **_sum2,
    },
    "id39914587820:reduce0": {
        "arrays": {"idata": _ints},
        "expect": {"odata": _ints.reshape(2, 512).sum(axis=1)},
        "scalars": {"n": 1024},
        "block": "512",
        "grid": "2",
    },
    "id739748388:dot": {
        "arrays": {"a": _floats(1024)},
        "reference": lambda a, N: {"c": a.astype(float).reshape(4, 256).sum(axis=1)},  # noqa: ARG005
        "scalars": {"N": 1024},
        **_sum2,
    },
    "id37402982140:softmaxKernel": _plain(
        "input", "output", _softmax(_m), _m, scalars={"batch_size": ROWS, "num_classes": COLS}, block="32", grid="2"
    ),
    "id58051967619:row_max": _plain(
        "matrix", "out", _m.max(axis=1), _m, scalars={"rows": ROWS, "cols": COLS}, block="32", grid="2"
    ),
    "id58051967619:row_sum": _plain(
        "matrix", "out", _m.sum(axis=1, dtype=float), _m, scalars={"rows": ROWS, "cols": COLS}, block="32", grid="2"
    ),
    "id71328679173:stencilKernel": {
        "arrays": {"input": _cube, "output": _cube},
        "expect": {"output": _laplacian},
        "scalars": {"nx": 7, "ny": 8, "nz": 9},
        "block": "4,4,4",
        "grid": "2,2,2",
    },
    "id38048938578:stencil_1D": {
        "arrays": {"in": _ints[:38]},
        "expect": {"out": numpy.convolve(_ints[:38], numpy.ones(7, int), "valid")},
        "block": "8",
        "grid": "4",
    },
    "dguo_vadd:AddVectors": {
        "arrays": {"A": _dx[:1024].astype(numpy.float32), "B": _dy[:1024].astype(numpy.float32)},
        "reference": lambda A, B, N: {"C": A + B},  # noqa: ARG005
        "scalars": {"N": 8},
        "block": "32",
        "grid": "4",
    },
    "blag_leaky:leaky_relu_kernel": _plain("input", "output", _leaky(_x), _x, scalars={"N": N}),
    "w4096_leaky:leaky_relu_kernel": _plain("input", "output", _leaky(_x), _x, scalars={"N": N}),
    "ozan_leaky:leaky_relu_kernel": _plain("input", "output", _leaky(_x), _x, scalars={"N": N}),
    "hshindo_reduce:reduce": {
        "arrays": {"in": _ints, "out": numpy.zeros(1, numpy.int32)},
        "expect": {"out": numpy.array([_ints.sum()])},
        "scalars": {"N": 1024},
        **_sum2,
    },
    "zlwu92_reduce:reduce_shared": {
        "arrays": {"d_x": _dx[:1024].astype(numpy.float32)},
        "reference": lambda d_x: {"d_y": d_x.astype(float).reshape(8, 128).sum(axis=1)},
        "block": "128",
        "grid": "8",
    },
}
