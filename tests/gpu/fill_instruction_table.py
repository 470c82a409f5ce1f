"""Run the instruction table on this machine's GPU and write what it answered to `expected.json`.

Needs Python and the driver's libcuda only: `python3 tests/gpu/fill_instruction_table.py [--out FILE]`.
The PTX is compiled by the driver. Takes some seconds.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime as dt
import json
import struct
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "emulate"))

from instructions.module import module_text  # type: ignore[import-not-found]
from instructions.table import EXPECTED, ROWS  # type: ignore[import-not-found]
from instructions.values import digest, operand_tuples  # type: ignore[import-not-found]
from instructions.variants import WIDTH_BITS, Variant  # type: ignore[import-not-found]

ERROR_LOG, ERROR_LOG_BYTES, OPTIMIZATION_LEVEL = 5, 6, 7
MOST_OPTIMIZATION = 4
LOG_BYTES = 1 << 16


class Driver:
    """The few calls of libcuda that the table needs, each checked."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", ctypes.c_uint(0))
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        self.device = device
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a driver function; raise RuntimeError with its error's name."""
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name} failed with {(text.value or b'?').decode()} ({status}).")

    def origin(self) -> dict[str, str]:
        """Return what identifies this reading: device, compute capability, driver, date."""
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, self.device)
        capability = []
        for attribute in (75, 76):
            number = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(number), attribute, self.device)
            capability.append(str(number.value))
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        module = Path("/proc/driver/nvidia/version")
        words = module.read_text().split() if module.exists() else []
        numbers = [word for word in words if word.count(".") >= 1 and word.replace(".", "").isdigit()]
        return {
            "device": name.value.decode(),
            "compute_capability": ".".join(capability),
            "driver": numbers[0] if numbers else "unknown",
            "cuda_of_driver": f"{version.value // 1000}.{version.value % 1000 // 10}",
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
        }

    def load(self, ptx: str, optimization: int = MOST_OPTIMIZATION) -> ctypes.c_void_p:
        """Compile PTX with the driver and return the module; raise RuntimeError with the log."""
        log = ctypes.create_string_buffer(LOG_BYTES)
        keys = (ctypes.c_int * 3)(ERROR_LOG, ERROR_LOG_BYTES, OPTIMIZATION_LEVEL)
        values = (ctypes.c_void_p * 3)(ctypes.addressof(log), LOG_BYTES, optimization)
        module = ctypes.c_void_p()
        text = ctypes.create_string_buffer(ptx.encode())
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text, 3, keys, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error} {log.value.decode(errors='replace')}") from error
        return module

    def run(self, module: ctypes.c_void_p, entry: str, inputs: bytes, threads: int, output_bytes: int) -> bytes:
        """Launch one block of `threads` over `inputs` and return the output buffer."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        source, target = ctypes.c_uint64(), ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(len(inputs)))
        self.call("cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(output_bytes))
        self.call("cuMemcpyHtoD_v2", source, inputs, ctypes.c_size_t(len(inputs)))
        self.call("cuMemsetD8_v2", target, ctypes.c_ubyte(0), ctypes.c_size_t(output_bytes))
        arguments = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, arguments, None)
        self.call("cuCtxSynchronize")
        result = ctypes.create_string_buffer(output_bytes)
        self.call("cuMemcpyDtoH_v2", result, target, ctypes.c_size_t(output_bytes))
        self.call("cuMemFree_v2", source)
        self.call("cuMemFree_v2", target)
        return result.raw


def answers(driver: Driver, module: ctypes.c_void_p, entry: str, row: Variant) -> list[str]:
    """Return the hexadecimal result bits of every case of `row`, results of one case joined by a colon."""
    tuples = operand_tuples(row)
    inputs = b"".join(struct.pack("<Q", value) for values in tuples for value in values)
    width = len(row.outs)
    raw = driver.run(module, entry, inputs, len(tuples), 8 * width * len(tuples))
    slots = struct.unpack(f"<{width * len(tuples)}Q", raw)
    masks = [(1 << WIDTH_BITS[kind]) - 1 for kind in row.outs]
    return [
        ":".join(f"{slots[case * width + place] & mask:x}" for place, mask in enumerate(masks))
        for case in range(len(tuples))
    ]


def main() -> int:
    """Fill the table; exit status 1 when a variant could not be run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=EXPECTED)
    out: Path = parser.parse_args().out
    driver = Driver()
    failures: list[str] = []
    try:
        whole = driver.load(module_text(ROWS))
        modules = [(whole, f"case_{place}") for place in range(len(ROWS))]
    except RuntimeError as error:
        sys.stdout.write(f"The table does not compile as one module, so each row is compiled alone: {error}\n")
        modules = []
    results: dict[str, dict[str, str]] = {}
    for place, row in enumerate(ROWS):
        try:
            module, entry = modules[place] if modules else (driver.load(module_text([row])), "case_0")
            bits = answers(driver, module, entry, row)
        except RuntimeError as error:
            failures.append(f"{row.name}: {error}")
            continue
        results[row.name] = {"operands": digest(operand_tuples(row)), "bits": " ".join(bits)}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in results.items())
    out.write_text(f'{{\n"origin": {json.dumps(driver.origin())},\n"results": {{\n{lines}\n}}\n}}\n')
    sys.stdout.write(f"{len(results)} of {len(ROWS)} rows written to {out}: {driver.origin()}\n")
    for failure in failures:
        sys.stdout.write(f"not run: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
