"""Compiled code is kept between processes and never outlives an edit of the emulator."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright.emulate
from tests.emulate.flip_bits import flip
from tests.emulate.popcount import COUNTED, answers, started
from tests.emulate.running import entry_of, launch
from tests.emulate.small_unit import fresh
from tilewright.emulate import compiled
from tilewright.kept.folder import make_folder

PACKAGE = Path(tilewright.emulate.__file__).parent
ORIGINAL, EDITED = '_count_bits("ctpop")', '_count_bits("ctlz")'
"""An edit deep below the function that Numba caches: popc becomes clz."""


def counts(folder: Path) -> list[int]:
    """What a new process on the copy of the emulator in `folder` counts."""
    return answers(started(folder / "cache", folder))[0]


def copy_emulator(package: Path) -> None:
    """Copy what the emulator consists of into a package of the same name."""
    for folder in ("emulate", "kept"):
        shutil.copytree(PACKAGE.parent / folder, package / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    shutil.copy(PACKAGE.parent / "lazy.py", package)


def kept_units(folder: Path) -> list[str]:
    """The units that the copy in `folder` has compiled, each as often as it was."""
    return sorted(path.name.split(".")[-2] for path in (folder / "cache").rglob("*.unit"))


@pytest.mark.slow
def test_from_an_empty_cache_to_an_edit_and_back(tmp_path):
    """Two processes on an empty cache are both right, and each unit is compiled by one of them.

    Then a new process sees an edited callee at once, and the old result again when the edit is taken back.
    """
    package = tmp_path / "tilewright"
    copy_emulator(package)
    file = next(path for path in package.rglob("*.py") if ORIGINAL in path.read_text())
    before = file.read_text()

    together = [started(tmp_path / "cache", tmp_path) for _ in range(2)]
    assert [answers(process)[0] for process in together] == [COUNTED] * 2
    assert kept_units(tmp_path) == sorted(unit.function.__name__ for unit in compiled.units_of_core())
    file.write_text(before.replace(ORIGINAL, EDITED))
    assert counts(tmp_path) != COUNTED
    twice = kept_units(tmp_path)
    file.write_text(before)
    assert counts(tmp_path) == COUNTED
    assert kept_units(tmp_path) == twice


@pytest.mark.slow
def test_cache_folder_is_named_by_every_source_file(tmp_path):
    """The cache's key changes with any byte of any file of the package, those in its folders included."""
    package = tmp_path / "tilewright"
    copy_emulator(package)
    program = "from tilewright.emulate.compiled import cache_folder; print(cache_folder())"

    def folder() -> str:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "TILEWRIGHT_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
        )
        return done.stdout

    seen = {folder()}
    files = sorted(path for path in (package / "emulate").glob("*.py") if path.name != "__init__.py")
    for file in (
        files[0],
        files[len(files) // 2],
        files[-1],
        package / "emulate" / "observers" / "races" / "records.py",
    ):
        file.write_text(file.read_text() + "\n# edited\n")
        seen.add(folder())
    assert len(seen) == 5


@pytest.mark.slow
def test_files_that_were_damaged(tmp_path):
    """Files that are damaged do not stop a launch: what they held is compiled anew, and kept by the next process."""
    launch(entry_of("kernel", [], "ret;"))
    folder = compiled.cache_folder()
    assert folder is not None
    make_folder(tmp_path / "emulate")
    shutil.copytree(folder, tmp_path / "emulate" / folder.name)
    (cut,), (flipped,) = (list(tmp_path.rglob(f"*.{name}.unit")) for name in ("try_warp_sync", "run_blocks"))
    cut.write_bytes(cut.read_bytes()[:40])
    flip(flipped, 8 * 50000)

    for is_first in (True, False):
        counted, said = answers(started(tmp_path))
        assert counted == COUNTED
        assert ("Compiling" in said) is is_first


def test_unit_that_another_process_has_begun(tmp_path, monkeypatch):
    """A unit whose file another process holds is left to it, and compiled once the file is free."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    unit = fresh()
    assert unit.can_be_kept
    assert unit.folder is not None
    held = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(unit.folder / "add_one.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert held.stdout is not None
    assert held.stdin is not None
    assert held.stdout.readline() == b"held\n"
    unit.compile_unless_begun()
    assert not list(tmp_path.rglob("*.unit"))

    held.communicate(b"\n")
    unit.compile_unless_begun()
    assert list(tmp_path.rglob("*.add_one.unit"))
    assert unit.call(41) == 42


HOLDER = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""
