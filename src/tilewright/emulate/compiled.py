"""Numba as the emulator uses it: compiled once per machine, kept on disk, never stale.

Numba notices an edit of the file that holds a cached function, but not of a function that it calls in another file.
So the folder of the cache is named by a hash of every file of this package, its place, Numba's version and the
processor.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from filelock import FileLock, Timeout
from llvmlite import ir
from numba.core.ccallback import CFunc
from numba.extending import intrinsic

from tilewright.emulate.kept_unit import KeptUnit
from tilewright.kept.folder import kept_folder

OPTIONS: dict[str, Any] = {"error_model": "numpy", "boundscheck": False}

LONGEST_WAIT_SECONDS = 600
"""How long another process may take for a unit before this one compiles it, too."""


SETTINGS = ("CPU_NAME", "CPU_FEATURES", "OPT", "ENABLE_AVX", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE")
"""Numba's settings from the environment that change what it compiles."""


@cache
def cache_key() -> str:
    """Return the hash that names the folder: where the sources are, what they say, Numba, processor."""
    digest = hashlib.sha256(str(Path(__file__).parent).encode())
    digest.update(_hash_of(Path(__file__).parent).encode())
    processor = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    compiler = numba.__version__, llvmlite.__version__, [str(getattr(numba.config, name, "")) for name in SETTINGS]
    digest.update(repr((compiler, sys.version_info[:3], platform.machine(), processor)).encode())
    return digest.hexdigest()[:20]


@cache
def _hash_of(folder: Path) -> str:
    """Return a hash of every source file of a folder and of the folders in it."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """Return where compiled code is kept: in $TILEWRIGHT_CACHE, else in the user's cache folder; None without one."""
    folder = kept_folder("emulate")
    return folder and folder / cache_key()


_LOCK = threading.RLock()
"""The inner functions must be compiled once."""
_INNER: list[Any] = []
_UNITS: list[Unit] = []
_TYPES = {"int": numba.types.int64, "float": numba.types.float64, "bool": numba.types.boolean, "None": numba.types.void}


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that other compiled functions call; its annotations are its types."""
    dispatcher = numba.njit(**OPTIONS)(function)
    _INNER.append(dispatcher)
    return dispatcher


def _compile_inner(function: Callable[..., Any]) -> None:
    """Compile what a function calls for its own types, before Numba makes a variant for each constant argument."""
    for name in function.__code__.co_names:
        dispatcher = function.__globals__.get(name)
        if dispatcher is None or dispatcher not in _INNER:
            continue
        _INNER.remove(dispatcher)
        _compile_inner(dispatcher.py_func)
        kinds = dict(dispatcher.py_func.__annotations__)
        result = _TYPES[kinds.pop("return")]
        dispatcher.compile(result(*[_TYPES[kind] for kind in kinds.values()]))
        dispatcher.disable_compile()


class Unit:
    """A compiled function of integers that is called by its address: from Python, or through `call_unit`.

    Numba optimizes everything that a function calls again with it, so the big parts are units of their own.
    """

    def __init__(self, function: Callable[..., int]) -> None:
        self.function = function
        self.source_folder = Path(function.__code__.co_filename).parent
        self.is_of_emulator = self.source_folder.is_relative_to(Path(__file__).parent)
        self.is_core = self.is_of_emulator
        self._signature = numba.types.int64(*[numba.types.int64] * function.__code__.co_argcount)
        self._kept: KeptUnit | None = None
        _UNITS.append(self)

    @property
    def folder(self) -> Path | None:
        """Where its code is kept: a unit from outside the emulator's own folder depends on its own folder, too."""
        folder = cache_folder()
        if self.is_of_emulator or folder is None:
            return folder
        return folder.with_name(f"{cache_key()}-{_hash_of(self.source_folder)}")

    @property
    def kept(self) -> KeptUnit:
        """Its file."""
        folder = self.folder
        if self._kept is None or self._kept.folder != folder:
            name = f"{self.function.__module__}.{self.function.__name__}"
            self._kept = KeptUnit(folder, name, self._signature)
        return self._kept

    @property
    def is_kept(self) -> bool:
        """Say whether its code is loaded, or on disk and whole."""
        return "compiled" in vars(self) or self.kept.is_whole()

    @cached_property
    def compiled(self) -> Any:
        """The code: from disk when the cache has it, else compiled, and kept when the cache folder can be written."""
        with _LOCK:
            if "compiled" not in vars(self):  # another thread may have been faster
                vars(self)["compiled"] = self._compile()
            return vars(self)["compiled"]

    @property
    def can_be_kept(self) -> bool:
        """Say whether its code can be written to disk."""
        return not self.kept.why_not_kept()

    def compile_unless_begun(self) -> None:
        """Compile it, unless it is on disk or another process is compiling it."""
        with suppress(Timeout), self._begun(wait_seconds=0):
            _ = self.compiled

    def _compile(self) -> Any:
        if self.is_kept or not self.can_be_kept:
            return self._compile_or_load()
        with suppress(Timeout), self._begun(wait_seconds=LONGEST_WAIT_SECONDS):
            return self._compile_or_load()
        return self._compile_or_load()

    @contextmanager
    def _begun(self, wait_seconds: float) -> Iterator[None]:
        """Hold the lock on its compilation; raise Timeout if another process holds it."""
        assert self.folder is not None
        lock = FileLock(self.folder / f"{self.function.__name__}.lock", mode=0o600, is_singleton=True)
        try:
            lock.acquire(timeout=wait_seconds)
        except Timeout:  # an OSError, too
            raise
        except OSError:  # a file system without locks: compiled twice is not wrong
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _compile_or_load(self) -> Any:
        signature = self._signature.args, self._signature.return_type
        compiled: Any = CFunc(self.function, signature, locals={}, options=OPTIONS)
        compiled._cache = self.kept.cache(lambda: _compile_inner(self.function))  # noqa: SLF001  (Numba has no setter)
        compiled.compile()
        return compiled

    @cached_property
    def address(self) -> int:
        """Where the compiled code is in this process."""
        address: int = self.compiled.address
        return address

    @cached_property
    def call(self) -> Callable[..., int]:
        """The code as a Python function that does not hold Python's lock."""
        call: Callable[..., int] = self.compiled.ctypes
        return call


def emitted(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Make a function for compiled code from one that emits its LLVM code, given a builder and the arguments' values.

    signature: Numba's. A function that returns None is for its effect.
    """

    def made(emit: Callable[..., Any]) -> Any:
        def typed(typing_context: Any, *given: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                result = emit(builder, *arguments)
                return context.get_dummy_value() if result is None else result

            return signature, codegen

        context, *parameters = inspect.signature(emit).parameters.values()
        plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in (context, *parameters)]
        wraps(emit)(typed).__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
        return intrinsic(typed)

    return made


def of_words(emit: Callable[..., Any]) -> Any:
    """Make a function for compiled code of 64-bit integers, which returns one or, by its annotation, None."""
    _, *parameters = inspect.signature(emit).parameters
    result = numba.types.void if emit.__annotations__["return"] == "None" else numba.types.int64
    return emitted(result(*[numba.types.int64] * len(parameters)))(emit)


@intrinsic
def call_unit(typing_context, address, *arguments):  # type: ignore[no-untyped-def]  # noqa: ANN002
    """Call the unit at `address` with integers."""
    signature = numba.types.int64(numba.types.int64, numba.types.StarArgTuple([numba.types.int64] * len(arguments)))

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        integer = ir.IntType(64)
        count = len(signature.args[1])
        unpacked = [builder.extract_value(values[1], index) for index in range(count)]
        function_type = ir.FunctionType(integer, [integer] * count)
        function = builder.inttoptr(values[0], function_type.as_pointer())
        return builder.call(function, unpacked)

    return signature, codegen


class OptionalUnit(Unit):
    """A unit that only kernels with certain instructions need (machine/worker.py says which)."""

    def __init__(self, function: Callable[..., int]) -> None:
        super().__init__(function)
        self.is_core = False


class ObservedUnit(OptionalUnit):
    """A unit that only observed launches need."""


def units() -> list[Unit]:
    """Return the units of all modules that are imported."""
    return list(_UNITS)


def units_of_core() -> list[Unit]:
    """Return the units that every launch needs."""
    return [unit for unit in _UNITS if unit.is_core]


def is_compiled(units: Iterable[Unit] | None = None) -> bool:
    """Say whether units (None: those of every launch) are loaded or on disk, so that a wait is announced."""
    return all(unit.is_kept for unit in (units_of_core() if units is None else units))


def how_often(units: Iterable[Unit]) -> str:
    """Return in words how often units are compiled: once, or in each process and why they cannot be kept."""
    reason = next(filter(None, (unit.kept.why_not_kept() for unit in units)), "")
    return f"in each process, because {reason}" if reason else "once per machine"
