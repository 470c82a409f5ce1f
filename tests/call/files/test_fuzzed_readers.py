"""Mutants of files that are read, and files that are none: each is read or refused in one sentence."""

from __future__ import annotations

import io
import os
import socket
import struct
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

from tests.call.files import fuzz_readers
from tilewright.call.files import reading as files
from tilewright.call.files.errors import FileError
from tilewright.call.files.reading import read_matrix
from tilewright.lab.check.options import CheckError
from tilewright.lab.check.report.points import read_rubric
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.reading import read_document


def test_mutants(tmp_path):
    """200 of the 20,000 that `make fuzz-readers` makes."""
    counted, faults = fuzz_readers.run(200, 0, tmp_path)

    assert faults == []
    assert counted.total() == 200
    assert {what.rpartition(" ")[2] for what in counted} == {"read", "refused"}


@pytest.mark.parametrize("ending", fuzz_readers.originals())
def test_what_the_mutants_are_made_of_is_read(tmp_path, ending):
    """Each original is right, so that a mutant is refused for what was changed."""
    for number, content in enumerate(fuzz_readers.originals()[ending]):
        path = tmp_path / f"{number}{ending}"
        path.write_bytes(content)
        assert fuzz_readers.fault_of(path) == "read" or (ending, number) == (".npz", 2)  # of several none is named


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device"])
@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv", ".mtx", ".toml", ".json"])
def test_what_is_no_regular_file_is_not_opened(tmp_path, monkeypatch, kind, ending):
    """A pipe would be waited for, a device never ends; a link to one is no better."""
    path = tmp_path / f"a{ending}"
    monkeypatch.chdir(tmp_path)  # a socket's name is short
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    read = {".toml": read_rubric, ".json": read_document}.get(ending, read_matrix)

    with pytest.raises((FileError, CheckError, TraceError), match=rf"cannot be read: it is a {kind}, and a regular"):
        read(path)


@pytest.mark.parametrize("ending", [".npy", ".mtx", ".csv"])
def test_ten_gigabytes_behind_a_small_array(tmp_path, monkeypatch, ending):
    """Refused without being read."""
    content = {
        ".npy": fuzz_readers._npy(numpy.ones(3)),
        ".mtx": b"%%MatrixMarket matrix array real general\n1 1\n1\n2\n",
    }
    path = tmp_path / f"a{ending}"
    path.write_bytes(content.get(ending, b"1\n"))
    os.truncate(path, 10 << 30)  # takes no room on the disk
    monkeypatch.setattr(files, "free_memory_bytes", lambda: 8 << 30)

    with pytest.raises(FileError, match=r"behind its array|16,777,216 characters|memory are free"):
        read_matrix(path)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (b"\x93NUMPY\x02\x00" + struct.pack("<I", 4_000_000_000), "damaged or cut short"),
        (b"\x93NUMPY\x09\x00" + struct.pack("<H", 100), "damaged or cut short"),
        (b"\x93NUMPY\x01\x00" + struct.pack("<H", 3000) + b"(" * 3000, "damaged or cut short"),
    ],
)
def test_a_header_without_end(tmp_path, header, said):
    """A header may have any length that four bytes can say: none is read that NumPy would not write."""
    path = tmp_path / "a.npy"
    path.write_bytes(header)
    os.truncate(path, 5 << 30)

    with pytest.raises(FileError, match=said):
        read_matrix(path)


def claiming(content: bytes, size: int) -> bytes:
    """An archive of one array whose table of contents claims that it has `size` bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", content)
    found = bytearray(stream.getvalue())
    at = found.rindex(b"PK\x01\x02") + 24
    found[at : at + 4] = struct.pack("<I", size)
    return bytes(found)


def test_a_member_that_claims_to_be_huge(tmp_path):
    """No memory is taken for 4 GB that a hundred bytes cannot hold."""
    array = fuzz_readers._npy(numpy.ones((2, 2))).replace(b"(2, 2)", b"(20000, 20000)").replace(b" " * 8 + b"\n", b"\n")
    (tmp_path / "a.npz").write_bytes(claiming(array, 3_200_000_128))

    with pytest.raises(FileError, match=r"a\.npz is damaged or cut short"):
        read_matrix(tmp_path / "a.npz")


def test_names_of_members_steer_no_terminal(tmp_path):
    """Nor do they fill the screen."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in ("\x1b[2J", "x" * 5000):
            archive.writestr(f"{name}.npy", b"")

    with pytest.raises(FileError) as refusal:
        read_matrix(tmp_path / "a.npz")
    assert r"of \x1b[2J, xxxx" in str(refusal.value)
    assert len(str(refusal.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression(tmp_path, method):
    """NumPy does not write it, and what it unpacks to is not bounded."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w", method) as archive:
        archive.writestr("x.npy", fuzz_readers._npy(numpy.ones(3)))

    with pytest.raises(FileError, match="another method than deflate"):
        read_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("ending", [".csv", ".mtx"])
def test_a_word_of_many_digits(tmp_path, ending):
    """Whether it is a number is told in the time that it takes to read it."""
    path = tmp_path / f"a{ending}"
    path.write_text(
        f"%%MatrixMarket matrix array real general\n1 1\n{'9' * 300_000}_\n"[42 if ending == ".csv" else 0 :]
    )

    assert fuzz_readers.fault_of(path) == "refused"


def test_a_matrix_in_blocks(tmp_path, monkeypatch):
    """A long file is turned into numbers block by block; a fault is named by its line wherever it is."""
    monkeypatch.setattr("tilewright.call.files.matrix_market.BLOCK_CHARACTERS", 50)
    lines = "".join(f"{number}\n% comment\n" for number in range(400))
    path: Path = tmp_path / "a.mtx"
    path.write_text(f"%%MatrixMarket matrix array real general\n20 20\n{lines}")

    numpy.testing.assert_array_equal(read_matrix(path), numpy.arange(400.0).reshape(20, 20).T)
    path.write_text(f"%%MatrixMarket matrix array real general\n20 20\n{lines.replace('300', 'x')}")
    with pytest.raises(FileError, match="has 'x' in line 603"):
        read_matrix(path)
