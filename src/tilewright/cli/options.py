"""Options that several verbs take."""

from __future__ import annotations

from enum import StrEnum


class OperationName(StrEnum):
    """The operations, as the option takes them."""

    matmul = "matmul"
    reduced_matmul = "reduced_matmul"
    dot = "dot"


class DtypeName(StrEnum):
    """The element types, as the option takes them."""

    float32 = "float32"
    float64 = "float64"


class DeviceName(StrEnum):
    """The devices, as the option takes them."""

    auto = "auto"
    gpu = "gpu"
    emulator = "emulator"
    host = "host"
