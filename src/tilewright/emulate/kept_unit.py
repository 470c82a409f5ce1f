"""A unit's compiled code on disk: one file each, checked against its SHA-256 before Numba sees any of it.

What Numba keeps is a pickle and machine code, and running a damaged one can do anything. So Numba's own cache, which
trusts its folder, is not used: this one reads a file once, checks it, and hands over the bytes that it has checked.
Whatever is wrong with a file or the folder, the unit is compiled again, and nothing is raised.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from tilewright.kept.file import packed, read_own_file, unpacked, write_own_file
from tilewright.kept.folder import (
    UntrustedFolderError,
    check_folder,
    make_folder,
    no_home_folder,
    reason_of,
    warn_not_kept,
)

KIND = b"NUMB"
SUFFIX = ".unit"
WHAT = "The emulator's compiled code"


class KeptUnit:
    """The file of one unit. To Numba it is a function's cache, which loads and saves compiled code."""

    def __init__(self, folder: Path | None, name: str, signature: Any) -> None:
        self.folder = folder
        self.path = None if folder is None else folder / f"{name}{SUFFIX}"
        self._signature = signature
        self._checked: bytes | None = None

    def is_whole(self) -> bool:
        """Return whether the file exists, belongs to this user and is undamaged; its code is then ready for Numba."""
        if self._checked is None:
            self._checked = self._read()
        return self._checked is not None

    def why_not_kept(self) -> str:
        """Say why nothing can be written where the file belongs; empty when it can. The folder is made for it."""
        if self.folder is None:
            return reason_of(no_home_folder())
        try:
            make_folder(self.folder)
            check_folder(self.folder)
        except UntrustedFolderError as error:
            warn_not_kept(WHAT, error)
            return reason_of(error)
        except OSError:
            return f"{self.folder} cannot be written to"
        return "" if os.access(self.folder, os.W_OK) else f"{self.folder} cannot be written to"

    def cache(self, before_compiling: Callable[[], None]) -> _NumbaCache:
        """Return what Numba asks for compiled code. before_compiling: is called when there is none."""
        return _NumbaCache(self, before_compiling)

    def take(self) -> bytes | None:
        """Return the code that was checked, once: it is not held after that."""
        self.is_whole()
        content, self._checked = self._checked, None
        return content

    def write(self, content: bytes) -> None:
        """Keep a unit's code; warn once where that fails."""
        if self.path is None or self.folder is None:
            return
        try:
            make_folder(self.folder)
            check_folder(self.folder)
            write_own_file(self.path, packed(self._key(), KIND, content))
        except OSError as error:
            warn_not_kept(WHAT, error)

    def remove(self) -> None:
        """Remove what is of no use."""
        if self.path is not None:
            with suppress(OSError):
                self.path.unlink()

    def _read(self) -> bytes | None:
        if self.path is None or self.folder is None:
            return None
        try:
            check_folder(self.folder)
            content = read_own_file(self.path)
        except FileNotFoundError:
            return None
        except UntrustedFolderError as error:
            warn_not_kept(WHAT, error)
            return None
        except OSError:
            content = None
        kind, code = (content is not None and unpacked(content, self._key())) or (b"", b"")
        if kind != KIND:
            self.remove()
            return None
        return code

    def _key(self) -> bytes:
        """Name the code: a file of another unit, folder or processor is not taken for this one's."""
        assert self.path is not None
        target = cpu_target.target_context.codegen().magic_tuple()
        return hashlib.sha256(
            repr((self.path.parent.name, self.path.name, str(self._signature), target)).encode()
        ).digest()


class _NumbaCache:
    """The two questions that Numba asks a function's cache."""

    def __init__(self, kept: KeptUnit, before_compiling: Callable[[], None]) -> None:
        self._kept = kept
        self._before_compiling = before_compiling

    def load_overload(self, _: Any, target_context: Any) -> Any:
        """Return the compiled code from disk; None when it is to be compiled."""
        from numba.core.compiler import CompileResult

        target_context.refresh()
        content = self._kept.take()
        if content is not None:
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(content))  # noqa: S301, SLF001  (checked)
            except Exception:  # noqa: BLE001  (a pickle that cannot be loaded raises anything)
                self._kept.remove()
        self._before_compiling()
        return None

    def save_overload(self, _: Any, result: Any) -> None:
        """Keep what was compiled, unless it holds addresses of this process."""
        if all(lifted.can_cache for lifted in result.lifted) and not result.library.has_dynamic_globals:
            self._kept.write(dumps(result._reduce()))  # noqa: SLF001  (as Numba's own cache does)
