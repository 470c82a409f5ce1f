"""Runs mutants in a process of its own: a line of JSON in, a line of JSON out.

All memory that compiled code may write lies between canaries, and what it must never write is compared with a copy.
"""

from __future__ import annotations

import json
import sys
import traceback
import zlib
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

import tilewright.emulate.machine.launch
import tilewright.emulate.machine.memory
import tilewright.emulate.machine.worker
from tests.emulate.fuzzing.corpus import CALLS
from tests.emulate.running import PTX_HEADER
from tilewright.emulate import EmulationError, Emulator
from tilewright.emulate.faults import LaunchLimitError
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.observers import Observer, RaceObserver, UninitialisedObserver
from tilewright.emulate.ptx.parser import Variable
from tilewright.emulate.ptx.slots import ContainmentError

GUARD_BYTES = 4096
CANARY = 0xA5
MEMORY_BYTES = 64 << 20
INSTRUCTIONS = 20_000


class Guards:
    """The memories that were handed out, each between two runs of canaries."""

    def __init__(self) -> None:
        self.held: list[tuple[np.ndarray[Any, Any], int, int]] = []

    def aligned_bytes(self, nbytes: int) -> np.ndarray[Any, Any]:
        """Return zeroed bytes at a multiple of 64, with canaries before and behind."""
        raw = np.full(nbytes + 2 * GUARD_BYTES + 64, CANARY, np.uint8)
        start = GUARD_BYTES + -(raw.ctypes.data + GUARD_BYTES) % 64
        self.held.append((raw, start, start + nbytes))
        raw[start : start + nbytes] = 0
        return raw[start : start + nbytes]

    def check(self) -> None:
        """Raise AssertionError if a canary was overwritten, and forget what was handed out."""
        held, self.held = self.held, []
        for raw, start, end in held:
            around = np.concatenate([raw[:start], raw[end:]])
            assert (around == CANARY).all(), f"{np.count_nonzero(around != CANARY)} bytes were written behind a memory"


def install(guards: Guards) -> None:
    """Let the emulator take its memory from `guards`, and watch what no instruction may change."""
    for module in (tilewright.emulate.machine.worker, tilewright.emulate.machine.launch):
        setattr(module, "aligned_bytes", guards.aligned_bytes)  # noqa: B010  (no name of the module's own)
    allocation = tilewright.emulate.machine.memory.Allocation
    create = allocation.__init__

    def guarded(self: Any, memory: Any, address: int, nbytes: int, name: str, writable: bool) -> None:
        create(self, memory, address, nbytes, name, writable)
        data = guards.aligned_bytes(nbytes)
        data[:] = self.data
        self.data = data

    allocation.__init__ = guarded  # type: ignore[method-assign]
    run = Launch.run

    def watched(self: Launch, *arguments: Any) -> Any:
        before = zlib.crc32(self.constants.tobytes()), zlib.crc32(self.module.rows.tobytes())
        try:
            return run(self, *arguments)
        finally:
            after = zlib.crc32(self.constants.tobytes()), zlib.crc32(self.module.rows.tobytes())
            assert before == after, "a launch has changed its own constants or instructions"

    Launch.run = watched  # type: ignore[method-assign, assignment]


def outcome(text: str, seed: int) -> str:
    """Load and launch a mutant; return `result`, `fault`, `refusal`, or what went wrong."""
    random = Random(seed)
    emulator = Emulator(workers=random.choice((1, 1, 2)), memory_budget_bytes=MEMORY_BYTES)
    try:
        module = emulator.load(text)
    except ContainmentError as error:
        return f"slipped past the types: {error}"
    except EmulationError:
        return "refusal"
    if not module.kernels:
        return "refusal"
    kernel = random.choice(module.kernels)
    try:
        values = arguments(module.code.functions[kernel].parameters, emulator, random)
    except EmulationError:
        return "refusal"
    watching: Sequence[Observer] = random.choice(((), (), (), (RaceObserver(),), (UninitialisedObserver(),)))
    try:
        emulator.launch(
            module,
            kernel,
            grid=random.choice((1, 2, 9)),
            block=random.choice(((32, 1), (16, 4), (8, 8), (48, 1))),
            arguments=values,
            dynamic_shared_bytes=random.choice((0, 256, 4096)),
            instruction_budget=INSTRUCTIONS,
            observers=watching,
            schedule=random.choice(("round_robin", "random")),
        )
    except EmulationError as error:
        return "fault" if len(str(error)) > len(type(error).__name__) + 10 else f"says nothing: {error}"
    except LaunchLimitError:  # what no GPU would launch
        return "refusal"
    except ValueError as error:
        return "refusal" if kernel in str(error) else traceback.format_exc()
    return "result"


def arguments(parameters: Sequence[Variable], emulator: Emulator, random: Random) -> list[object]:
    """Return an array for each pointer, a small number for each number, bytes for a struct."""
    values: list[object] = []
    for parameter in parameters:
        if parameter.count is not None or parameter.type not in ("u64", "b64", "s64"):
            is_number = parameter.count is None and parameter.type[0] in "usbf" and parameter.nbytes in (4, 8)
            number = random.choice((1, 5, 16, 40)) if is_number else None
            values.append(number if number is not None else bytes(min(parameter.nbytes, 1 << 16)))
        else:
            allocation = emulator.allocate(random.choice((64, 4096, 65536)), name=parameter.name)
            allocation.write(np.zeros(allocation.nbytes, np.uint8))
            values.append(allocation)
    return values


def main() -> None:
    """Answer each line of standard input."""
    outcome(PTX_HEADER + CALLS, seed=0)
    for observer in (RaceObserver(), UninitialisedObserver()):
        # Compiled now: no mutant is to wait for that.
        emulator = Emulator(workers=1)
        module = emulator.load(PTX_HEADER + ".visible .entry kernel() { ret; }")
        emulator.launch(module, "kernel", grid=1, block=1, observers=[observer])
    guards = Guards()
    install(guards)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        request = json.loads(line)
        guards.held.clear()
        try:
            said = outcome(request["text"], request["seed"])
            guards.check()
        except BaseException:  # noqa: BLE001  (whatever it is, it is the answer)
            said = traceback.format_exc()
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
