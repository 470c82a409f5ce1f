"""Compiled code is kept between processes and never outlives an edit of the emulator."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright.emulate
from tests.emulate.running import entry_of, launch
from tilewright.emulate import compiled
from tilewright.emulate.schedule import run_blocks

PACKAGE = Path(tilewright.emulate.__file__).parent
PROGRAM = """
import numpy as np
from tilewright.emulate import Emulator
text = '''.version 8.5
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 y) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
    popc.b32 %r2, %r1; st.global.u32 [%rd1], %r2; ret;
}'''
emulator = Emulator(workers=1)
y = emulator.allocate(128, name="y")
emulator.launch(emulator.load(text), "kernel", grid=(1, 1, 1), block=(32, 1, 1), arguments=[y])
print(*y.read(np.int32, (32,)))
"""
ORIGINAL, EDITED = '_count_bits("ctpop")', '_count_bits("ctlz")'
"""An edit deep below the function that Numba caches: popc becomes clz."""


def started(folder: Path) -> subprocess.Popen[str]:
    """Start a small program in a new process on the copy of the emulator in `folder`."""
    environment = os.environ | {"PYTHONPATH": str(folder), "TILEWRIGHT_CACHE": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def answers(process: subprocess.Popen[str]) -> list[int]:
    """Wait for the program, and return what it counted."""
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return [int(word) for word in output.split()]


def kept_units(folder: Path) -> list[str]:
    """The units that the copy in `folder` has compiled, each as often as it was."""
    return sorted(path.name.split(".")[1].rpartition("-")[0] for path in (folder / "cache").rglob("*.nbc"))


@pytest.mark.slow
def test_from_an_empty_cache_to_an_edit_and_back(tmp_path):
    """Two processes on an empty cache are both right, and each unit is compiled by one of them.

    Then a new process sees an edited callee at once, and the old result again when the edit is taken back.
    """
    package = tmp_path / "tilewright"
    shutil.copytree(PACKAGE, package / "emulate", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    file = next(path for path in package.rglob("*.py") if ORIGINAL in path.read_text())
    before = file.read_text()
    counted = [lane.bit_count() for lane in range(32)]

    together = [started(tmp_path) for _ in range(2)]
    assert [answers(process) for process in together] == [counted] * 2
    assert kept_units(tmp_path) == sorted(unit.function.__name__ for unit in compiled.units_of_core())
    file.write_text(before.replace(ORIGINAL, EDITED))
    assert answers(started(tmp_path)) != counted
    twice = kept_units(tmp_path)
    file.write_text(before)
    assert answers(started(tmp_path)) == counted
    assert kept_units(tmp_path) == twice


@pytest.mark.slow
def test_cache_folder_is_named_by_every_source_file(tmp_path):
    """The cache's key changes with any byte of any file of the package."""
    package = tmp_path / "tilewright"
    shutil.copytree(PACKAGE, package / "emulate", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    program = "from tilewright.emulate.compiled import cache_folder; print(cache_folder())"

    def folder() -> str:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "TILEWRIGHT_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
        )
        return done.stdout

    seen = {folder()}
    files = sorted(path for path in (package / "emulate").glob("*.py") if path.name != "__init__.py")
    for file in (files[0], files[len(files) // 2], files[-1]):
        file.write_text(file.read_text() + "\n# edited\n")
        seen.add(folder())
    assert len(seen) == 4


@pytest.mark.slow
def test_files_that_were_cut_short(tmp_path):
    """Files cut short do not stop a launch: what they held is compiled anew, and kept by the next process."""
    launch(entry_of("kernel", [], "ret;"))
    kept = tmp_path / "emulate" / compiled.cache_folder().name
    shutil.copytree(compiled.cache_folder(), kept)
    for pattern in ("*try_warp_sync*.nbc", "*run_blocks*.nbi"):
        (broken,) = kept.rglob(pattern)
        broken.write_bytes(broken.read_bytes()[:40])

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"TILEWRIGHT_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert [int(word) for word in done.stdout.split()] == [lane.bit_count() for lane in range(32)]
        return done.stderr

    run()
    assert "Compiling" in run()
    assert "Compiling" not in run()


def test_populated_cache_that_cannot_be_written(monkeypatch):
    """Numba reads only from a folder that it can write to: the wait is announced all the same, with the cause."""
    launch(entry_of("kernel", [], "ret;"))
    as_if_new = [compiled.Unit(run_blocks.function)]
    monkeypatch.setattr(compiled, "_UNITS", as_if_new)
    assert compiled.is_compiled()
    assert compiled.how_often(as_if_new) == "once per machine"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert not compiled.is_compiled()
    assert compiled.how_often(as_if_new) == f"in each process, because {as_if_new[0].folder} cannot be written to"


def test_unit_that_another_process_has_begun(tmp_path, monkeypatch):
    """A unit whose file another process holds is left to it, and compiled once the file is free."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled, "_UNITS", [])
    unit = compiled.Unit(add_one)
    unit.is_core = True
    assert unit.can_be_kept
    held = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(unit.folder / "add_one.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert held.stdout is not None
    assert held.stdin is not None
    assert held.stdout.readline() == b"held\n"
    unit.compile_unless_begun()
    assert not list(tmp_path.rglob("*.nbc"))

    held.communicate(b"\n")
    unit.compile_unless_begun()
    assert list(tmp_path.rglob("*.add_one-*.nbc"))
    assert unit.call(41) == 42


HOLDER = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def add_one(number: int) -> int:
    """Something to compile."""
    return number + 1
