"""Options that several verbs take."""

from __future__ import annotations

from enum import StrEnum

from .refusals import Refusal

LARGEST_SIZE = 2**63 - 1


class OperationName(StrEnum):
    """The operations, as the option takes them."""

    matmul = "matmul"
    reduced_matmul = "reduced_matmul"
    dot = "dot"


class DtypeName(StrEnum):
    """The element types, as the option takes them."""

    float32 = "float32"
    float64 = "float64"


class PrecisionName(StrEnum):
    """How float32 is multiplied, as the option takes it."""

    auto = "auto"
    ieee = "ieee"
    tf32 = "tf32"
    bf16x6 = "bf16x6"
    fp16x3 = "fp16x3"


class DeviceName(StrEnum):
    """The devices, as the option takes them."""

    auto = "auto"
    gpu = "gpu"
    emulator = "emulator"
    host = "host"


def check_size(size: tuple[int, int, int]) -> None:
    """Refuse sizes that no array has."""
    m, n, k = size
    if not all(0 <= side <= LARGEST_SIZE for side in size):
        raise Refusal(f"--size takes sizes from 0 to {LARGEST_SIZE:,}, not m = {m}, n = {n}, k = {k}.")
