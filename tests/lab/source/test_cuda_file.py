"""A file is read with care, and refused in a sentence."""

from __future__ import annotations

import os

import pytest

from tilewright.lab.source import SourceError, read_cuda_file
from tilewright.lab.source.cuda_file import MAX_FILE_BYTES


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfint a;\r\n", "int a;\r\n"),
        ("int \u00e4;".encode(), "int \u00e4;"),
        (b"// Gr\xf6\xdfe\n", "// Gr\u00f6\u00dfe\n"),
        ("int a;\n".encode("utf-16"), "int a;\n"),
        (b"", ""),
    ],
)
def test_text_is_read(tmp_path, data, text):
    """UTF-8 with or without a mark, UTF-16 with one, Latin-1; line ends stay."""
    (tmp_path / "k.cu").write_bytes(data)

    assert read_cuda_file(tmp_path / "k.cu").text == text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x7fELF\0\0", "not a text file"),
        (b"\xff\xfe\x00\xd8", "not a text file"),
        (b"x" * (MAX_FILE_BYTES + 1), "at most 2097152"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, data, said):
    """A program, broken UTF-16, a file that is too large."""
    (tmp_path / "k.cu").write_bytes(data)

    with pytest.raises(SourceError, match=said):
        read_cuda_file(tmp_path / "k.cu")


def test_what_is_no_file_is_refused(tmp_path):
    """Missing, a folder, a pipe (which must not be waited for), a name that no file has."""
    with pytest.raises(SourceError, match="does not exist"):
        read_cuda_file(tmp_path / "missing.cu")
    with pytest.raises(SourceError, match="is not a file"):
        read_cuda_file(tmp_path)
    with pytest.raises(SourceError):
        read_cuda_file("a\0b.cu")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.cu")
        with pytest.raises(SourceError, match="is not a file"):
            read_cuda_file(tmp_path / "pipe.cu")
