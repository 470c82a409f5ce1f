"""The emulator's kept code: whatever happens to the folder or a file, the worst is that a unit is compiled again."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.emulate import flip_bits
from tests.emulate.running import entry_of, launch
from tests.emulate.small_unit import fresh, is_right
from tests.repeats import repeats
from tilewright.emulate import compiled
from tilewright.emulate.compiled import how_often, is_compiled
from tilewright.kept import folder as kept_folder
from tilewright.kept.file import HEADER, LEFTOVER_SECONDS, packed


@pytest.fixture(autouse=True)
def base(tmp_path, monkeypatch):
    """An empty cache of this test's own; one warning is due again."""
    monkeypatch.setenv(kept_folder.FOLDER_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(kept_folder, "_warned", set())
    return tmp_path / "cache"


@pytest.fixture
def file():
    """The file of a unit that was kept."""
    assert is_right()
    path = fresh().kept.path
    assert path is not None
    assert path.is_file()
    return path


def compiled_again(path):
    """Whether the unit counts as not kept, comes out right, and is kept again."""
    missed = not fresh().is_kept
    return missed and is_right() and fresh().is_kept and path.is_file() and not path.is_symlink()


def in_a_process(code, **environment):
    """Run Python that may be killed; its exit status."""
    return subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | environment).returncode


def test_what_was_kept_is_loaded_again(file):
    """It is not compiled a second time; file, folder and the folders above it are this user's alone."""
    unit = fresh()

    assert unit.call(41) == 42
    assert unit.compiled.cache_hits == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in file.parents[:3]} == {0o700}


@pytest.mark.parametrize("kept_bytes", [0, 1, HEADER.size - 1, HEADER.size, HEADER.size + 1, -1])
def test_a_file_cut_short(file, kept_bytes):
    """Truncated, down to nothing."""
    file.write_bytes(file.read_bytes()[:kept_bytes])

    assert compiled_again(file)


@pytest.mark.parametrize("place", [0, 10, 41, 45, 55, HEADER.size - 1, HEADER.size, HEADER.size + 3000, -1])
def test_a_flipped_bit(file, place):
    """In the header (magic, key, kind, length, checksum) and in the code."""
    flip_bits.flip(file, 8 * (place % file.stat().st_size) + 3)

    assert compiled_again(file)


def test_bytes_behind_the_end(file):
    """What the length does not count is no part of the code."""
    file.write_bytes(file.read_bytes() + b"more")

    assert compiled_again(file)


def test_code_of_another_processor_or_version(file, monkeypatch):
    """A whole file with another key is not taken for this one's, whatever its name."""
    content = file.read_bytes()
    monkeypatch.setattr(compiled, "cache_key", lambda: "0" * 20)
    assert is_right()
    other = fresh().kept.path
    assert other not in (None, file)
    assert other.read_bytes() != content
    other.write_bytes(content)

    assert compiled_again(other)


def test_a_whole_file_that_holds_something_else(file):
    """A right checksum over what is no pickle, or a pickle of something else: removed, and nothing is raised."""
    for image in (b"", b"\x80garbage", b"\x80\x04N."):
        file.write_bytes(packed(fresh().kept._key(), b"NUMB", image))
        assert is_right()
        assert fresh().compiled.cache_hits == 1


def test_garbage_in_the_folder(file):
    """Files that are not ours are neither read nor removed."""
    (file.parent / "garbage.unit").write_text("?")
    (file.parent / "sub").mkdir()

    assert is_right()
    assert {"garbage.unit", "sub"} < {path.name for path in file.parent.iterdir()}


def test_a_directory_in_place_of_the_file(file):
    """It cannot be replaced: one warning, and the code stays in memory."""
    file.unlink()
    file.mkdir()

    with pytest.warns(RuntimeWarning, match="emulator's compiled code cannot be kept on disk"):
        assert is_right()
    assert is_right()


def test_a_link_in_place_of_the_file(file, tmp_path):
    """A link is not followed, whatever it leads to, and what it leads to is left alone."""
    elsewhere = tmp_path / "elsewhere"
    file.replace(elsewhere)
    content = elsewhere.read_bytes()
    file.symlink_to(elsewhere)

    assert compiled_again(file)
    assert elsewhere.read_bytes() == content


def test_a_pipe_in_place_of_the_file(file):
    """Opening a pipe that nobody writes to would wait for ever."""
    file.unlink()
    os.mkfifo(file)

    assert compiled_again(file)


@pytest.mark.parametrize("mode", [0o660, 0o606])
def test_a_file_that_others_can_write_to(file, mode):
    """It was not written here: the files are their owner's alone."""
    file.chmod(mode)

    assert compiled_again(file)


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_folder_that_others_can_write_to(file, mode):
    """Its files may be anybody's: none is read, none is written, and one warning says so."""
    before = file.stat().st_mtime_ns
    file.parent.chmod(mode)

    with pytest.warns(RuntimeWarning, match=r"can be written to by others \(chmod 700") as said:
        assert is_right()
    assert len(said) == 1
    unit = fresh()
    assert not unit.is_kept
    assert how_often([unit]).startswith(f"in each process, because {file.parent} can be written to by others")
    assert file.stat().st_mtime_ns == before


@pytest.mark.usefixtures("file")
def test_a_folder_of_another_user(monkeypatch):
    """Somebody else's folder is not trusted, whatever its mode."""
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)

    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert not fresh().is_kept


def test_a_link_in_place_of_the_folder(file, tmp_path):
    """A linked folder may be anybody's, and what lies in it is not loaded."""
    file.parent.replace(tmp_path / "real")
    file.parent.symlink_to(tmp_path / "real", target_is_directory=True)

    with pytest.warns(RuntimeWarning, match="is a link"):
        assert not fresh().is_kept
    assert is_right()


@pytest.mark.usefixtures("file")
def test_a_folder_that_can_only_be_read(monkeypatch):
    """What is there is used; what is not is compiled, and the notice says that it cannot be kept."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(compiled, "_UNITS", [fresh()])

    assert is_compiled()
    assert not fresh().can_be_kept
    assert how_often([fresh()]).endswith("cannot be written to")


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_takes_nothing(base, monkeypatch, number):
    """Nothing half-written stays, one warning says why, and the result is right."""

    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "write", refuse)

    with pytest.warns(RuntimeWarning, match=os.strerror(number)):
        assert is_right()
    assert is_right()
    assert not [path for path in base.rglob("*") if path.suffix == ".unit" or path.name.startswith(".writing")]


def test_a_base_that_is_a_file(base):
    """The variable may name anything."""
    base.touch()

    with pytest.warns(RuntimeWarning, match="cannot be kept on disk"):
        assert is_right()
    assert "cannot be written to" in how_often([fresh()])


@pytest.mark.parametrize("home", [None, Path("relative")])
def test_no_home(monkeypatch, home):
    """A user without a home folder, or with one that is nowhere in particular, has the code in memory only."""

    def found():
        if home is None:
            raise RuntimeError("Could not determine home directory.")
        return home

    for name in (kept_folder.FOLDER_VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", found)

    assert is_right()
    assert how_often([fresh()]) == "in each process, because there is no home folder; TILEWRIGHT_CACHE may name another"


def test_a_relative_cache_home(monkeypatch, tmp_path):
    """It would lead into whatever folder the user is in, and to what a stranger has put there."""
    monkeypatch.delenv(kept_folder.FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(sys, "platform", "linux")

    assert compiled.cache_folder() == tmp_path / "home" / ".cache" / "tilewright" / "emulate" / compiled.cache_key()


def test_a_writer_that_is_killed(file):
    """The code is not there, its leftover is not taken for it, and is removed when it is old."""
    file.unlink()
    code = (
        "import os, signal; from tests.emulate.small_unit import fresh\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "fresh().call(41)"
    )
    assert in_a_process(code, PYTHONPATH=os.pathsep.join(filter(None, sys.path))) == -signal.SIGKILL
    leftover = next(path for path in file.parent.iterdir() if path.name.startswith(".writing"))

    assert compiled_again(file)
    os.utime(leftover, (leftover.stat().st_mtime - 2 * LEFTOVER_SECONDS,) * 2)
    file.unlink()
    assert compiled_again(file)
    assert not leftover.exists()


@pytest.mark.slow
def test_many_processes_at_once(base):
    """Sixteen start cold with the same unit: none fails, and one compiles it."""
    code = (
        "import os; from tests.emulate.small_unit import fresh\n"
        "def child():\n"
        "    unit = fresh()\n"
        "    right = unit.call(41) == 42\n"
        "    os._exit(9 if not right else unit.compiled.cache_hits)\n"
        "children = [os.fork() or child() for _ in range(16)]\n"
        "loaded = sorted(os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in children)\n"
        "raise SystemExit(loaded != [0] + [1] * 15)\n"
    )
    assert in_a_process(code, PYTHONPATH=os.pathsep.join(filter(None, sys.path))) == 0
    assert len(list(base.rglob("*.unit"))) == 1


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
def test_any_umask(base, umask):
    """The modes are the cache's own, whatever the process masks."""
    before = os.umask(umask)
    try:
        assert is_right()
    finally:
        os.umask(before)

    assert fresh().is_kept
    assert {stat.S_IMODE(path.stat().st_mode) for path in (base, *base.rglob("*")) if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) & ~umask for path in base.rglob("*.unit")} <= {0o600, 0o400}


@pytest.mark.parametrize("when", [0, 1e10])
def test_a_clock_that_is_wrong(file, when):
    """Files from 1970 and from the future are loaded."""
    os.utime(file, (when, when))

    assert fresh().is_kept


def test_a_file_that_goes_while_it_is_read(file, monkeypatch):
    """What was opened can be read to its end."""
    opened = os.open

    def open_and_remove(path, flags, *mode):
        descriptor = opened(path, flags, *mode)
        if Path(path) == file:
            file.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_remove)

    assert fresh().is_kept
    assert not fresh().is_kept


def test_nothing_is_raised_where_warnings_are_errors(file):
    """A damaged file is no reason to warn: it is replaced."""
    flip_bits.flip(file, 5000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_right()


@pytest.mark.slow
def test_many_flipped_bits(file):
    """Each in a process of its own, forked from one that has Numba: each loads nothing, and is right."""
    code = (
        "import os, random, pathlib; from tests.emulate.small_unit import fresh\n"
        f"path, source = pathlib.Path({str(file)!r}), random.Random(0)\n"
        "path.unlink(); fresh().call(41); pristine = path.read_bytes()\n"  # the compiler is warm in each fork
        "def child(bit):\n"
        "    damaged = bytearray(pristine); damaged[bit // 8] ^= 1 << bit % 8; path.write_bytes(damaged)\n"
        "    unit = fresh()\n"
        "    os._exit(unit.call(41) != 42 or unit.compiled.cache_hits)\n"
        "def ended(bit): return os.waitpid(os.fork() or child(bit), 0)[1]\n"
        f"raise SystemExit(any(ended(source.randrange(8 * len(pristine))) for _ in range({repeats(50, 200)})))\n"
    )
    assert in_a_process(code, PYTHONPATH=os.pathsep.join(filter(None, sys.path))) == 0


@pytest.mark.slow
def test_flipped_bits_in_the_emulators_own_files(base):
    """Flips over all files that a launch loads: none is taken for whole. Some are run, and end in right results."""
    with pytest.MonkeyPatch.context() as usual:
        usual.delenv(kept_folder.FOLDER_VARIABLE)
        launch(entry_of("kernel", [], "ret;"))
        own = compiled.cache_folder()
    assert own is not None
    kept_folder.make_folder(base / "emulate")
    loaded = {unit.kept.path.name for unit in compiled.units_of_core() if unit.kept.path is not None}
    shutil.copytree(own, base / "emulate" / own.name, ignore=lambda _, names: sorted(set(names) - loaded))
    source = random.Random(1)
    units = {unit.kept.path: unit for unit in compiled.units_of_core()}
    for _ in range(repeats(50, 200)):
        file, bit = flip_bits.flip_somewhere([path for path in units if path is not None], source)
        damaged = file.read_bytes()
        unit = units[file]
        unit._kept = None
        assert not unit.kept.is_whole()
        assert not file.exists()
        file.write_bytes(damaged)
        file.chmod(0o600)
        flip_bits.flip(file, bit)
        assert unit.kept.is_whole()
        unit._kept = None

    assert flip_bits.run(repeats(2, 4), 2, base) == repeats(2, 4)
