"""The sentences that the public functions answer bad calls with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilewright

SQUARE = np.ones((4, 4), np.float32)
VECTOR = np.ones(4, np.float32)
FRACTION: Any = 1.5

CALLS: tuple[tuple[str, Callable[[], Any]], ...] = (
    ("inner sizes differ", lambda: tilewright.matmul(SQUARE, np.ones((5, 4), np.float32))),
    ("a number", lambda: tilewright.matmul(SQUARE, 2.0)),
    ("batches differ", lambda: tilewright.matmul(np.ones((2, 4, 4)), np.ones((3, 4, 4)))),
    ("strings", lambda: tilewright.matmul(np.array([["a"]]), np.array([["b"]]))),
    ("objects", lambda: tilewright.matmul(np.array([[None]]), np.array([[None]]))),
    ("kernel unknown", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="strassen")),
    ("kernel of another operation", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="dot/tiled")),
    ("device unknown", lambda: tilewright.matmul(SQUARE, SQUARE, device="tpu")),
    ("tile of a kernel without one", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="numpy", tile=4)),
    ("tile too large", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="tiled", tile=64, device="emulator")),
    ("tile 0", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="tiled", tile=0, device="emulator")),
    ("tile a fraction", lambda: tilewright.matmul(SQUARE, SQUARE, kernel="tiled", tile=FRACTION, device="emulator")),
    (
        "no multiples",
        lambda: tilewright.matmul(
            np.ones((5, 5), np.float32), np.ones((5, 5), np.float32), kernel="tiled_exact", device="emulator"
        ),
    ),
    ("out of another shape", lambda: tilewright.matmul(SQUARE, SQUARE, out=np.empty((3, 3), np.float32))),
    ("out of another type", lambda: tilewright.matmul(SQUARE, SQUARE, out=np.empty((4, 4), np.int8))),
    ("out not writable", lambda: tilewright.matmul(SQUARE, SQUARE, out=np.broadcast_to(np.float32(0), (4, 4)))),
    ("activation unknown", lambda: tilewright.matmul(SQUARE, SQUARE, activation="tanh")),
    ("beta without c", lambda: tilewright.matmul(SQUARE, SQUARE, beta=1.0)),
    ("bias of another length", lambda: tilewright.matmul(SQUARE, SQUARE, bias=np.ones(3, np.float32))),
    ("odd rows", lambda: tilewright.reduced_matmul(np.ones((3, 4)), np.ones((4, 4)))),
    ("reduced, inner sizes differ", lambda: tilewright.reduced_matmul(np.ones((4, 4)), np.ones((5, 4)))),
    ("reduced vectors", lambda: tilewright.reduced_matmul(VECTOR, VECTOR)),
    ("dot of lengths", lambda: tilewright.dot(VECTOR, np.ones(5, np.float32))),
    ("vecdot of lengths", lambda: tilewright.vecdot(VECTOR, np.ones(5, np.float32))),
    ("tensordot axes", lambda: tilewright.tensordot(SQUARE, SQUARE, axes=3)),
    ("chip unknown", lambda: tilewright.find_chip("h300")),
    ("roofline chip unknown", lambda: tilewright.roofline("matmul/tiled", "h300")),
    ("check without a file", lambda: tilewright.check("no_such_file.cu")),
    ("read no file", lambda: tilewright.read_matrix("no_such_matrix.npy")),
    ("read no known kind", lambda: tilewright.read_matrix("matrix.xlsx")),
    ("report of shapes", lambda: tilewright.report(SQUARE, np.ones((5, 4), np.float32))),
    ("watch an unknown kernel", lambda: tilewright.watch("matmul/strassen")),
    ("sweep an unknown kernel", lambda: tilewright.sweep("matmul/strassen")),
    ("explain an unknown device", lambda: tilewright.explain(SQUARE, SQUARE, device="tpu")),
)


def refusals() -> Iterator[tuple[str, str]]:
    """Yield what was wrong, and the kind and the words of the answer."""
    for name, call in CALLS:
        try:
            call()
        except (ValueError, TypeError, OSError, RuntimeError, LookupError) as refused:
            yield name, f"{type(refused).__name__}: {refused}"
        else:
            yield name, "was accepted"
