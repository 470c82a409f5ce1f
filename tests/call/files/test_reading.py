"""Reading matrices: what is good is read as it is, what is not is refused in one sentence that names the file."""

import io
import os
import zipfile

import numpy
import pytest

from tilewright.arrays.errors import DtypeError
from tilewright.call.files import reading
from tilewright.call.files.errors import FileError
from tilewright.call.files.reading import read_matrix

MATRIX = numpy.array([[1.5, -2.0, 3e-300], [0.0, numpy.inf, 5.25]])


def bytes_of(array, **options):
    """The array as an .npy file."""
    stream = io.BytesIO()
    numpy.save(stream, array, **options)
    return stream.getvalue()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "bool", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, dtype, order):
    """Type, shape, order and values are the file's."""
    array = numpy.asarray([[1, 0, 1], [1, 1, 0]], dtype=dtype, order=order)
    numpy.save(tmp_path / "a.npy", array)

    read = read_matrix(tmp_path / "a.npy")

    assert read.dtype == array.dtype
    numpy.testing.assert_array_equal(read, array)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (5,), (0,)])
def test_npy_of_awkward_shapes(tmp_path, shape):
    """Vectors and empty matrices are files too."""
    numpy.save(tmp_path / "a.npy", numpy.ones(shape))

    assert read_matrix(tmp_path / "a.npy").shape == shape


def test_npz(tmp_path):
    """One array needs no name; of several one is named behind a colon."""
    numpy.savez(tmp_path / "one.npz", x=MATRIX)
    numpy.savez_compressed(tmp_path / "two.npz", x=MATRIX, y=MATRIX.T)

    numpy.testing.assert_array_equal(read_matrix(tmp_path / "one.npz"), MATRIX)
    numpy.testing.assert_array_equal(read_matrix(f"{tmp_path / 'two.npz'}:y"), MATRIX.T)


def test_csv(tmp_path):
    """Rows of numbers; a byte-order mark, blank lines and Windows' line ends do no harm."""
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf1.5, -2,3e-300\r\n\r\n0,inf,5.25\r\n")

    numpy.testing.assert_array_equal(read_matrix(tmp_path / "a.csv"), MATRIX)


BAD = {
    "empty.npy": b"",
    "text.npy": b"1,2\n3,4\n",
    "short_head.npy": bytes_of(MATRIX)[:40],
    "short.npy": bytes_of(MATRIX)[:-8],
    "liar.npy": bytes_of(MATRIX).replace(b"(2, 3)", b"(9999, 9999)").replace(b"  }", b"}", 1),
    "huge.npy": bytes_of(numpy.ones((2, 100)))[:8]
    + b"v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 99999999), }".ljust(120),
    "objects.npy": bytes_of(numpy.array([{}, 1], dtype=object), allow_pickle=True),
    "scalar.npy": bytes_of(numpy.float64(3)),
    "cube.npy": bytes_of(numpy.ones((2, 2, 2))),
    "words.npy": bytes_of(numpy.array([["a"]])),
    "complex.npy": bytes_of(numpy.ones((2, 2), complex)),
    "records.npy": bytes_of(numpy.zeros(2, [("a", "f4")])),
    "dates.npy": bytes_of(numpy.zeros((2, 2), "M8[s]")),
    "empty.npz": b"",
    "text.npz": b"hello",
    "empty.csv": b"\n\n",
    "ragged.csv": b"1,2\n3\n",
    "words.csv": b"1,2\n3,four\n",
    "header.csv": b"x,y\n1,2\n",
    "hole.csv": b"1,,2\n",
    "semicolons.csv": b"1;2\n3;4\n",
    "binary.csv": b"\xff\xfe1,2",
    "empty.mtx": b"",
    "csv.mtx": b"1,2\n",
    "no_sizes.mtx": b"%%MatrixMarket matrix array real general\n",
    "complex.mtx": b"%%MatrixMarket matrix array complex general\n1 1\n1 0\n",
    "hermitian.mtx": b"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n",
    "vector.mtx": b"%%MatrixMarket vector coordinate real general\n1 1 0\n",
    "unknown.mtx": b"%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n",
    "array_pattern.mtx": b"%%MatrixMarket matrix array pattern general\n1 1\n",
    "short.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n",
    "short_array.mtx": b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
    "words.mtx": b"%%MatrixMarket matrix array real general\n1 1\nx\n",
    "outside.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n",
    "zero.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n",
    "between.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 1 1\n",
    "nowhere.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 1\nnan 1 1\n",
    "oblong.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
    "skew.mtx": b"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 4\n",
    "vast.mtx": b"%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 0\n",
    "negative.mtx": b"%%MatrixMarket matrix array real general\n-1 2\n",
    "upper.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 4\n",
    "junk.npy": bytes_of(MATRIX) + b"\0",
    "two.npy": bytes_of(MATRIX) * 2,
    "a.txt": b"1 2",
    "noextension": b"1 2",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_a_sentence(tmp_path, name):
    """One line, with the file's name and a period; never another exception."""
    path = tmp_path / name
    path.write_bytes(BAD[name])

    with pytest.raises(FileError) as refusal:
        read_matrix(path)

    text = str(refusal.value)
    assert str(path) in text
    assert text.endswith(".")
    assert "\n" not in text


def test_objects_are_never_unpickled(tmp_path):
    """A file that would run code when unpickled runs none."""

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    numpy.save(tmp_path / "a.npy", numpy.array([Trap()], dtype=object), allow_pickle=True)
    numpy.savez(tmp_path / "a.npz", x=numpy.array([Trap()], dtype=object))

    for name in ("a.npy", "a.npz"):
        with pytest.raises(FileError, match="never unpickled"):
            read_matrix(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


def test_an_archive_of_several_lists_their_names(tmp_path):
    """The sentence says how to name one."""
    numpy.savez(tmp_path / "a.npz", left=MATRIX, right=MATRIX)

    with pytest.raises(FileError, match=r"a\.npz:NAME, of left, right"):
        read_matrix(tmp_path / "a.npz")
    with pytest.raises(FileError, match="no array 'middle'"):
        read_matrix(f"{tmp_path / 'a.npz'}:middle")


@pytest.mark.parametrize("content", [b"", b"garbage", bytes_of(MATRIX)[:-8]])
def test_a_damaged_member_of_an_archive(tmp_path, content):
    """The archive opens, and what it holds is no array."""
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", content)

    with pytest.raises(FileError, match=r"a\.npz"):
        read_matrix(tmp_path / "a.npz")


def test_an_archive_with_flipped_bits(tmp_path):
    """The checksum of the archive is checked."""
    numpy.savez(tmp_path / "a.npz", x=numpy.arange(100.0))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[300] ^= 255
    (tmp_path / "a.npz").write_bytes(bytes(content))

    with pytest.raises(FileError, match="damaged"):
        read_matrix(tmp_path / "a.npz")


def archive_of(path, *, content=None, names=("x",)):
    """An .npz whose members hold `content`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(f"{name}.npy", content)


def test_an_archive_without_arrays(tmp_path):
    """Nothing is there to be named."""
    archive_of(tmp_path / "a.npz", names=())

    with pytest.raises(FileError, match=r"a\.npz holds no array\.$"):
        read_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("behind", [b"\0", bytes_of(MATRIX)])
def test_what_follows_an_array_is_not_dropped_in_silence(tmp_path, behind):
    """Bytes behind the array are a second array, or damage."""
    (tmp_path / "a.npy").write_bytes(bytes_of(MATRIX) + behind)
    archive_of(tmp_path / "a.npz", content=bytes_of(MATRIX) + behind)

    for name in ("a.npy", "a.npz"):
        with pytest.raises(FileError, match=f"goes on for {len(behind)} bytes behind its array"):
            read_matrix(tmp_path / name)


@pytest.mark.parametrize(
    "word", ["1_0", "\N{ARABIC-INDIC DIGIT ONE}\N{ARABIC-INDIC DIGIT ZERO}", "\N{FULLWIDTH DIGIT ONE}"]
)
def test_numbers_that_only_python_reads(tmp_path, word):
    """Underscores and the digits of other scripts are refused with their line, in every text format alike."""
    head = "%%MatrixMarket matrix array real general\n% 1_0 \N{FULLWIDTH DIGIT ONE} in a comment is none\n"
    texts = {
        "a.csv": (f"1,2\n\n3,{word}\n", 3),
        "a.mtx": (f"{head}2 2\n1\n2\n\n3\n{word}\n", 8),
        "b.mtx": (f"{head.replace('array', 'coordinate')}2 2 2\n1 1 5\n2 {word} 5\n", 5),
    }
    for name, (text, line) in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(FileError, match=f"{name} has '{word}' in line {line}"):
            read_matrix(tmp_path / name)


def test_what_does_not_fit_in_memory_is_refused_before_it_is_made(tmp_path, monkeypatch):
    """Linux would hand out the memory, and end the process when it is filled."""
    for module in ("reading", "matrix_market"):
        monkeypatch.setattr(f"tilewright.call.files.{module}.free_memory_bytes", lambda: 1000)
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n20 20 1\n1 1 1\n")
    numpy.save(tmp_path / "a.npy", numpy.zeros((20, 20)))
    numpy.savez_compressed(tmp_path / "a.npz", numpy.zeros((20, 20)))

    for name in ("a.mtx", "a.npy", "a.npz"):
        with pytest.raises(FileError, match=rf"{name} .*3.[12].? KiB.* 1000 bytes of memory are free"):
            read_matrix(tmp_path / name)


@pytest.mark.parametrize("given", [None, 5, ["a.npy"], MATRIX])
def test_what_is_no_path(given):
    """The sentence names what was given."""
    with pytest.raises(DtypeError, match="a path is accepted"):
        read_matrix(given)


@pytest.mark.parametrize("name", ["a\0.npy", "a\ud800.npy", "a\ud800.npz:x"])
def test_names_that_no_file_has(name):
    """Not even these give another exception."""
    with pytest.raises(FileError):
        read_matrix(name)


def test_a_missing_file_and_a_folder(tmp_path):
    """Neither is a matrix."""
    with pytest.raises(FileError, match="does not exist"):
        read_matrix(tmp_path / "none.npy")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError, match="cannot be read"):
        read_matrix(tmp_path / "folder.csv")


@pytest.mark.parametrize(("count", "more"), [(1, False), (8, False), (9, True)])
def test_names_of_an_archive_are_listed(count, more):
    """Eight of them, and 40 characters of each."""
    names = [f"{number}" * 40 for number in range(count)]
    assert reading._listed(names) == ", ".join(names[:8]) + (", ..." if more else "")
    assert reading._listed(["a" * 41, "b"]) == "a" * 40 + "..., b"


@pytest.mark.parametrize("size", [-1, 9, 10, 11, 1000])
@pytest.mark.parametrize("length", [9, 10, 11])
def test_a_table_of_contents_ends(monkeypatch, size, length):
    """The most that it may have is read, a byte more is refused, and no more than that is ever asked for."""
    monkeypatch.setattr(reading, "MOST_DIRECTORY_BYTES", 10)
    file, asked = io.BytesIO(bytes(length)), list[int]()

    class Noting(io.BytesIO):
        def read(self, size=-1):
            asked.append(size)
            return file.read(size)

    bounded = reading._Bounded(Noting())
    if length > 10 and (size < 0 or size > 10):
        with pytest.raises(zipfile.BadZipFile, match="its table of contents has no end"):
            bounded.read(size)
    else:
        assert len(bounded.read(size)) == (min(size, length) if size >= 0 else length)
    assert asked == [11 if size < 0 else min(size, 11)]
