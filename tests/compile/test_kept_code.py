"""Programs kept on disk: whatever happens to the folder or a file, the worst is that a program is compiled again."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from tilewright.compile import kept_code
from tilewright.compile.kept_code import Code, keep_code, read_code
from tilewright.kept import folder as kept_folder
from tilewright.kept.file import HEADER, LEFTOVER_SECONDS

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
CODE = Code(b"\x7fELF" + bytes(range(256)) * 20)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache of this test's own; one warning is due again."""
    monkeypatch.setenv(kept_folder.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.delenv(kept_code.LIMIT_VARIABLE, raising=False)
    monkeypatch.setattr(kept_folder, "_warned", set())
    return tmp_path / "programs"


@pytest.fixture
def file(folder):
    """The file of a program that was kept."""
    keep_code(KEY, CODE)
    (path,) = folder.iterdir()
    return path


def compiled_again(path):
    """Whether the program counts as not there, and keeping it anew mends it without a warning."""
    missed = read_code(KEY) is None
    keep_code(KEY, CODE)
    return missed and read_code(KEY) == CODE and path.is_file() and not path.is_symlink()


def in_a_process(code, **environment):
    """Run Python that may be killed; its exit status."""
    return subprocess.run([sys.executable, "-c", code], check=False, env=os.environ | environment).returncode


def test_what_was_kept_is_read_again(folder):
    """Cubin and PTX come back as they were, and in files that only this user reads; nothing in them is executable."""
    ptx = Code(b"// PTX\0", is_ptx=True)
    keep_code(KEY, CODE)
    keep_code(OTHER_KEY, ptx)

    assert (read_code(KEY), read_code(OTHER_KEY)) == (CODE, ptx)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("kept_bytes", [0, 1, HEADER.size - 1, HEADER.size, HEADER.size + 1, -1])
def test_a_file_cut_short(file, kept_bytes):
    """Truncated, down to nothing."""
    content = file.read_bytes()
    file.write_bytes(content[:kept_bytes])

    assert compiled_again(file)


@pytest.mark.parametrize("place", [0, 10, 41, 45, 55, HEADER.size - 1, HEADER.size, HEADER.size + 3000, -1])
def test_a_flipped_bit(file, place):
    """In the header (magic, key, kind, length, checksum) and in the code."""
    content = bytearray(file.read_bytes())
    content[place] ^= 4
    file.write_bytes(content)

    assert compiled_again(file)


def test_bytes_behind_the_end(file):
    """What the length does not count is no part of the program."""
    file.write_bytes(file.read_bytes() + b"more")

    assert compiled_again(file)


def test_another_programs_file(file):
    """A whole file of another key, as of another architecture or version, is not taken for this one's."""
    keep_code(OTHER_KEY, Code(b"of another architecture"))
    file.with_name(f"{OTHER_KEY.hex()}{kept_code.SUFFIX}").replace(file)

    assert compiled_again(file)


def test_a_directory_in_place_of_the_file(folder):
    """It cannot be replaced: one warning, and the program stays in memory."""
    (folder / f"{KEY.hex()}{kept_code.SUFFIX}").mkdir(parents=True)
    folder.chmod(0o700)

    assert read_code(KEY) is None
    with pytest.warns(RuntimeWarning, match="cannot be kept on disk"):
        keep_code(KEY, CODE)
    assert len(list(folder.iterdir())) == 1


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


def test_garbage_in_the_folder(folder):
    """Files that are not ours are neither read nor removed."""
    folder.mkdir(mode=0o700)
    (folder / "garbage").write_text("?")
    (folder / "sub").mkdir()
    keep_code(KEY, CODE)

    assert read_code(KEY) == CODE
    assert {"garbage", "sub"} < {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_folder_that_others_can_write_to(folder, file, mode):
    """Its files may be anybody's: none is read, none is written, and one warning says so."""
    before = file.stat().st_mtime_ns
    folder.chmod(mode)

    with pytest.warns(RuntimeWarning, match=r"can be written to by others \(chmod 700"):
        read_code(KEY)
    assert read_code(KEY) is None
    keep_code(KEY, CODE)
    assert file.stat().st_mtime_ns == before


@pytest.mark.usefixtures("file")
def test_a_folder_of_another_user(monkeypatch):
    """Somebody else's folder is not trusted, whatever its mode."""
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)

    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert read_code(KEY) is None


def test_a_file_of_another_user(file, monkeypatch):
    """Nor is somebody else's file in a folder of one's own."""
    monkeypatch.setattr(kept_code, "check_folder", lambda _: None)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)

    assert read_code(KEY) is None
    assert file.is_file()


def test_a_link_in_place_of_the_folder(folder, tmp_path):
    """A linked folder may be anybody's."""
    (tmp_path / "real").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "real", target_is_directory=True)

    with pytest.warns(RuntimeWarning, match="is a link"):
        keep_code(KEY, CODE)
    assert list((tmp_path / "real").iterdir()) == []


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_folder_that_can_only_be_read(monkeypatch, number):
    """What is there is used; what is not is compiled, with one warning for all programs."""
    opened = os.open

    def refuse_to_write(path, flags, *mode):
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number), str(path))
        return opened(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse_to_write)

    assert read_code(KEY) == CODE
    with pytest.warns(RuntimeWarning, match=os.strerror(number)):
        keep_code(OTHER_KEY, CODE)
    keep_code(OTHER_KEY, CODE)


def test_a_base_that_is_a_file(tmp_path, monkeypatch):
    """The variable may name anything."""
    (tmp_path / "file").touch()
    monkeypatch.setenv(kept_folder.FOLDER_VARIABLE, str(tmp_path / "file"))

    assert read_code(KEY) is None
    with pytest.warns(RuntimeWarning, match="cannot be kept on disk"):
        keep_code(KEY, CODE)


def test_no_home(monkeypatch):
    """A user without a home folder has programs in memory only."""

    def none():
        raise RuntimeError("Could not determine home directory.")

    for name in (kept_folder.FOLDER_VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", none)

    assert read_code(KEY) is None
    with pytest.warns(RuntimeWarning, match="no home folder; TILEWRIGHT_CACHE may name another"):
        keep_code(KEY, CODE)


def test_a_full_disk(folder, monkeypatch):
    """The disk fills up in the middle of a write: nothing half-written stays."""
    write = os.write
    written: list[int] = []

    def fill(descriptor, data):
        if written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(write(descriptor, bytes(data[:100])))
        return written[-1]

    monkeypatch.setattr(os, "write", fill)

    with pytest.warns(RuntimeWarning, match="No space left"):
        keep_code(KEY, CODE)
    assert list(folder.iterdir()) == []


def test_a_writer_that_is_killed(folder):
    """The program is not there, its leftover is not taken for it, and is removed when it is old."""
    code = (
        "import os, signal; from tilewright.compile import kept_code as k\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"k.keep_code({KEY!r}, k.Code(b'code'))"
    )
    assert in_a_process(code) == -signal.SIGKILL
    (leftover,) = folder.iterdir()

    assert read_code(KEY) is None
    keep_code(KEY, CODE)
    assert leftover.is_file()  # it may still be being written
    for old in (-2 * LEFTOVER_SECONDS, 2 * LEFTOVER_SECONDS):  # also by a clock that is ahead
        leftover.touch()
        os.utime(leftover, (time.time() + old,) * 2)
        keep_code(KEY, CODE)
        assert not leftover.exists()


def test_many_processes_at_once():
    """Sixteen start cold with the same program: each reads nothing or the whole, none fails, one file remains."""
    code = (
        "import os; from tilewright.compile.kept_code import Code, keep_code, read_code\n"
        f"key, code = {KEY!r}, Code(bytes(1 << 16))\n"
        "def child():\n"
        "    for _ in range(3):\n"
        "        if read_code(key) not in (None, code): os._exit(1)\n"
        "        keep_code(key, code)\n"
        "    os._exit(0 if read_code(key) == code else 2)\n"
        "children = [os.fork() or child() for _ in range(16)]\n"
        "raise SystemExit(any(os.waitpid(each, 0)[1] for each in children))\n"
    )
    assert in_a_process(code) == 0
    assert read_code(KEY) == Code(bytes(1 << 16))


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
def test_any_umask(tmp_path, monkeypatch, umask):
    """The modes are the cache's own, whatever the process masks: of each folder that is made, and of the files."""
    monkeypatch.setenv(kept_folder.FOLDER_VARIABLE, str(tmp_path / "deep" / "er"))
    folder = tmp_path / "deep" / "er" / "programs"
    before = os.umask(umask)
    try:
        keep_code(KEY, CODE)
    finally:
        os.umask(before)

    assert read_code(KEY) == CODE
    assert {stat.S_IMODE(place.stat().st_mode) for place in (folder, *folder.parents[:2])} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o660, 0o606])
def test_a_file_that_others_can_write_to(file, mode):
    """It was not written here: this cache's files are their owner's alone."""
    file.chmod(mode)

    assert compiled_again(file)


@pytest.mark.parametrize("when", [0, 1e10])
def test_a_clock_that_is_wrong(file, when):
    """Files from 1970 and from the future are read, and count as used now."""
    os.utime(file, (when, when))

    assert read_code(KEY) == CODE
    assert abs(file.stat().st_mtime - time.time()) < 60


def test_a_file_that_goes_while_it_is_read(file, monkeypatch):
    """What was opened can be read to its end."""
    opened = os.open

    def open_and_remove(path, flags, *mode):
        descriptor = opened(path, flags, *mode)
        if Path(path) == file:
            file.unlink()
        return descriptor

    monkeypatch.setattr(os, "open", open_and_remove)

    assert read_code(KEY) == CODE
    assert read_code(KEY) is None


def test_the_least_recently_used_go_first(folder, monkeypatch):
    """Above the limit the oldest are dropped, never the one that was just written; a program too large is not kept."""
    monkeypatch.setenv(kept_code.LIMIT_VARIABLE, str(3 * (HEADER.size + 1000)))
    keys = [bytes([number]) * 32 for number in range(5)]
    for age, key in enumerate(keys[:3]):
        keep_code(key, Code(bytes(1000)))
        path = folder / f"{key.hex()}{kept_code.SUFFIX}"
        os.utime(path, (time.time() - 9000 + age,) * 2)
    assert read_code(keys[0]) is not None  # used now, so that the second is the oldest
    keep_code(keys[3], Code(bytes(1000)))
    keep_code(keys[4], Code(bytes(4000)))

    assert [read_code(key) is not None for key in keys] == [True, False, True, True, False]


def test_it_can_be_switched_off(folder, monkeypatch):
    """With a limit of 0 nothing is read, written or said."""
    keep_code(KEY, CODE)
    monkeypatch.setenv(kept_code.LIMIT_VARIABLE, "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keep_code(OTHER_KEY, CODE)

        assert read_code(KEY) is None
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("value", ["", "many", "-1", "1e9"])
def test_a_limit_that_is_no_number(monkeypatch, value):
    """The default holds, which is what the page on variables says."""
    monkeypatch.setenv(kept_code.LIMIT_VARIABLE, value)
    page = (Path(__file__).parents[2] / "docs" / "environment.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if f"`{kept_code.LIMIT_VARIABLE}`" in line)

    assert f"| {kept_code.limit_bytes()} (" in line


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "/home/user/.cache/tilewright/programs"),
        ("linux", {"XDG_CACHE_HOME": "here"}, "/home/user/.cache/tilewright/programs"),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/tilewright/programs"),
        ("darwin", {}, "/home/user/Library/Caches/tilewright/programs"),
        ("win32", {"LOCALAPPDATA": "here"}, "/home/user/tilewright/programs"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/tilewright/programs"),
        ("linux", {"TILEWRIGHT_CACHE": "/here"}, "/here/programs"),
    ],
)
def test_where_programs_are_kept(monkeypatch, platform, environment, expected):
    """Beside the emulator's code: in the user's cache folder, or where TILEWRIGHT_CACHE says."""
    for name in (kept_folder.FOLDER_VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/user"))

    assert kept_code.program_folder() == Path(expected)
